//! Prints a page for each provider: address, key, models, how it differs, and the cases that show it.
//!
//! `UPDATE_DOCS=1 cargo test -p interlingua-providers --test pages` writes them.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use interlingua_model::{DialectId, Lessons};
use interlingua_providers::facts::{Fact as _, FactNode, KeyDescription};
use interlingua_providers::preset::ProviderPreset;
use interlingua_providers::printed::{TracedFact, trace};
use interlingua_providers::profile::Profile;
use interlingua_providers::quirks::to_node;
use interlingua_providers::spelling::{anthropic, openai_chat};
use interlingua_providers::{Layer, PRESETS, Variant, resolve};
use interlingua_wire::{JsonDoc, JsonLimits, JsonString};

/// What a case of the corpus shows, by dialect and flavor.
type Cases = BTreeMap<(String, String), Vec<String>>;

#[test]
fn every_provider_has_a_page() {
    let docs = root().join("docs");
    let cases = read_cases();
    let mut pages = BTreeMap::new();
    for preset in PRESETS {
        pages.insert(docs.join(page_name(preset)), page(preset, &cases));
    }
    let summary = docs.join("SUMMARY.md");
    pages.insert(summary.clone(), list_pages(&read(&summary)));
    pages.insert(docs.join("PROVIDERS.md"), index());
    let folder = docs.join("providers");
    for entry in fs::read_dir(&folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        assert!(pages.contains_key(&path), "{} has no provider", path.display());
    }
    for (path, page) in pages {
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(&path, page).expect("written");
        } else {
            let known = fs::read_to_string(&path).unwrap_or_default();
            assert!(known == page, "{} is old: {UPDATE}", path.display());
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a text")
}

fn page_name(preset: &ProviderPreset) -> String {
    format!("providers/{}.md", preset.name.replace('.', "-"))
}

/// The summary with one line for each page below that of all providers.
fn list_pages(summary: &str) -> String {
    let mut out = String::new();
    for line in summary.lines().filter(|line| !line.contains("](providers/")) {
        let _ = writeln!(out, "{line}");
        if line.contains("](PROVIDERS.md)") {
            for preset in PRESETS {
                let _ = writeln!(out, "  - [{}]({})", preset.name, page_name(preset));
            }
        }
    }
    out
}

fn index() -> String {
    let mut out = format!(
        "# Providers\n\n{NOTE}\n{INTRODUCTION}\n| name | dialects | key |\n|---|---|---|\n"
    );
    for preset in PRESETS {
        let (name, page) = (preset.name, page_name(preset));
        let _ = writeln!(out, "| [{name}]({page}) | {} | {} |", dialects(preset), key(preset));
    }
    out
}

fn page(preset: &ProviderPreset, cases: &Cases) -> String {
    let mut out = format!("# {}\n\n{NOTE}\n{}\n", preset.name, description(preset));
    let _ = writeln!(out, "| | |\n|---|---|\n| dialects | {} |", dialects(preset));
    let _ = writeln!(out, "| address | `{}` |", preset.base_url);
    let _ = writeln!(out, "| key | {} |", key(preset));
    if !preset.model_patterns.is_empty() {
        let _ = writeln!(out, "| models | {} |", quoted(preset.model_patterns));
    }
    let alternates = preset.alternates.iter().map(|other| (other.dialect, other.flavor));
    for (dialect, flavor) in [(preset.dialect, preset.flavor)].into_iter().chain(alternates) {
        out += &differences(preset, dialect, flavor);
        let key = (dialect.to_owned(), flavor.unwrap_or_default().to_owned());
        let is_own = preset.variants.iter().any(|variant| Some(variant.flavor) == flavor);
        if let Some(cases) = cases.get(&key).filter(|_| is_own) {
            let _ = writeln!(out, "\n### Why\n");
            for case in cases {
                let _ = writeln!(out, "- {case}");
            }
        }
    }
    out
}

fn dialects(preset: &ProviderPreset) -> String {
    let alternates = preset.alternates.iter().map(|other| other.dialect);
    quoted(&[preset.dialect].into_iter().chain(alternates).collect::<Vec<_>>())
}

fn key(preset: &ProviderPreset) -> String {
    if preset.key_vars.is_empty() { "none".into() } else { quoted(preset.key_vars) }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The head of the provider's file: what it is, and where its facts are from.
fn description(preset: &ProviderPreset) -> String {
    let file = preset.name.replace(['.', '-'], "_");
    let path = format!("{}/src/registry/{file}.rs", env!("CARGO_MANIFEST_DIR"));
    let source = read(Path::new(&path));
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    lines.fold(String::new(), |text, line| text + line.trim() + "\n")
}

/// The facts that are not those of the dialect's vendor, for all models and for some.
fn differences(
    preset: &ProviderPreset,
    dialect: &'static str,
    flavor: Option<&'static str>,
) -> String {
    let id = DialectId(dialect);
    let facts = trace(id, flavor, None, &Lessons::default()).expect("a dialect with providers");
    let mut out = format!("\n## As `{dialect}`\n\n");
    let vendor = to_node(id, None, None, &Lessons::default()).expect("a dialect with providers");
    let vendor_value = |fact: &TracedFact| vendor.get(&fact.group)?.get(&fact.key);
    let changed = facts.iter().filter(|fact| vendor_value(fact) != Some(&fact.value));
    let rows: String = changed.map(|fact| row(dialect, fact)).collect();
    if rows.is_empty() {
        out += "It accepts what the vendor of the dialect accepts.\n";
    } else {
        let _ = write!(out, "| fact | value | |\n|---|---|---|\n{rows}");
    }
    let variants = preset.variants.iter();
    for variant in
        variants.filter(|variant| variant.dialect == dialect && Some(variant.flavor) == flavor)
    {
        out += &models(variant, id, flavor);
    }
    out
}

/// What differs for some models.
fn models(variant: &Variant, dialect: DialectId, flavor: Option<&'static str>) -> String {
    let lessons = Lessons::default();
    let known = resolve(dialect, flavor, None, &lessons).expect("a dialect with providers");
    let mut out = String::new();
    for vendor in variant.vendors {
        let example = vendor.models[0].replace('*', "");
        let resolved = resolve(dialect, flavor, Some(&JsonString::new(&example)), &lessons);
        let changed = resolved.expect("a dialect with providers");
        out += &changed_facts(vendor.models, dialect, &known, &changed);
    }
    for (patterns, patch) in variant.models {
        let mut changed = Profile::clone(&known);
        patch(&mut changed);
        out += &changed_facts(patterns, dialect, &known, &changed);
    }
    out
}

/// The facts that differ for models with these names; nothing if none does.
fn changed_facts(
    patterns: &[&str],
    dialect: DialectId,
    known: &Profile,
    changed: &Profile,
) -> String {
    let (known, changed) = (known.to_node(), changed.to_node());
    let mut rows = String::new();
    for group in changed.entries().unwrap_or_default() {
        for entry in group.node.entries().unwrap_or_default() {
            let before = known.get(&group.key.name).and_then(|group| group.get(&entry.key.name));
            if before != Some(&entry.node) {
                let (group, key) = (group.key.name.clone(), entry.key.name.clone());
                let (value, layer) = (entry.node.clone(), Layer::Model);
                rows += &row(dialect.0, &TracedFact { group, key, value, layer });
            }
        }
    }
    if rows.is_empty() {
        return rows;
    }
    let (models, rows) = (quoted(patterns), rows.trim_end());
    format!("\nFor {models}:\n\n| fact | value | |\n|---|---|---|\n{rows}\n")
}

fn row(dialect: &str, fact: &TracedFact) -> String {
    let doc = describe(dialect, &fact.group, &fact.key).unwrap_or_default();
    let value = value_cell(&fact.value);
    format!("| `{}.{}` | {value} | {} |\n", fact.group, fact.key, doc.trim().replace('|', "\\|"))
}

fn value_cell(value: &FactNode) -> String {
    let text = value.to_string();
    if text.len() > MAX_CELL_CHARS {
        return "a table".into();
    }
    format!("`{}`", text.replace('|', "\\|").replace('`', "'"))
}

fn describe(dialect: &str, group: &str, key: &str) -> Option<&'static str> {
    let keys: Vec<KeyDescription> = match (group, dialect) {
        ("spelling", "anthropic") => anthropic::Flavor::keys(),
        ("spelling", _) => openai_chat::Flavor::keys(),
        _ => (Profile::keys().into_iter().find(|known| known.name == group)?.keys)(),
    };
    keys.into_iter().find(|known| known.name == key).map(|known| known.doc)
}

/// The cases of the corpus that name a flavor.
fn read_cases() -> Cases {
    let mut cases = Cases::new();
    let mut folders = vec![root().join("corpus")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    for file in files {
        let Ok(doc) = JsonDoc::parse(read(&file).into(), JsonLimits::default()) else { continue };
        let string = |key: &str| doc.root().get(key).map(|node| node.str_or_empty().into_owned());
        let (Some(flavor), Some(about), Some(source)) =
            (string("flavor"), string("about"), string("source"))
        else {
            continue;
        };
        let dialect = string("to").filter(|_| string("reply").is_none()).or_else(|| string("from"));
        let line = format!("{}: {}", one_line(&about), one_line(&source));
        let known = cases.entry((dialect.unwrap_or_default(), flavor)).or_default();
        if known.len() < MAX_CASES {
            known.push(line);
        }
    }
    cases
}

/// Text without what Markdown would take for links and tags.
fn one_line(text: &str) -> String {
    let text = text.trim_end_matches('.').split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('<', "\\<").replace('[', "\\[")
}

const NOTE: &str =
    "<!-- Printed by `UPDATE_DOCS=1 cargo test -p interlingua-providers --test pages`. -->\n";

const INTRODUCTION: &str = "\
What is known of each provider by name, and why it is treated as it is. `interlingua providers show NAME` prints all facts; a
configuration can replace each of them ([CONFIGURATION.md](CONFIGURATION.md#quirks)).
";

const UPDATE: &str = "UPDATE_DOCS=1 cargo test -p interlingua-providers --test pages";

/// Longer values are left to `interlingua providers show`.
const MAX_CELL_CHARS: usize = 160;

/// Cases of one flavor on its page.
const MAX_CASES: usize = 40;
