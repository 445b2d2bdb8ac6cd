//! The page about the repairs says what the rules say, and every rule says why.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::{env, fs};

use interlingua_repair::{ALL, Apply, Rule, docs};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/REPAIRS.md");
    let page = docs::repairs(read);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, page).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "UPDATE_DOCS=1 cargo test -p interlingua-repair writes the page anew");
}

#[test]
fn every_rule_says_why_and_shows_an_example() {
    for rule in ALL {
        let page = docs::page(&read(&docs::file(rule.name, rule.stage)));
        assert!(!page.summary.is_empty(), "{} says nothing", rule.name);
        for part in ["## Why\n", "## Example\n"] {
            assert!(page.text.contains(part), "{} has no {part}", rule.name);
        }
    }
}

#[test]
fn every_name_is_there_once() {
    for (at, rule) in ALL.iter().enumerate() {
        let twice = ALL.iter().skip(at + 1).any(|other| other.name == rule.name);
        assert!(!twice, "{} is there twice", rule.name);
    }
}

#[test]
fn rules_for_the_body_as_it_came_stand_before_all_others() {
    let is_first = |rule: &Rule| matches!(rule.apply, Apply::Body(_));
    assert!(ALL.first().is_some_and(is_first));
    assert!(ALL.is_sorted_by_key(|rule| !is_first(rule)));
}

#[test]
fn every_name_that_dialects_note_is_on_the_page() {
    let source = read(docs::NOTES);
    let notes = docs::notes(&source);
    assert_eq!(notes.len(), source.matches("pub const ").count());
    let page = docs::repairs(read);
    for (name, about) in notes {
        assert!(!about.is_empty(), "{name} says nothing");
        assert!(page.contains(&format!("| `{name}` | {about} |")), "{name}");
    }
}
