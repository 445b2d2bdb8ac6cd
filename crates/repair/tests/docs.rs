//! Checks that docs/REPAIRS.md is up to date and that every rule is documented.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::{env, fs};

use interlingua_repair::{ALL, Rule, RuleFn, docs};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/REPAIRS.md");
    let page = docs::render_repairs(read);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, page).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "UPDATE_DOCS=1 cargo test -p interlingua-repair updates the page");
}

#[test]
fn every_rule_has_a_reason_and_an_example() {
    for rule in ALL {
        let page = docs::parse_rule_page(&read(&docs::rule_file(rule.name, rule.kind)));
        assert!(!page.summary.is_empty(), "{} has no summary", rule.name);
        for part in ["## Why\n", "## Example\n"] {
            assert!(page.body.contains(part), "{} has no {part}", rule.name);
        }
    }
}

#[test]
fn rule_names_are_unique() {
    for (at, rule) in ALL.iter().enumerate() {
        let is_duplicate = ALL.iter().skip(at + 1).any(|other| other.name == rule.name);
        assert!(!is_duplicate, "{} is not unique", rule.name);
    }
}

#[test]
fn raw_body_rules_come_first() {
    let is_first = |rule: &Rule| matches!(rule.apply, RuleFn::RawBody(_));
    assert!(ALL.first().is_some_and(is_first));
    assert!(ALL.is_sorted_by_key(|rule| !is_first(rule)));
}

#[test]
fn every_translation_note_is_on_the_page() {
    let source = read(docs::NOTES_FILE);
    let notes = docs::parse_notes(&source);
    assert_eq!(notes.len(), source.matches("pub const ").count());
    let page = docs::render_repairs(read);
    for (name, docs) in notes {
        assert!(!docs.is_empty(), "{name} has no documentation");
        assert!(page.contains(&format!("| `{name}` | {docs} |")), "{name}");
    }
}
