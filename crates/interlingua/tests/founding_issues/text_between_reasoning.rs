//! Empty texts between thinking blocks: signed messages are sent back unchanged.

use crate::{Translation, field, rules};

const FIRST: &str = r#"{"type":"thinking","thinking":"plan","signature":"SIG_A"}"#;
const SECOND: &str = r#"{"type":"thinking","thinking":"more","signature":"SIG_B"}"#;

/// A request with these blocks in the assistant's message.
fn request(blocks: &str) -> String {
    format!(
        r#"{{"model":"claude-opus-4-8","max_tokens":1024,"thinking":{{"type":"adaptive"}},"messages":[{{"role":"user","content":"fix it"}},{{"role":"assistant","content":[{blocks}]}},{{"role":"user","content":"go on"}}]}}"#
    )
}

#[test]
fn the_text_between_thinking_stays_where_it_is() {
    for text in [" ", "\\n\\n", "[Empty text removed]"] {
        let body = request(&format!(
            r#"{FIRST},{{"type":"text","text":"{text}"}},{SECOND},{{"type":"text","text":"answer"}}"#
        ));
        let (sent, ledger) = Translation::within("anthropic").send(&body);
        assert_eq!(sent, body);
        assert!(ledger.is_empty());
    }
}

#[test]
fn an_empty_one_stays_as_a_blank_and_the_signed_blocks_keep_their_bytes() {
    let body = request(&format!(
        r#"{FIRST},{{"type":"text","text":""}},{SECOND},{{"type":"text","text":"answer"}}"#
    ));
    let (sent, ledger) = Translation::within("anthropic").send(&body);
    let blocks = format!(
        r#"[{FIRST},{{"type":"text","text":" "}},{SECOND},{{"type":"text","text":"answer"}}]"#
    );
    assert!(field(&sent, "messages").contains(&blocks), "{sent}");
    assert_eq!(rules(&ledger), ["blank-between-reasoning"]);
}

#[test]
fn a_trailing_empty_text_goes_and_so_does_the_cache_mark_on_it() {
    let body = request(&format!(
        r#"{FIRST},{{"type":"text","text":"answer"}},{{"type":"text","text":"","cache_control":{{"type":"ephemeral"}}}}"#
    ));
    let (sent, ledger) = Translation::within("anthropic").send(&body);
    let blocks = format!(
        r#"[{FIRST},{{"type":"text","text":"answer","cache_control":{{"type":"ephemeral"}}}}]"#
    );
    assert!(field(&sent, "messages").contains(&blocks), "{sent}");
    assert_eq!(rules(&ledger), ["empty-text"]);
}

#[test]
fn messages_without_thinking_are_cleaned() {
    let body = r#"{"model":"claude-opus-4-8","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":""}]},{"role":"user","content":"c"}]}"#;
    let (sent, ledger) = Translation::within("anthropic").send(body);
    assert_eq!(
        field(&sent, "messages"),
        r#"[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[{"type":"text","text":"b"}]},{"role":"user","content":"c"}]"#
    );
    assert_eq!(rules(&ledger), ["empty-text", "empty-text"]);
}

#[test]
fn an_aborted_message_of_reasoning_and_empty_text_is_left_out() {
    for blocks in [
        format!(r#"{FIRST},{{"type":"text","text":""}}"#),
        FIRST.to_owned(),
        r#"{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"\n"}"#
            .to_owned(),
    ] {
        let (sent, ledger) = Translation::within("anthropic").send(&request(&blocks));
        assert_eq!(
            field(&sent, "messages"),
            r#"[{"role":"user","content":"fix it"},{"role":"user","content":"go on"}]"#
        );
        assert_eq!(rules(&ledger), ["aborted-turn"]);
    }
}

#[test]
fn converse_is_no_other() {
    let reasoning = |text: &str| {
        format!(
            r#"{{"reasoningContent":{{"reasoningText":{{"text":"{text}","signature":"SIG"}}}}}}"#
        )
    };
    let request = |between: &str, end: &str| {
        format!(
            r#"{{"messages":[{{"role":"user","content":[{{"text":"a"}}]}},{{"role":"assistant","content":[{},{{"text":"{between}"}},{},{{"text":"b"}}{end}]}},{{"role":"user","content":[{{"text":"c"}}]}}]}}"#,
            reasoning("x"),
            reasoning("y"),
        )
    };
    let model = Some("us.anthropic.claude-opus-4-8-v1:0");
    let translation = Translation { model, ..Translation::within("bedrock") };
    let with_blank = request("\\n", "");
    assert_eq!(translation.send(&with_blank).0, with_blank);
    let (sent, ledger) = translation.send(&request("", r#",{"text":""}"#));
    assert_eq!(field(&sent, "messages"), field(&request(" ", ""), "messages"));
    assert_eq!(rules(&ledger), ["empty-text", "blank-between-reasoning"]);
}
