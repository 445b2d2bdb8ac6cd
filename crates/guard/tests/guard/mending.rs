//! Mending is lossless, and happens only if the call is valid afterwards.

use interlingua_guard::{GuardAction, GuardMode};
use interlingua_model::{Block, BlockContent, Seal};

use crate::{NOW, READ_FILE, call, call_checker, finding, mended_call};

#[test]
fn calls_are_mended_where_that_loses_nothing() {
    let checker = call_checker(GuardMode::Mend, &[("read_file", READ_FILE), ("now", NOW)]);
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
        assert_eq!(mended_call(&checker, name, arguments), expected, "{name} {arguments}");
    }
}

#[test]
fn calls_that_would_still_be_invalid_are_answered_instead() {
    let checker = call_checker(GuardMode::Mend, &[("read_file", READ_FILE)]);
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
        let finding = finding(&checker, name, arguments).unwrap();
        assert!(
            matches!(finding.action, GuardAction::Answered(_)),
            "{name} {arguments}: {finding:?}"
        );
    }
}

#[test]
fn other_modes_mend_nothing() {
    for mode in [GuardMode::Observe, GuardMode::Answer] {
        let checker = call_checker(mode, &[("read_file", READ_FILE)]);
        assert_eq!(mended_call(&checker, "READ_FILE", r#"{"target_file":"a"}"#), None);
        assert!(!checker.may_mend(&"read_file".into()));
    }
}

#[test]
fn a_call_that_may_be_mended_waits_and_others_do_not() {
    let mut checker = call_checker(GuardMode::Answer, &[("read_file", READ_FILE), ("now", NOW)]);
    checker.modes.per_tool.push(("now".to_owned(), GuardMode::Mend));
    assert!(checker.may_mend(&"now".into()));
    assert!(checker.may_mend(&"NOW".into()));
    assert!(!checker.may_mend(&"read_file".into()));
}

#[test]
fn sealed_calls_are_answered_instead() {
    let checker = call_checker(GuardMode::Mend, &[("now", NOW)]);
    let block = Block::new(BlockContent::ToolCall(call("NOW", "")));
    let finding = checker.check_block(&block).unwrap();
    assert_eq!(finding.call, call("NOW", ""));
    assert_eq!(finding.action, GuardAction::Mended(Box::new(call("now", "{}"))));
    let seal = Seal::new("issuer".into(), "data".into());
    let finding = checker.check_block(&block.with_seal(Some(seal))).unwrap();
    assert!(finding.answer_message().is_some());
    assert!(checker.check_block(&Block::text("NOW".into())).is_none());
}

#[test]
fn a_name_is_mended_where_arguments_cannot_be_checked() {
    let large = format!(r#"{{"description":"{}"}}"#, "a".repeat(300_000));
    let checker = call_checker(GuardMode::Mend, &[("read", &large)]);
    assert_eq!(mended_call(&checker, "READ", "{}"), Some(("read".to_owned(), "{}".to_owned())));
}
