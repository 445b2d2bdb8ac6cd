//! Tool results from Claude Code for Chat servers: accepted in every form, and none loses its call.

use crate::{Translation, field, rules};

const TO_CHAT: Translation =
    Translation { from: "anthropic", to: "openai-chat", flavor: None, model: Some("gpt-4.1") };

/// One call to `read_file`, one to `bash`, and the user's results.
fn answered(content: &str) -> String {
    format!(
        r#"{{"model":"m","max_tokens":64,"tools":[{{"name":"read_file","input_schema":{{"type":"object","properties":{{}}}}}},{{"name":"bash","input_schema":{{"type":"object","properties":{{}}}}}}],"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_1","name":"read_file","input":{{}}}},{{"type":"tool_use","id":"toolu_2","name":"bash","input":{{}}}}]}},{{"role":"user","content":{content}}}]}}"#
    )
}

const CALLED: &str = r#"{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"read_file","arguments":"{}"}},{"id":"toolu_2","type":"function","function":{"name":"bash","arguments":"{}"}}]}"#;

/// A message with the role `tool`.
fn tool(id: &str, content: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{content}"}}"#)
}

#[track_caller]
fn assert_sent(content: &str, rest: &[String], expected_rules: &[&str]) {
    let (sent, ledger) = TO_CHAT.send(&answered(content));
    assert_eq!(field(&sent, "messages"), format!("[{CALLED},{}]", rest.join(",")));
    assert_eq!(rules(&ledger), expected_rules);
}

const SECOND: &str = r#"{"type":"tool_result","tool_use_id":"toolu_2","content":"done"}"#;

#[test]
fn a_result_as_a_string() {
    let content =
        format!(r#"[{{"type":"tool_result","tool_use_id":"toolu_1","content":"text"}},{SECOND}]"#);
    assert_sent(&content, &[tool("toolu_1", "text"), tool("toolu_2", "done")], &[]);
}

#[test]
fn a_result_as_nested_blocks() {
    let content = format!(
        r#"[{{"type":"tool_result","tool_use_id":"toolu_1","content":[{{"type":"text","text":"Tool execution result"}}]}},{SECOND}]"#
    );
    let first = tool("toolu_1", "Tool execution result");
    assert_sent(&content, &[first, tool("toolu_2", "done")], &[]);
}

#[test]
fn a_result_that_failed_says_so_in_words() {
    let content = format!(
        r#"[{{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{{"type":"text","text":"no such file"}}]}},{SECOND}]"#
    );
    let first = tool("toolu_1", "[tool error] no such file");
    assert_sent(&content, &[first, tool("toolu_2", "done")], &["error-in-text"]);
}

#[test]
fn results_mixed_with_words() {
    let content = format!(
        r#"[{{"type":"tool_result","tool_use_id":"toolu_1","content":"text"}},{{"type":"text","text":"hurry"}},{SECOND}]"#
    );
    let message = r#"{"role":"user","content":"hurry"}"#.to_owned();
    let rest = [tool("toolu_1", "text"), tool("toolu_2", "done"), message];
    assert_sent(&content, &rest, &["order-changed"]);
}

#[test]
fn a_result_in_a_list_within_the_list_keeps_its_id() {
    let content = format!(
        r#"[[{{"type":"tool_result","tool_use_id":"toolu_1","content":[[{{"type":"text","text":"deep"}}]]}}],{SECOND}]"#
    );
    let rest = [tool("toolu_1", "deep"), tool("toolu_2", "done")];
    assert_sent(&content, &rest, &["odd-input", "odd-input"]);
}

#[test]
fn a_result_without_an_id_answers_the_only_open_call() {
    let content = format!(r#"[{SECOND},{{"type":"tool_result","content":"text"}}]"#);
    let rest = [tool("toolu_2", "done"), tool("toolu_1", "text")];
    assert_sent(&content, &rest, &["odd-input", "unnamed-result"]);
}

#[test]
fn results_without_ids_answer_the_calls_in_their_order() {
    let content =
        r#"[{"type":"tool_result","content":"text"},{"type":"tool_result","content":"done"}]"#;
    let rest = [tool("toolu_1", "text"), tool("toolu_2", "done")];
    assert_sent(content, &rest, &["odd-input", "odd-input", "unnamed-result", "unnamed-result"]);
}

#[test]
fn a_result_without_an_id_answers_the_open_call_of_its_tool() {
    let chat = Translation::within("openai-chat");
    let body = format!(
        r#"{{"model":"gpt-4.1","messages":[{CALLED},{{"role":"tool","name":"bash","content":"done"}},{}]}}"#,
        tool("toolu_1", "text")
    );
    let (sent, ledger) = chat.send(&body);
    let named = r#"{"role":"tool","tool_call_id":"toolu_2","name":"bash","content":"done"}"#;
    assert!(sent.contains(named), "{sent}");
    assert_eq!(rules(&ledger), ["unnamed-result"]);
}

#[test]
fn a_result_that_no_call_waits_for_is_said_as_text() {
    let content = format!(
        r#"[{{"type":"tool_result","tool_use_id":"toolu_1","content":"text"}},{SECOND},{{"type":"tool_result","content":"whose?"}}]"#
    );
    let message = r#"{"role":"user","content":"[earlier tool output] whose?"}"#.to_owned();
    let rest = [tool("toolu_1", "text"), tool("toolu_2", "done"), message];
    assert_sent(&content, &rest, &["odd-input", "orphan-result"]);
}
