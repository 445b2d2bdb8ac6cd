//! Requests in the anthropic dialect: what decoding and encoding promise beyond the corpus.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::anthropic::{Anthropic, ID};
use interlingua_dialects::{Dialect, native::Native};
use interlingua_model::{Args, Body, Choice, Conversation, Ledger, Target, Verbatim};
use interlingua_wire::{Doc, Json, Limits, Text};

fn decode(body: &str) -> (Verbatim<Conversation>, Ledger) {
    let doc = Doc::parse(body.to_owned().into(), Limits::default()).unwrap();
    let mut ledger = Ledger::default();
    let conversation = Anthropic.decode_request(&doc, &mut ledger);
    (conversation, ledger)
}

fn encode(
    conversation: &Verbatim<Conversation>,
    model: Option<&str>,
) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let target = Target { model: model.map(Text::new), ..Target::default() };
    let bytes = Anthropic.encode_request(conversation, &target, &mut ledger);
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(bytes.to_vec()).unwrap(), rules)
}

/// One of everything, compact, in an order no encoder would choose.
const WHOLE: &str = r#"{"stream":true,"max_tokens":1e3,"model":"claude-x","cache_control":{"type":"ephemeral"},"system":[{"type":"text","text":"s\u0041","cache_control":{"type":"ephemeral","ttl":"1h","scope":"x"}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"redacted_thinking","data":"b3BhcXVl"},{"type":"text","text":"a","citations":null},{"type":"tool_use","id":"t1","name":"f","input":{"b":1,"a":-0.0},"caller":{"type":"direct"}},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_reference","tool_name":"g"}],"is_error":false,"cache_control":{"type":"ephemeral"}},{"type":"image","source":{"type":"file","file_id":"file_1"}}]},{"role":"system","content":[],"output_config":{"effort":"low"},"clear_at":"never"}],"tools":[{"name":"f","input_schema":{"type":"object"},"defer_loading":true},{"type":"web_search_20250305","name":"web_search","max_uses":3}],"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true},"thinking":{"type":"between_tools"},"output_config":{"effort":"high","task_budget":{"type":"tokens","total":20000}},"metadata":{"user_id":"u"},"new_field":[1]}"#;

#[test]
fn an_unedited_body_leaves_as_it_came() {
    let (conversation, ledger) = decode(WHOLE);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(encode(&conversation, None), (WHOLE.to_owned(), vec![]));
    assert_eq!(encode(&conversation, Some("claude-x")), (WHOLE.to_owned(), vec![]));
}

#[test]
fn another_model_changes_nothing_else() {
    let (conversation, _) = decode(WHOLE);
    let expected = WHOLE.replace("claude-x", "claude-y");
    assert_eq!(encode(&conversation, Some("claude-y")), (expected, vec![]));
}

#[test]
fn a_stored_conversation_leaves_as_it_came() {
    let (conversation, _) = decode(WHOLE);
    let mut ledger = Ledger::default();
    let stored = Native.encode_request(&conversation, &Target::default(), &mut ledger);
    let doc = Doc::from_bytes(stored, Limits::default()).unwrap();
    let loaded = Native.decode_request(&doc, &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(encode(&loaded, None), (WHOLE.to_owned(), vec![]));
}

#[test]
fn an_edited_setting_leaves_the_others_as_written() {
    let (mut conversation, _) = decode(WHOLE);
    conversation.edit().settings.edit().max_tokens = Some(Json::number(7));
    let expected = WHOLE.replace("\"max_tokens\":1e3", "\"max_tokens\":7");
    assert_eq!(encode(&conversation, None), (expected, vec![]));

    let settings = conversation.edit().settings.edit();
    settings.reasoning.as_mut().unwrap().effort = Some(Text::word("low"));
    settings.choice = Some(Choice::Auto);
    settings.temperature = Some(Json::number(1));
    settings.user = None;
    let (body, rules) = encode(&conversation, None);
    let expected = WHOLE
        .replace("\"max_tokens\":1e3", "\"max_tokens\":7")
        .replace("\"type\":\"tool\",\"name\":\"f\",\"dis", "\"type\":\"auto\",\"dis")
        .replace("\"effort\":\"high\"", "\"effort\":\"low\"")
        .replace("\"metadata\":{\"user_id\":\"u\"},", "")
        .replace("\"new_field\":[1]", "\"new_field\":[1],\"temperature\":1");
    assert_eq!((body, rules), (expected, vec![]));
}

#[test]
fn an_edited_turn_keeps_its_other_blocks_and_fields() {
    let (mut conversation, _) = decode(WHOLE);
    let whole = conversation.edit();
    whole.turns[2].edit().blocks.remove(1);
    whole.turns[3].edit();
    whole.turns[0].edit();
    let block = whole.turns[1].edit().blocks[3].edit();
    let Body::ToolCall(call) = &mut block.body else { panic!("{block:?}") };
    call.args = Args::Malformed(Text::EMPTY);
    whole.system.edit()[0].edit();
    let expected = WHOLE
        .replace(",{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"file_1\"}}", "")
        .replace("\"content\":\"hi\"", "\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]")
        .replace("{\"b\":1,\"a\":-0.0}", "{}");
    assert_eq!(encode(&conversation, None), (expected, vec!["args-wrapped"]));
}

#[test]
fn a_cache_mark_moves_off_a_block_only_this_dialect_knows() {
    let body = r#"{"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"f","cache_control":{"type":"ephemeral"}}]}]}"#;
    let (mut conversation, _) = decode(body);
    conversation.edit().turns[0].edit().blocks[0].edit().cache = None;
    let expected = body.replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
    assert_eq!(encode(&conversation, None), (expected, vec![]));
}

/// Nothing in the list is what the dialect asks for; all of it is JSON.
#[test]
fn whatever_is_json_is_a_conversation() {
    for value in VALUES {
        for key in KEYS {
            let body = format!("{{\"{key}\":{value}}}");
            let (mut conversation, _) = decode(&body);
            assert_eq!(encode(&conversation, None).0, body);
            edit_all(conversation.edit());
            let (written, _) = encode(&conversation, Some("m"));
            assert!(Json::parse(written.clone()).is_ok(), "{written}");
        }
        let nested = format!(r#"{{"messages":[{{"role":"user","content":{value}}}]}}"#);
        let (conversation, _) = decode(&nested);
        assert_eq!(encode(&conversation, None).0, nested);
        let (conversation, _) = decode(value);
        assert_eq!(conversation.source, ID);
        assert_eq!(encode(&conversation, None).0, *value);
    }
}

fn edit_all(conversation: &mut Conversation) {
    conversation.settings.edit();
    conversation.system.edit();
    for tool in conversation.tools.edit() {
        tool.edit();
    }
    for turn in &mut conversation.turns {
        for block in &mut turn.edit().blocks {
            block.edit();
        }
    }
}

const VALUES: &[&str] = &[
    "null",
    "true",
    "1",
    "\"x\"",
    "[]",
    "{}",
    "[[[\"x\"]]]",
    "[null]",
    "[{}]",
    r#"{"type":1}"#,
    r#"{"type":"text"}"#,
    r#"{"type":"text","text":{"a":1}}"#,
    r#"{"role":1,"content":[[{"type":"tool_use"}]]}"#,
    r#"[{"type":"tool_result"}]"#,
    r#"[{"type":"image","source":3},{"type":"document","source":{"type":"content"}}]"#,
    r#"[{"role":"tool","content":{"type":"thinking"}},{"type":"redacted_thinking"}]"#,
];

const KEYS: &[&str] = &[
    "messages",
    "system",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "model",
    "stop_sequences",
    "metadata",
    "max_tokens",
    "output_format",
];
