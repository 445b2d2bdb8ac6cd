//! Checks that dependencies between the crates point one way, and that no pure crate reaches one that does IO.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::diagnostic::Diagnostic;
use crate::process::{cargo, output};
use crate::source_files::SourceFile;

/// A crate and the workspace crates that it may depend on.
struct CrateRule {
    name: &'static str,
    allowed: &'static [&'static str],
    /// Does no IO, and keeps JSON as it was written.
    is_pure: bool,
}

pub(super) fn check(files: &[SourceFile]) -> Vec<Diagnostic> {
    match metadata() {
        Ok(metadata) => check_graph(&CrateGraph::from_metadata(&metadata), files),
        Err(message) => vec![Diagnostic { path: "Cargo.toml".into(), line: 1, message }],
    }
}

fn metadata() -> Result<Value, String> {
    let text = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("cargo metadata printed invalid JSON: {error}"))
}

pub(super) fn check_graph(graph: &CrateGraph, files: &[SourceFile]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for (id, folder) in &graph.crates {
        let manifest = format!("crates/{folder}/Cargo.toml");
        let name = graph.name(id);
        let mut report = |about: &str, message: String| {
            let manifest_file = files.iter().find(|file| file.path == manifest);
            let line = manifest_file.and_then(|file| {
                file.lines().find(|(_, line)| line.starts_with(about)).map(|(number, _)| number)
            });
            diagnostics.push(Diagnostic {
                path: manifest.clone(),
                line: line.unwrap_or(1),
                message,
            });
        };
        let Some(crate_rule) = CRATES.iter().find(|crate_rule| crate_rule.name == name) else {
            let message = format!("list '{name}' in xtask/src/tidy/crate_graph.rs");
            report("name", message);
            continue;
        };
        for used in graph.direct(id, false).into_iter().map(|id| graph.name(id)) {
            let ours = CRATES.iter().any(|crate_rule| crate_rule.name == used);
            if ours && !crate_rule.allowed.contains(&used) {
                let message =
                    format!("{name} must not depend on {used}: dependencies point one way");
                report(used, message);
            }
        }
        for (found, through) in graph.transitive(id) {
            if crate_rule.is_pure && IMPURE.contains(&found) {
                let message =
                    format!("{name} is pure and must not reach {found} (through {through})");
                report(through, message);
            }
        }
        if crate_rule.name == JUDGE {
            for used in graph.direct(id, true).into_iter().map(|id| graph.name(id)) {
                if CRATES.iter().any(|crate_rule| crate_rule.name == used) {
                    let message =
                        format!("{JUDGE} judges the others and shares nothing with {used}");
                    report(used, message);
                }
            }
        }
    }
    diagnostics
}

/// The dependencies between packages, from `cargo metadata`.
#[derive(Default)]
pub(super) struct CrateGraph<'m> {
    /// Package id → name.
    names: BTreeMap<&'m str, &'m str>,
    /// Package id → folder under `crates/`.
    crates: BTreeMap<&'m str, &'m str>,
    /// Package id → its dependencies, each with whether only tests need it.
    edges: BTreeMap<&'m str, Vec<(&'m str, bool)>>,
}

impl<'m> CrateGraph<'m> {
    pub(super) fn from_metadata(metadata: &'m Value) -> Self {
        let mut graph = Self::default();
        for package in list(&metadata["packages"]) {
            let id = string(&package["id"]);
            graph.names.insert(id, string(&package["name"]));
            let mut parts = string(&package["manifest_path"]).rsplit('/').skip(1);
            let (folder, above) = (parts.next(), parts.next());
            if let (Some(folder), Some("crates"), true) =
                (folder, above, package["source"].is_null())
            {
                graph.crates.insert(id, folder);
            }
        }
        for node in list(&metadata["resolve"]["nodes"]) {
            let edge = |dependency: &'m Value| {
                let kinds = list(&dependency["dep_kinds"]);
                let only_tests = kinds.iter().all(|kind| kind["kind"] == "dev");
                (string(&dependency["pkg"]), only_tests)
            };
            let edges = list(&node["deps"]).iter().map(edge).collect();
            graph.edges.insert(string(&node["id"]), edges);
        }
        graph
    }

    fn name(&self, id: &str) -> &'m str {
        self.names.get(id).copied().unwrap_or_default()
    }

    /// Direct dependencies: those of its tests, or those of the crate itself.
    fn direct(&self, id: &str, tests: bool) -> Vec<&'m str> {
        let edges = self.edges.get(id).into_iter().flatten();
        edges.filter(|(_, only_tests)| *only_tests == tests).map(|(id, _)| *id).collect()
    }

    /// All dependencies, each with the direct dependency that brings it in.
    fn transitive(&self, id: &str) -> Vec<(&'m str, &'m str)> {
        let mut found = Vec::new();
        for first in self.direct(id, false) {
            let mut seen = BTreeSet::from([first]);
            let mut open = vec![first];
            while let Some(next) = open.pop() {
                found.push((self.name(next), self.name(first)));
                open.extend(self.direct(next, false).into_iter().filter(|id| seen.insert(id)));
            }
        }
        found
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

const JUDGE: &str = "interlingua-strict";

const CRATES: &[CrateRule] = &[
    CrateRule { name: WIRE, allowed: &[], is_pure: true },
    CrateRule { name: MODEL, allowed: &[WIRE], is_pure: true },
    CrateRule { name: PROVIDERS, allowed: &[MODEL, WIRE], is_pure: true },
    CrateRule { name: DIALECTS, allowed: &[PROVIDERS, MODEL, WIRE], is_pure: true },
    CrateRule { name: REPAIR, allowed: &[PROVIDERS, MODEL, WIRE], is_pure: true },
    CrateRule { name: GUARD, allowed: &[MODEL, WIRE], is_pure: true },
    CrateRule { name: VAULT, allowed: &[DIALECTS, GUARD, MODEL, WIRE], is_pure: true },
    CrateRule {
        name: INTERLINGUA,
        allowed: &[DIALECTS, REPAIR, GUARD, PROVIDERS, MODEL, WIRE],
        is_pure: true,
    },
    CrateRule { name: TRANSCRIPT, allowed: &[INTERLINGUA, MODEL, WIRE], is_pure: true },
    CrateRule {
        name: CORPUS,
        allowed: &[INTERLINGUA, DIALECTS, REPAIR, MODEL, WIRE],
        is_pure: false,
    },
    CrateRule { name: JUDGE, allowed: &[], is_pure: false },
    CrateRule {
        name: "interlingua-laws",
        allowed: &[CORPUS, JUDGE, INTERLINGUA, DIALECTS, REPAIR, MODEL, WIRE],
        is_pure: false,
    },
    CrateRule {
        name: UPSTREAM,
        allowed: &[INTERLINGUA, DIALECTS, PROVIDERS, MODEL, WIRE],
        is_pure: false,
    },
    CrateRule { name: STORE, allowed: &[INTERLINGUA, DIALECTS, MODEL, WIRE], is_pure: false },
    // The built-in models run in the simulator.
    CrateRule {
        name: GATEWAY,
        allowed: &[
            SIMULATOR,
            UPSTREAM,
            STORE,
            INTERLINGUA,
            VAULT,
            DIALECTS,
            REPAIR,
            GUARD,
            PROVIDERS,
            MODEL,
            WIRE,
        ],
        is_pure: false,
    },
    CrateRule { name: AGENT, allowed: SERVER_CRATES, is_pure: false },
    CrateRule { name: SIMULATOR, allowed: &[JUDGE], is_pure: false },
    CrateRule {
        name: "interlingua-cli",
        allowed: &[
            CORPUS,
            TRANSCRIPT,
            GATEWAY,
            AGENT,
            SIMULATOR,
            JUDGE,
            UPSTREAM,
            STORE,
            INTERLINGUA,
            DIALECTS,
            REPAIR,
            VAULT,
            GUARD,
            PROVIDERS,
            MODEL,
            WIRE,
        ],
        is_pure: false,
    },
];

const SERVER_CRATES: &[&str] =
    &[UPSTREAM, STORE, INTERLINGUA, VAULT, DIALECTS, REPAIR, GUARD, PROVIDERS, MODEL, WIRE];

const WIRE: &str = "interlingua-wire";
const MODEL: &str = "interlingua-model";
const PROVIDERS: &str = "interlingua-providers";
const DIALECTS: &str = "interlingua-dialects";
const REPAIR: &str = "interlingua-repair";
const GUARD: &str = "interlingua-guard";
const VAULT: &str = "interlingua-vault";
const INTERLINGUA: &str = "interlingua";
const TRANSCRIPT: &str = "interlingua-transcript";
const CORPUS: &str = "interlingua-corpus";
const UPSTREAM: &str = "interlingua-upstream";
const STORE: &str = "interlingua-store";
const GATEWAY: &str = "interlingua-gateway";
const AGENT: &str = "interlingua-agent";
const SIMULATOR: &str = "interlingua-simulator";

/// Crates that do IO, read clocks or random numbers, or rewrite JSON.
const IMPURE: &[&str] = &[
    "async-std",
    "axum",
    "chrono",
    "getrandom",
    "hyper",
    "log",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "rustls",
    "serde_json",
    "smol",
    "socket2",
    "tokio",
    "tokio-postgres",
    "tracing",
    "ureq",
];
