//! Schemas and arguments made to exhaust time or stack: each is decided or given up quickly.

use std::time::{Duration, Instant};

use interlingua_guard::schema::{Schema, ValidationLimits};
use interlingua_guard::{GuardMode, SkipReason};
use interlingua_wire::RawJson;

use crate::{READ_FILE, call_checker, finding, kind};

/// Whether a value is valid, or why it was not checked; fails if that takes too long.
fn check_outcome(schema: &str, value: &str) -> Result<bool, SkipReason> {
    let started = Instant::now();
    let schema = RawJson::parse(schema).unwrap();
    let outcome = Schema::compile(&schema, &ValidationLimits::default()).and_then(|schema| {
        let value = RawJson::parse(value).unwrap();
        Ok(schema.check(value.to_doc().root())?.violations.is_empty())
    });
    let elapsed = started.elapsed();
    assert!(
        elapsed < MAX_CHECK_TIME,
        "{elapsed:?} for {}",
        &schema.as_str()[..schema.as_str().len().min(200)]
    );
    outcome
}

fn nested(open: &str, inside: &str, close: &str, levels: usize) -> String {
    format!("{}{inside}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_deep_schema_is_not_compiled() {
    let deep = nested(r#"{"items":"#, "{}", "}", 100);
    assert_eq!(check_outcome(&deep, "[]"), Err(SkipReason::SchemaTooDeep));
    let shallow = nested(r#"{"items":"#, "{}", "}", 60);
    assert_eq!(check_outcome(&shallow, "[]"), Ok(true));
}

#[test]
fn a_large_schema_is_not_compiled() {
    let large = format!(r#"{{"description":"{}"}}"#, "a".repeat(300_000));
    assert_eq!(check_outcome(&large, "{}"), Err(SkipReason::SchemaTooLarge));
    let checker = call_checker(GuardMode::Answer, &[("t", &large)]);
    let finding = finding(&checker, "t", "{}").unwrap();
    assert_eq!(
        (finding.kind.name(), finding.action_name(), finding.answer_message()),
        ("not-checked", "not-checked", None)
    );
    // Arguments that are no object are found without the schema.
    assert_eq!(kind(&checker, "t", "{"), "truncated");
    assert!(checker.schema_cache.is_empty());
}

#[test]
fn a_costly_schema_is_not_compiled() {
    let branch = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let wide = format!(r#"{{"anyOf":[{}]}}"#, vec![branch; 4000].join(","));
    assert_eq!(check_outcome(&wide, "{}"), Err(SkipReason::SchemaTooCostly));
    let names: Vec<String> = (0..20_000).map(|n| format!("\"p{n}\"")).collect();
    let required = format!(r#"{{"required":[{}]}}"#, names.join(","));
    assert_eq!(check_outcome(&required, "{}"), Err(SkipReason::SchemaTooCostly));
    let patterns = format!(r#"{{"allOf":[{}]}}"#, vec![r#"{"pattern":"a"}"#; 2000].join(","));
    assert_eq!(check_outcome(&patterns, "\"\""), Err(SkipReason::SchemaTooCostly));
}

#[test]
fn references_in_a_circle_end() {
    let circle =
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##;
    assert_eq!(check_outcome(circle, "{}"), Err(SkipReason::TooManySteps));
    assert_eq!(check_outcome(r##"{"$ref":"#"}"##, "{}"), Err(SkipReason::TooManySteps));
    assert_eq!(check_outcome(r##"{"not":{"$ref":"#"}}"##, "{}"), Err(SkipReason::TooManySteps));
}

#[test]
fn a_long_chain_of_references_takes_no_stack() {
    let mut chain: Vec<String> =
        (0..2000).map(|n| format!(r##""d{n}":{{"$ref":"#/$defs/d{}"}}"##, n + 1)).collect();
    chain.push(r#""d2000":{}"#.to_owned());
    let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, chain.join(","));
    assert!(check_outcome(&schema, "{}").is_err());
}

#[test]
fn alternatives_that_double_at_every_level_end() {
    // 1,300 bytes for which a naive checker takes exponential time.
    let defs: Vec<String> = (0..30)
        .map(|n| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
            format!(r#""d{n}":{{"anyOf":[{next},{next}]}}"#)
        })
        .collect();
    let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d30":false}}}}"##, defs.join(","));
    assert_eq!(check_outcome(&schema, "{}"), Err(SkipReason::TooManySteps));
    let twice = r##"{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"type":"array"}"##;
    assert_eq!(check_outcome(twice, &nested("[", "1", "]", 100)), Err(SkipReason::TooManySteps));
}

#[test]
fn patterns_take_linear_time_or_are_left_out() {
    let text = format!("\"{}!\"", "a".repeat(16_000));
    for pattern in
        ["(a+)+$", "(a|a)*$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(a|b)*a(a|b){40}$"]
    {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        assert!(check_outcome(&schema, &text).is_ok(), "{pattern}");
    }
    for pattern in
        ["((a{100}){100}){100}", "(((a{50}){50}){50}){50}", "a{100000}", "\\\\p{L}{1000}"]
    {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        assert_eq!(check_outcome(&schema, "\"a\""), Ok(true), "{pattern}");
    }
    let long = format!(r#"{{"pattern":"{}"}}"#, "(a|".repeat(3000));
    assert_eq!(check_outcome(&long, "\"a\""), Ok(true));
}

#[test]
fn many_slow_patterns_over_many_texts_are_given_up() {
    let patterns: Vec<String> =
        (0..100).map(|n| format!(r#"{{"pattern":"(a|b)*a(a|b){{{}}}$"}}"#, 20 + n % 20)).collect();
    let schema = format!(r#"{{"items":{{"allOf":[{}]}}}}"#, patterns.join(","));
    let text = format!("\"{}\"", "ab".repeat(4000));
    let texts = format!("[{}]", vec![text; 100].join(","));
    assert!(check_outcome(&schema, &texts).is_err());
}

#[test]
fn large_arguments_are_not_checked() {
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    let large = format!(r#"{{"target_file":"{}"}}"#, "a".repeat(5 * 1024 * 1024));
    assert_eq!(kind(&checker, "read_file", &large), "not-checked");
    let small = format!(r#"{{"target_file":"{}"}}"#, "a".repeat(3 * 1024 * 1024));
    let started = Instant::now();
    assert_eq!(kind(&checker, "read_file", &small), "");
    assert!(started.elapsed() < MAX_CHECK_TIME);
}

#[test]
fn wide_arguments_are_decided_in_time() {
    let items = vec!["1"; 500_000].join(",");
    let value = format!("[{items}]");
    assert_eq!(check_outcome(r#"{"items":{"type":"integer"}}"#, &value), Ok(true));
    assert!(check_outcome(r#"{"uniqueItems":true}"#, &value).is_ok());
    let fields: Vec<String> = (0..50_000).map(|n| format!("\"f{n}\":1")).collect();
    let value = format!("{{{}}}", fields.join(","));
    let names: Vec<String> = (0..4000).map(|n| format!("\"f{n}\"")).collect();
    let _ = check_outcome(&format!(r#"{{"required":[{}]}}"#, names.join(",")), &value);
    let _ =
        check_outcome(r#"{"propertyNames":{"pattern":"^f"},"additionalProperties":false}"#, &value);
}

#[test]
fn many_violations_make_no_long_answer() {
    let fields: Vec<String> = (0..5000).map(|n| format!("\"{}{n}\":1", "x".repeat(500))).collect();
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    let finding = finding(&checker, "read_file", &format!("{{{}}}", fields.join(","))).unwrap();
    assert!(finding.answer_message().unwrap().len() < 6000);
    assert!(finding.violations.len() <= 16);
}

/// Much longer than any of the checks takes on an idle machine.
const MAX_CHECK_TIME: Duration = Duration::from_secs(3);
