//! Schemas and arguments made to stall or crash: each is decided or given up, quickly.

use std::time::{Duration, Instant};

use interlingua_guard::schema::{Limits, Schema};
use interlingua_guard::{Beyond, Mode};
use interlingua_wire::Json;

use crate::{READ_FILE, found, kind, watch};

/// What becomes of a value: whether it was decided, and how.
fn decided(schema: &str, value: &str) -> Result<bool, Beyond> {
    let began = Instant::now();
    let schema = Json::parse(schema).unwrap();
    let outcome = Schema::compile(&schema, &Limits::default()).and_then(|schema| {
        let value = Json::parse(value).unwrap();
        Ok(schema.check(value.doc().root())?.violations.is_empty())
    });
    let took = began.elapsed();
    assert!(took < PATIENCE, "{took:?} for {}", &schema.as_str()[..schema.as_str().len().min(200)]);
    outcome
}

fn nested(open: &str, inside: &str, close: &str, levels: usize) -> String {
    format!("{}{inside}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_deep_schema_is_not_compiled() {
    let deep = nested(r#"{"items":"#, "{}", "}", 100);
    assert_eq!(decided(&deep, "[]"), Err(Beyond::SchemaDepth));
    let fine = nested(r#"{"items":"#, "{}", "}", 60);
    assert_eq!(decided(&fine, "[]"), Ok(true));
}

#[test]
fn a_large_schema_is_not_compiled() {
    let large = format!(r#"{{"description":"{}"}}"#, "a".repeat(300_000));
    assert_eq!(decided(&large, "{}"), Err(Beyond::SchemaSize));
    let watch = watch(Mode::Answer, &[("t", &large)]);
    let finding = found(&watch, "t", "{}").unwrap();
    assert_eq!(
        (finding.kind.name(), finding.done(), finding.answer()),
        ("not-checked", "not-checked", None)
    );
    // That it is no object shows all the same.
    assert_eq!(kind(&watch, "t", "{"), "truncated");
    assert!(watch.schemas.is_empty());
}

#[test]
fn a_costly_schema_is_not_compiled() {
    let one = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let wide = format!(r#"{{"anyOf":[{}]}}"#, vec![one; 4000].join(","));
    assert_eq!(decided(&wide, "{}"), Err(Beyond::SchemaCost));
    let names: Vec<String> = (0..20_000).map(|n| format!("\"p{n}\"")).collect();
    let required = format!(r#"{{"required":[{}]}}"#, names.join(","));
    assert_eq!(decided(&required, "{}"), Err(Beyond::SchemaCost));
    let patterns = format!(r#"{{"allOf":[{}]}}"#, vec![r#"{"pattern":"a"}"#; 2000].join(","));
    assert_eq!(decided(&patterns, "\"\""), Err(Beyond::SchemaCost));
}

#[test]
fn references_in_a_circle_end() {
    let circle =
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##;
    assert_eq!(decided(circle, "{}"), Err(Beyond::Steps));
    assert_eq!(decided(r##"{"$ref":"#"}"##, "{}"), Err(Beyond::Steps));
    assert_eq!(decided(r##"{"not":{"$ref":"#"}}"##, "{}"), Err(Beyond::Steps));
}

#[test]
fn a_long_chain_of_references_takes_no_stack() {
    let mut chain: Vec<String> =
        (0..2000).map(|n| format!(r##""d{n}":{{"$ref":"#/$defs/d{}"}}"##, n + 1)).collect();
    chain.push(r#""d2000":{}"#.to_owned());
    let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{}}}}}"##, chain.join(","));
    assert!(decided(&schema, "{}").is_err());
}

#[test]
fn alternatives_that_double_at_every_level_end() {
    // Thirteen hundred bytes that a naive checker takes ever longer for.
    let defs: Vec<String> = (0..30)
        .map(|n| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
            format!(r#""d{n}":{{"anyOf":[{next},{next}]}}"#)
        })
        .collect();
    let schema = format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d30":false}}}}"##, defs.join(","));
    assert_eq!(decided(&schema, "{}"), Err(Beyond::Steps));
    let twice = r##"{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"type":"array"}"##;
    assert_eq!(decided(twice, &nested("[", "1", "]", 100)), Err(Beyond::Steps));
}

#[test]
fn patterns_take_linear_time_or_are_left_out() {
    let text = format!("\"{}!\"", "a".repeat(16_000));
    for pattern in
        ["(a+)+$", "(a|a)*$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(x+x+)+y", "(a|b)*a(a|b){40}$"]
    {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        assert!(decided(&schema, &text).is_ok(), "{pattern}");
    }
    for pattern in
        ["((a{100}){100}){100}", "(((a{50}){50}){50}){50}", "a{100000}", "\\\\p{L}{1000}"]
    {
        let schema = format!(r#"{{"pattern":"{pattern}"}}"#);
        assert_eq!(decided(&schema, "\"a\""), Ok(true), "{pattern}");
    }
    let long = format!(r#"{{"pattern":"{}"}}"#, "(a|".repeat(3000));
    assert_eq!(decided(&long, "\"a\""), Ok(true));
}

#[test]
fn many_slow_patterns_over_many_texts_are_given_up() {
    let patterns: Vec<String> =
        (0..100).map(|n| format!(r#"{{"pattern":"(a|b)*a(a|b){{{}}}$"}}"#, 20 + n % 20)).collect();
    let schema = format!(r#"{{"items":{{"allOf":[{}]}}}}"#, patterns.join(","));
    let text = format!("\"{}\"", "ab".repeat(4000));
    let texts = format!("[{}]", vec![text; 100].join(","));
    assert!(decided(&schema, &texts).is_err());
}

#[test]
fn large_arguments_are_not_checked() {
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    let large = format!(r#"{{"target_file":"{}"}}"#, "a".repeat(5 * 1024 * 1024));
    assert_eq!(kind(&watch, "read_file", &large), "not-checked");
    let fine = format!(r#"{{"target_file":"{}"}}"#, "a".repeat(3 * 1024 * 1024));
    let began = Instant::now();
    assert_eq!(kind(&watch, "read_file", &fine), "");
    assert!(began.elapsed() < PATIENCE);
}

#[test]
fn wide_arguments_are_decided_in_time() {
    let items = vec!["1"; 500_000].join(",");
    let value = format!("[{items}]");
    assert_eq!(decided(r#"{"items":{"type":"integer"}}"#, &value), Ok(true));
    assert!(decided(r#"{"uniqueItems":true}"#, &value).is_ok());
    let fields: Vec<String> = (0..50_000).map(|n| format!("\"f{n}\":1")).collect();
    let value = format!("{{{}}}", fields.join(","));
    let names: Vec<String> = (0..4000).map(|n| format!("\"f{n}\"")).collect();
    let _ = decided(&format!(r#"{{"required":[{}]}}"#, names.join(",")), &value);
    let _ = decided(r#"{"propertyNames":{"pattern":"^f"},"additionalProperties":false}"#, &value);
}

#[test]
fn many_mistakes_make_no_long_answer() {
    let fields: Vec<String> = (0..5000).map(|n| format!("\"{}{n}\":1", "x".repeat(500))).collect();
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    let finding = found(&watch, "read_file", &format!("{{{}}}", fields.join(","))).unwrap();
    assert!(finding.answer().unwrap().len() < 6000);
    assert!(finding.violations.len() <= 16);
}

/// Far more than any of them takes where the machine is free.
const PATIENCE: Duration = Duration::from_secs(3);
