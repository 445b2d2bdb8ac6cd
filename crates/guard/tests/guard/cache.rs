//! Schemas are compiled once, and the cache is bounded.

use std::sync::Arc;

use interlingua_guard::{GuardMode, SchemaCache, ValidationLimits};

use crate::{NOW, READ_FILE, call_checker, kind};

#[test]
fn only_schemas_of_called_tools_are_compiled_and_only_once() {
    let checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    assert!(checker.schema_cache.is_empty());
    for _ in 0..3 {
        kind(&checker, "now", "{}");
    }
    assert_eq!(checker.schema_cache.len(), 1);
    kind(&checker, "read_file", "{}");
    assert_eq!(checker.schema_cache.len(), 2);
}

#[test]
fn the_oldest_schemas_are_evicted() {
    let schemas = Arc::new(SchemaCache::new(3, 1000));
    for number in 0..10 {
        let schema = format!(r#"{{"minProperties":{number}}}"#);
        let mut checker = call_checker(GuardMode::Answer, &[("t", &schema)]);
        checker.schema_cache = Arc::clone(&schemas);
        kind(&checker, "t", "{}");
        assert!(schemas.len() <= 3);
    }
    let long = format!(r#"{{"description":"{}"}}"#, "a".repeat(2000));
    let mut checker = call_checker(GuardMode::Answer, &[("t", &long)]);
    checker.schema_cache = Arc::clone(&schemas);
    assert_eq!(kind(&checker, "t", "{}"), "");
    assert!(schemas.is_empty(), "a schema larger than the cache is not cached");
}

#[test]
fn other_limits_compile_again() {
    let mut checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE)]);
    assert_eq!(kind(&checker, "read_file", "{}"), "empty-arguments");
    checker.limits = ValidationLimits { max_compile_steps: 3, ..ValidationLimits::default() };
    assert_eq!(kind(&checker, "read_file", "{}"), "not-checked");
}
