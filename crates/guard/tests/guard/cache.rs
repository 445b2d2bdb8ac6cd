//! Schemas are compiled once, and not too many are kept.

use std::sync::Arc;

use interlingua_guard::{Limits, Mode, Schemas};

use crate::{NOW, READ_FILE, kind, watch};

#[test]
fn only_what_is_called_is_compiled_and_only_once() {
    let watch = watch(Mode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    assert!(watch.schemas.is_empty());
    for _ in 0..3 {
        kind(&watch, "now", "{}");
    }
    assert_eq!(watch.schemas.len(), 1);
    kind(&watch, "read_file", "{}");
    assert_eq!(watch.schemas.len(), 2);
}

#[test]
fn the_oldest_make_room() {
    let schemas = Arc::new(Schemas::new(3, 1000));
    for number in 0..10 {
        let schema = format!(r#"{{"minProperties":{number}}}"#);
        let mut watch = watch(Mode::Answer, &[("t", &schema)]);
        watch.schemas = Arc::clone(&schemas);
        kind(&watch, "t", "{}");
        assert!(schemas.len() <= 3);
    }
    let long = format!(r#"{{"description":"{}"}}"#, "a".repeat(2000));
    let mut watch = watch(Mode::Answer, &[("t", &long)]);
    watch.schemas = Arc::clone(&schemas);
    assert_eq!(kind(&watch, "t", "{}"), "");
    assert!(schemas.is_empty(), "what is larger than the room is not kept");
}

#[test]
fn other_limits_are_another_question() {
    let mut watch = watch(Mode::Answer, &[("read_file", READ_FILE)]);
    assert_eq!(kind(&watch, "read_file", "{}"), "empty-arguments");
    watch.limits = Limits { cost: 3, ..Limits::default() };
    assert_eq!(kind(&watch, "read_file", "{}"), "not-checked");
}
