//! Content of any type is converted on load, when messages are built, and before the call.

use crate::{Translation, field, rules};

/// A server that accepts only string content.
const STRINGS: Translation =
    Translation { from: "openai-chat", to: "openai-chat", flavor: Some("generic"), model: None };

const CALL: &str = r#"{"id":"call_1","type":"function","function":{"name":"ls","arguments":"{}"}}"#;

fn messages(list: &str) -> String {
    format!(r#"{{"model":"m","messages":[{list}]}}"#)
}

#[test]
fn an_object_or_a_list_becomes_a_string() {
    let body = messages(
        r#"{"role":"user","content":{"text":"hi"}},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"user","content":{"rows":3}}"#,
    );
    let (sent, _) = STRINGS.send(&body);
    let expected = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"a\n\nb"},{"role":"user","content":"{\"rows\":3}"}]"#;
    assert_eq!(field(&sent, "messages"), expected);
}

#[test]
fn another_type_becomes_a_string() {
    let body = messages(
        r#"{"role":"user","content":7},{"role":"assistant","content":true},{"role":"user","content":"x"}"#,
    );
    let (sent, ledger) = STRINGS.send(&body);
    let expected = r#"[{"role":"user","content":"7"},{"role":"assistant","content":"true"},{"role":"user","content":"x"}]"#;
    assert_eq!(field(&sent, "messages"), expected);
    assert_eq!(rules(&ledger), ["odd-input", "odd-input"]);
}

#[test]
fn null_is_a_string_with_nothing_in_it_and_calls_and_ids_stay() {
    let body = r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":null}]}],"tools":[{"name":"ls","input_schema":{"type":"object","properties":{}}}]}"#;
    let translation = Translation { from: "anthropic", ..STRINGS };
    let (sent, _) = translation.send(body);
    let expected = format!(
        r#"[{{"role":"user","content":"a"}},{{"role":"assistant","content":"","tool_calls":[{CALL}]}},{{"role":"tool","tool_call_id":"call_1","content":""}}]"#
    );
    assert_eq!(field(&sent, "messages"), expected);
}

#[test]
fn the_first_message_is_right() {
    for first in [
        r#"{"role":"user","content":{"text":"hi"}}"#,
        r#"{"role":"user","content":["hi"]}"#,
        r#""hi""#,
        r#"{"content":"hi"}"#,
    ] {
        let (sent, ledger) = STRINGS.send(&messages(first));
        assert_eq!(field(&sent, "messages"), r#"[{"role":"user","content":"hi"}]"#, "{first}");
        assert!(!ledger.is_empty(), "{first} is noted");
    }
}

#[test]
fn a_broken_stored_message_is_skipped_and_reported() {
    for dialect in ["openai-chat", "anthropic"] {
        let body = r#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[null,{"role":"user","content":"hi"},null]}"#;
        let (sent, ledger) = Translation::within(dialect).send(body);
        assert_eq!(field(&sent, "messages"), r#"[{"role":"user","content":"hi"}]"#);
        let descriptions: Vec<_> = ledger.entries.iter().map(|entry| &*entry.description).collect();
        assert!(
            descriptions.iter().any(|what| what.contains("message 0 is null: it is skipped")),
            "{descriptions:?}"
        );
        assert!(
            descriptions.iter().any(|what| what.contains("message 2 is null: it is skipped")),
            "{descriptions:?}"
        );
    }
}

#[test]
fn loading_building_and_calling_are_one() {
    let stored = messages(
        r#"{"role":"user","content":{"text":"hi"}},{"role":"assistant","content":7},{"role":"user","content":"go"}"#,
    );
    let (loaded, _) = Translation { to: "native", flavor: None, ..STRINGS }.send(&stored);
    let (called, _) = Translation { from: "native", ..STRINGS }.send(&loaded);
    let (at_once, _) = STRINGS.send(&stored);
    assert_eq!(field(&called, "messages"), field(&at_once, "messages"));
}
