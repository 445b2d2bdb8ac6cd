//! `docs/STRICT.md` is up to date, and rules are complete.

use std::path::Path;
use std::{env, fs};

use interlingua_strict::{ALL, docs};

#[test]
fn the_document_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/STRICT.md");
    let table = docs::markdown();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &table).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == table, "docs/STRICT.md is old: run the tests with UPDATE_DOCS=1");
}

#[test]
fn rules_have_valid_names_and_texts() {
    for judge in ALL {
        let mut names: Vec<_> = judge.rules.iter().map(|rule| rule.name).collect();
        for rule in judge.rules.iter() {
            let is_kebab_case = rule.name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'));
            assert!(is_kebab_case, "{}: {} is not in kebab case", judge.dialect, rule.name);
            assert!(
                rule.condition.ends_with('.'),
                "{}: {} needs a condition in one sentence",
                judge.dialect,
                rule.name
            );
            assert!(!rule.error_message.is_empty() && !rule.source.is_empty(), "{}", rule.name);
            assert!((400..600).contains(&rule.status), "{}", rule.name);
        }
        for (check, _) in judge.checks {
            let is_used =
                judge.rules.iter().any(|rule| rule.check_name.replace('-', "_") == *check);
            assert!(is_used, "{}: {check} checks no rule", judge.dialect);
        }
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}: two rules have the same name", judge.dialect);
        assert!(!judge.flavors.is_empty());
    }
}

/// `tests/sdk/test_judge_fields.py` compares the file with the types of the providers' packages.
#[test]
fn the_list_of_fields_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sdk/judge_fields.json");
    let fields = docs::object_fields();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &fields).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == fields, "{path:?} is old: run the tests with UPDATE_DOCS=1");
}
