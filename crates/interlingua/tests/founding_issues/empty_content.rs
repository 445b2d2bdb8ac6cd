//! Empty content: a request for Claude never has a message without content.

use crate::{Translation, field, rules};

const TO_CLAUDE: Translation = Translation {
    from: "openai-chat",
    to: "anthropic",
    flavor: None,
    model: Some("claude-sonnet-4-5"),
};

/// The tool loop up to `rest`, as a client stores it.
fn history(rest: &str) -> String {
    format!(
        r#"{{"model":"m","max_tokens":64,"tools":[{{"type":"function","function":{{"name":"web_search","parameters":{{"type":"object","properties":{{"query":{{"type":"string"}}}}}}}}}}],"messages":[{{"role":"user","content":"The weather in New York?"}},{{"role":"assistant","content":"I'll search.","tool_calls":[{{"id":"toolu_1","type":"function","function":{{"name":"web_search","arguments":"{{\"query\":\"weather New York\"}}"}}}}]}}{rest}]}}"#
    )
}

const ASKED: &str = r#"{"role":"user","content":[{"type":"text","text":"The weather in New York?"}]},{"role":"assistant","content":[{"type":"text","text":"I'll search."},{"type":"tool_use","id":"toolu_1","name":"web_search","input":{"query":"weather New York"}}]}"#;

#[test]
fn words_and_calls_become_ordered_blocks_and_results_a_message_of_the_users() {
    let body = history(r#",{"role":"tool","tool_call_id":"toolu_1","content":"72°F, sunny"}"#);
    let (sent, ledger) = TO_CLAUDE.send(&body);
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"72°F, sunny"}]}"#;
    assert_eq!(field(&sent, "messages"), format!("[{ASKED},{result}]"));
    assert!(ledger.is_empty());
}

#[test]
fn an_empty_answer_after_the_tool_call_does_not_brick_the_session() {
    let body = history(
        r#",{"role":"tool","tool_call_id":"toolu_1","content":"72°F"},{"role":"assistant","content":""},{"role":"user","content":"well?"}"#,
    );
    let (sent, ledger) = TO_CLAUDE.send(&body);
    let rest = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"72°F"},{"type":"text","text":"well?"}]}"#;
    assert_eq!(field(&sent, "messages"), format!("[{ASKED},{rest}]"));
    assert_eq!(rules(&ledger), ["empty-turn"]);
}

#[test]
fn an_empty_tool_result_is_found_before_the_provider_sees_it() {
    let body = history(r#",{"role":"tool","tool_call_id":"toolu_1","content":""}"#);
    let (sent, ledger) = TO_CLAUDE.send(&body);
    let result = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"(no output)"}]}"#;
    assert_eq!(field(&sent, "messages"), format!("[{ASKED},{result}]"));
    assert_eq!(rules(&ledger), ["empty-result"]);
}

#[test]
fn an_empty_regular_message_is_found_before_the_provider_sees_it() {
    let body = r#"{"model":"m","max_tokens":64,"messages":[{"role":"user","content":""},{"role":"assistant","content":"hi"},{"role":"user","content":"go"}]}"#;
    let (sent, ledger) = TO_CLAUDE.send(body);
    assert!(
        sent.contains(r#"{"role":"user","content":[{"type":"text","text":"(empty message)"}]}"#)
    );
    assert_eq!(rules(&ledger), ["empty-turn"]);
}

#[test]
fn the_second_phase_begins_with_the_bytes_of_the_first() {
    let first = history("");
    let second = history(r#",{"role":"tool","tool_call_id":"toolu_1","content":"72°F"}"#);
    let (first, _) = TO_CLAUDE.send(&first);
    let (second, _) = TO_CLAUDE.send(&second);
    let messages = field(&first, "messages");
    assert!(messages.starts_with(&format!("[{ASKED},")), "{messages}");
    assert!(field(&second, "messages").starts_with(&format!("[{ASKED},")));
}
