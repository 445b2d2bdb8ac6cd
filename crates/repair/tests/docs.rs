//! Checks that docs/REPAIRS.md is up to date and that every rule is documented.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;
use std::{env, fs};

use interlingua_repair::{RuleInfo, all_rules, docs};

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
    for rule in all_rules() {
        let page = docs::parse_rule_page(&read(&docs::rule_file(&rule)));
        assert!(!page.summary.is_empty(), "{} has no summary", rule.name);
        for part in ["## Why\n", "## Example\n"] {
            assert!(page.body.contains(part), "{} has no {part}", rule.name);
        }
    }
}

#[test]
fn rule_names_are_unique() {
    let rules: Vec<RuleInfo> = all_rules().collect();
    for (at, rule) in rules.iter().enumerate() {
        let is_duplicate = rules[at + 1..].iter().any(|other| other.name == rule.name);
        assert!(!is_duplicate, "{} is not unique", rule.name);
    }
}

#[test]
fn every_rule_runs_after_the_rules_that_it_names() {
    let rules: Vec<RuleInfo> = all_rules().collect();
    for (at, rule) in rules.iter().enumerate() {
        for name in rule.after {
            let earlier = rules[..at].iter().find(|earlier| earlier.name == *name);
            let earlier =
                earlier.unwrap_or_else(|| panic!("{} does not run after {name}", rule.name));
            // Within a group, the order of the list counts.
            assert!(earlier.group != rule.group, "{} names {name} of its own group", rule.name);
        }
    }
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
