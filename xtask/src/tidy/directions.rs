//! Dependencies between the crates point one way, and the pure crates reach nothing that does IO.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Fault, File};
use crate::run::{cargo, output};

/// A crate and the crates of the project that it may use.
struct Room {
    name: &'static str,
    uses: &'static [&'static str],
    /// Does no IO, and keeps JSON as it was written.
    pure: bool,
}

pub(super) fn check(files: &[File]) -> Vec<Fault> {
    match metadata() {
        Ok(metadata) => faults(&Graph::read(&metadata), files),
        Err(what) => vec![Fault { path: "Cargo.toml".into(), line: 1, what }],
    }
}

fn metadata() -> Result<Value, String> {
    let text = output(cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("cargo metadata printed what is not JSON: {error}"))
}

pub(super) fn faults(graph: &Graph, files: &[File]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (id, folder) in &graph.rooms {
        let manifest = format!("crates/{folder}/Cargo.toml");
        let name = graph.name(id);
        let mut fault = |about: &str, what: String| {
            let manifest_file = files.iter().find(|file| file.path == manifest);
            let line = manifest_file.and_then(|file| {
                file.lines().find(|(_, line)| line.starts_with(about)).map(|(number, _)| number)
            });
            faults.push(Fault { path: manifest.clone(), line: line.unwrap_or(1), what });
        };
        let Some(room) = ROOMS.iter().find(|room| room.name == name) else {
            let what = format!("give '{name}' its place in xtask/src/tidy/directions.rs");
            fault("name", what);
            continue;
        };
        for used in graph.uses(id, false).into_iter().map(|id| graph.name(id)) {
            let ours = ROOMS.iter().any(|room| room.name == used);
            if ours && !room.uses.contains(&used) {
                let what = format!("{name} must not know {used}: dependencies point one way");
                fault(used, what);
            }
        }
        for (found, through) in graph.reach(id) {
            if room.pure && IMPURE.contains(&found) {
                let what = format!("{name} is pure and must not reach {found} (through {through})");
                fault(through, what);
            }
        }
        if room.name == JUDGE {
            for used in graph.uses(id, true).into_iter().map(|id| graph.name(id)) {
                if ROOMS.iter().any(|room| room.name == used) {
                    let what = format!("{JUDGE} judges the others and shares nothing with {used}");
                    fault(used, what);
                }
            }
        }
    }
    faults
}

/// What `cargo metadata` says about who depends on whom.
#[derive(Default)]
pub(super) struct Graph<'m> {
    /// Package id → name.
    names: BTreeMap<&'m str, &'m str>,
    /// Package id → folder under `crates/`.
    rooms: BTreeMap<&'m str, &'m str>,
    /// Package id → package id, and whether only tests need it.
    edges: BTreeMap<&'m str, Vec<(&'m str, bool)>>,
}

impl<'m> Graph<'m> {
    pub(super) fn read(metadata: &'m Value) -> Self {
        let mut graph = Self::default();
        for package in list(&metadata["packages"]) {
            let id = string(&package["id"]);
            graph.names.insert(id, string(&package["name"]));
            let mut parts = string(&package["manifest_path"]).rsplit('/').skip(1);
            let (folder, above) = (parts.next(), parts.next());
            if let (Some(folder), Some("crates"), true) =
                (folder, above, package["source"].is_null())
            {
                graph.rooms.insert(id, folder);
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

    /// What it depends on directly: for its tests, or for itself.
    fn uses(&self, id: &str, tests: bool) -> Vec<&'m str> {
        let edges = self.edges.get(id).into_iter().flatten();
        edges.filter(|(_, only_tests)| *only_tests == tests).map(|(id, _)| *id).collect()
    }

    /// Everything it depends on in the end, each with the direct dependency that brings it.
    fn reach(&self, id: &str) -> Vec<(&'m str, &'m str)> {
        let mut found = Vec::new();
        for first in self.uses(id, false) {
            let mut seen = BTreeSet::from([first]);
            let mut open = vec![first];
            while let Some(next) = open.pop() {
                found.push((self.name(next), self.name(first)));
                open.extend(self.uses(next, false).into_iter().filter(|id| seen.insert(id)));
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

const ROOMS: &[Room] = &[
    Room { name: WIRE, uses: &[], pure: true },
    Room { name: MODEL, uses: &[WIRE], pure: true },
    Room { name: DIALECTS, uses: &[MODEL, WIRE], pure: true },
    Room { name: REPAIR, uses: &[MODEL, WIRE], pure: true },
    Room { name: GUARD, uses: &[MODEL, WIRE], pure: true },
    Room { name: VAULT, uses: &[DIALECTS, GUARD, MODEL, WIRE], pure: true },
    Room { name: ROAD, uses: &[DIALECTS, REPAIR, GUARD, MODEL, WIRE], pure: true },
    Room { name: TRANSCRIPT, uses: &[ROAD, WIRE], pure: true },
    Room { name: CORPUS, uses: &[ROAD, DIALECTS, MODEL, WIRE], pure: false },
    Room { name: JUDGE, uses: &[], pure: false },
    Room {
        name: "interlingua-laws",
        uses: &[CORPUS, JUDGE, ROAD, DIALECTS, REPAIR, MODEL, WIRE],
        pure: false,
    },
    Room { name: UPSTREAM, uses: &[ROAD, DIALECTS, MODEL, WIRE], pure: false },
    Room { name: STORE, uses: &[ROAD, DIALECTS, MODEL, WIRE], pure: false },
    // The models that are built in are the simulator's.
    Room {
        name: GATEWAY,
        uses: &[SIMULATOR, UPSTREAM, STORE, ROAD, VAULT, DIALECTS, REPAIR, GUARD, MODEL, WIRE],
        pure: false,
    },
    Room { name: AGENT, uses: SERVER, pure: false },
    Room { name: SIMULATOR, uses: &[JUDGE], pure: false },
    Room {
        name: "interlingua-cli",
        uses: &[
            CORPUS, TRANSCRIPT, GATEWAY, AGENT, SIMULATOR, JUDGE, UPSTREAM, STORE, ROAD, DIALECTS,
            REPAIR, VAULT, GUARD, MODEL, WIRE,
        ],
        pure: false,
    },
];

const SERVER: &[&str] = &[UPSTREAM, STORE, ROAD, VAULT, DIALECTS, REPAIR, GUARD, MODEL, WIRE];

const WIRE: &str = "interlingua-wire";
const MODEL: &str = "interlingua-model";
const DIALECTS: &str = "interlingua-dialects";
const REPAIR: &str = "interlingua-repair";
const GUARD: &str = "interlingua-guard";
const VAULT: &str = "interlingua-vault";
const ROAD: &str = "interlingua";
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
