//! Mending loses nothing, and is done only where the call fits afterwards.

use interlingua_guard::{Done, Mode};
use interlingua_model::{Block, Body, Seal};

use crate::{NOW, READ_FILE, call, found, mended, watch};

#[test]
fn what_can_be_mended_without_loss_is() {
    let watch = watch(Mode::Mend, &[("read_file", READ_FILE), ("now", NOW)]);
    let cases = [
        ("read_file", r#""{\"target_file\":\"a\"}""#, "read_file", r#"{"target_file":"a"}"#),
        ("READ_FILE", r#"{"target_file": "a"}"#, "read_file", r#"{"target_file": "a"}"#),
        ("Now", "", "now", "{}"),
        ("now", "", "now", "{}"),
        (
            "read_file",
            r#"{"target_file":"a","ranges":"[1, 2]","limit": "3"}"#,
            "read_file",
            r#"{"target_file":"a","ranges":[1, 2],"limit": 3}"#,
        ),
    ];
    for (name, arguments, right, expected) in cases {
        let expected = Some((right.to_owned(), expected.to_owned()));
        assert_eq!(mended(&watch, name, arguments), expected, "{name} {arguments}");
    }
}

#[test]
fn what_would_not_fit_afterwards_is_answered_instead() {
    let watch = watch(Mode::Mend, &[("read_file", READ_FILE)]);
    for (name, arguments) in [
        ("read_file", "{}"),
        ("read_file", ""),
        ("read_file", r#""{\"path\":\"a\"}""#),
        ("read_file", r#"{"target_file":"a","limit":"many"}"#),
        ("read_file", r#"{"target_file":"a","limit":"0"}"#),
        ("read_file", r#"{"limit":"3"}"#),
        ("read_file", r#"{"target_file":"a"}{"target_file":"a"}"#),
        ("read_file", r#"{"target_file":"a"#),
        ("functions.read_file", r#"{"target_file":"a"}"#),
        ("READ_FILE", "{}"),
    ] {
        let finding = found(&watch, name, arguments).unwrap();
        assert!(matches!(finding.done, Done::Answered(_)), "{name} {arguments}: {finding:?}");
    }
}

#[test]
fn other_modes_mend_nothing() {
    for mode in [Mode::Observe, Mode::Answer] {
        let watch = watch(mode, &[("read_file", READ_FILE)]);
        assert_eq!(mended(&watch, "READ_FILE", r#"{"target_file":"a"}"#), None);
        assert!(!watch.may_mend(&"read_file".into()));
    }
}

#[test]
fn a_call_that_may_be_mended_waits_and_others_do_not() {
    let mut watch = watch(Mode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    watch.modes.tools.push(("now".to_owned(), Mode::Mend));
    assert!(watch.may_mend(&"now".into()));
    assert!(watch.may_mend(&"NOW".into()));
    assert!(!watch.may_mend(&"read_file".into()));
}

#[test]
fn what_is_sealed_is_answered_instead() {
    let watch = watch(Mode::Mend, &[("now", NOW)]);
    let block = Block::new(Body::ToolCall(call("NOW", "")));
    let finding = watch.look(&block).unwrap();
    assert_eq!(finding.call, call("NOW", ""));
    assert_eq!(finding.done, Done::Mended(Box::new(call("now", "{}"))));
    let seal = Seal::new("issuer".into(), "data".into());
    let finding = watch.look(&block.sealed(Some(seal))).unwrap();
    assert!(finding.answer().is_some());
    assert!(watch.look(&Block::text("NOW".into())).is_none());
}

#[test]
fn a_name_is_mended_where_arguments_cannot_be_checked() {
    let large = format!(r#"{{"description":"{}"}}"#, "a".repeat(300_000));
    let watch = watch(Mode::Mend, &[("read", &large)]);
    assert_eq!(mended(&watch, "READ", "{}"), Some(("read".to_owned(), "{}".to_owned())));
}
