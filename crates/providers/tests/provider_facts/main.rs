//! Holds what is known of every provider, flavor and model against `facts.txt`.
//!
//! `UPDATE_DOCS=1 cargo test -p interlingua-providers --test provider_facts` writes the file.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod debug_fields;

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::path::Path;

use interlingua_model::{DialectId, Lessons};
use interlingua_providers::profile::Profile;
use interlingua_providers::spelling::openai_chat::Flavor;
use interlingua_providers::{PRESETS, PROVIDER_DIALECTS, flavors, resolve};
use interlingua_wire::JsonString;

use debug_fields::{flatten, hash, name_long_values};

/// The facts that the file states are those of the code.
#[test]
fn facts_are_those_of_the_file() {
    let facts = render_facts();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/provider_facts/facts.txt");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, facts).unwrap();
        return;
    }
    let known = std::fs::read_to_string(path).unwrap();
    let difference = known.lines().zip(facts.lines()).position(|(old, new)| old != new);
    let first = difference.unwrap_or(known.lines().count().min(facts.lines().count()));
    assert!(
        known == facts,
        "line {}:\n- {}\n+ {}\nwrite the file with UPDATE_DOCS=1, and name each difference in the commit",
        first + 1,
        known.lines().nth(first).unwrap_or_default(),
        facts.lines().nth(first).unwrap_or_default(),
    );
}

fn render_facts() -> String {
    let mut out = String::from(HEADER);
    let mut long_values = BTreeMap::new();
    render_presets(&mut out, &mut long_values);
    render_spellings(&mut out, &mut long_values);
    render_profiles(&mut out, &mut long_values);
    out.push_str("\n# Long values\n\n");
    for (name, value) in long_values {
        writeln!(out, "{name} = {value}").unwrap();
    }
    out
}

fn render_presets(out: &mut String, long_values: &mut BTreeMap<String, String>) {
    out.push_str("\n# Providers\n");
    let mut presets: Vec<_> = PRESETS.iter().collect();
    presets.sort_by_key(|preset| preset.name);
    for preset in presets {
        writeln!(out, "\n## {}", preset.name).unwrap();
        let mut fields = flatten(&format!("{preset:?}"));
        // What these say follows below.
        fields.retain(|(name, _)| name != "variants");
        write_fields(out, &fields, long_values);
    }
}

fn render_spellings(out: &mut String, long_values: &mut BTreeMap<String, String>) {
    out.push_str("\n# Spelling of Chat Completions\n");
    let mut names = flavors(DialectId("openai-chat")).to_vec();
    names.sort_unstable();
    for flavor in names {
        let spelling = Flavor::find(Some(flavor));
        writeln!(out, "\n## {flavor}").unwrap();
        write_fields(out, &flatten(&format!("{spelling:?}")), long_values);
    }
}

/// Each group of facts with its distinct values, and then which target has which of them.
fn render_profiles(out: &mut String, long_values: &mut BTreeMap<String, String>) {
    let mut groups: Vec<Group> = GROUPS.iter().map(|_| Group::default()).collect();
    let mut tables: Vec<(String, Vec<String>)> = Vec::new();
    for dialect in PROVIDER_DIALECTS.iter().copied().map(DialectId) {
        let mut names = vec![None];
        names.extend(flavors(dialect).iter().copied().map(Some));
        names.sort_unstable();
        for flavor in names {
            let mut describe = |model: Option<&str>| -> String {
                let model = model.map(JsonString::new);
                let lessons = Lessons::default();
                let profile = resolve(dialect, flavor, model.as_ref(), &lessons).unwrap();
                let texts = describe_groups(&profile);
                let names = groups.iter_mut().zip(texts).zip(GROUPS);
                let names = names.map(|((group, text), name)| {
                    let value = value_name(name, &text);
                    group.add(text);
                    value
                });
                names.collect::<Vec<_>>().join(" ")
            };
            let unknown = describe(None);
            let mut table = vec![format!("any other model: {unknown}")];
            let mut by_facts: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for model in MODELS.lines() {
                let facts = describe(Some(model));
                if facts != unknown {
                    by_facts.entry(facts).or_default().push(model);
                }
            }
            for (facts, models) in by_facts {
                table.push(format!("{facts}: {}", models.join(" ")));
            }
            let name = format!("{} {}", dialect.0, flavor.unwrap_or("(no flavor)"));
            match tables.iter_mut().find(|(_, known)| *known == table) {
                Some((names, _)) => *names = format!("{names}, {name}"),
                None => tables.push((name, table)),
            }
        }
    }
    out.push_str("\n# What targets accept\n");
    for (group, name) in groups.iter().zip(GROUPS) {
        group.render(name, out, long_values);
    }
    out.push_str("\n# Targets\n");
    for (names, table) in tables {
        writeln!(out, "\n## {names}\n{}", table.join("\n")).unwrap();
    }
}

fn describe_groups(profile: &Profile) -> [String; 9] {
    [
        describe(&profile.cache),
        describe(&profile.calls),
        describe(&profile.fields),
        describe(&profile.media),
        describe(&profile.settings),
        describe(&profile.roles),
        describe(&profile.texts),
        describe(&profile.reasoning),
        describe(&profile.tools),
    ]
}

/// The text of a value, without addresses of functions, which differ in every run.
fn describe(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    let Some((before, address)) = text.split_once("Some(0x") else { return text };
    let rest = address.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    format!("{before}Some(fn{rest}")
}

/// The distinct values of one group of facts.
#[derive(Default)]
struct Group {
    values: Vec<String>,
}

impl Group {
    fn add(&mut self, value: String) {
        if !self.values.contains(&value) {
            self.values.push(value);
        }
    }

    fn value_name(&self, name: &str, number: usize) -> String {
        value_name(name, &self.values[number])
    }

    /// The first value with all fields, each other one with the fields that differ from the nearest
    /// value before it.
    fn render(&self, name: &str, out: &mut String, long_values: &mut BTreeMap<String, String>) {
        let values: Vec<Vec<(String, String)>> =
            self.values.iter().map(|value| flatten(value)).collect();
        for (number, fields) in values.iter().enumerate() {
            let different = |base: &Vec<(String, String)>| -> Vec<(String, String)> {
                fields.iter().filter(|field| !base.contains(field)).cloned().collect()
            };
            let bases = values[..number].iter().map(different).enumerate();
            match bases.min_by_key(|(_, difference)| difference.len()) {
                None => {
                    writeln!(out, "\n## {}", self.value_name(name, number)).unwrap();
                    write_fields(out, fields, long_values);
                }
                Some((base, difference)) => {
                    let base = self.value_name(name, base);
                    writeln!(out, "\n## {} = {base} with", self.value_name(name, number)).unwrap();
                    write_fields(out, &difference, long_values);
                }
            }
        }
    }
}

/// A name that depends on nothing but the value.
fn value_name(group: &str, value: &str) -> String {
    format!("{group}-{:06x}", hash(value) & 0x00ff_ffff)
}

fn write_fields(
    out: &mut String,
    fields: &[(String, String)],
    long_values: &mut BTreeMap<String, String>,
) {
    for (name, value) in fields {
        writeln!(out, "{name}: {}", name_long_values(value, long_values)).unwrap();
    }
}

/// Names of models, such that every pattern of every table has some that match and some that nearly do.
const MODELS: &str = include_str!("models.txt");

const GROUPS: [&str; 9] =
    ["cache", "calls", "fields", "media", "settings", "roles", "texts", "reasoning", "tools"];

const HEADER: &str = "\
What is known of every provider, flavor and model. Written by
`UPDATE_DOCS=1 cargo test -p interlingua-providers --test provider_facts`.
";
