//! Tests of Anthropic requests: properties of decoding and encoding that single corpus cases cannot
//! show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::anthropic::{Anthropic, ID};
use interlingua_dialects::{Dialect, native::Native};
use interlingua_model::{BlockContent, Conversation, Ledger, ToolArgs, ToolChoice, Verbatim};
use interlingua_providers::Target;
use interlingua_wire::{JsonDoc, JsonLimits, JsonString, RawJson};

fn decode(body: &str) -> (Verbatim<Conversation>, Ledger) {
    let doc = JsonDoc::parse(body.to_owned().into(), JsonLimits::default()).unwrap();
    let mut ledger = Ledger::default();
    let conversation = Anthropic.decode_request(&doc, &mut ledger);
    (conversation, ledger)
}

fn encode(
    conversation: &Verbatim<Conversation>,
    model: Option<&str>,
) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let target = Target { model: model.map(JsonString::new), ..Target::default() };
    let bytes = Anthropic.encode_request(conversation, &target, &mut ledger);
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(bytes.to_vec()).unwrap(), rules)
}

/// One value of every kind, without white space, in an order that no encoder uses.
const BODY: &str = r#"{"stream":true,"max_tokens":1e3,"model":"claude-x","cache_control":{"type":"ephemeral"},"system":[{"type":"text","text":"s\u0041","cache_control":{"type":"ephemeral","ttl":"1h","scope":"x"}}],"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"redacted_thinking","data":"b3BhcXVl"},{"type":"text","text":"a","citations":null},{"type":"tool_use","id":"t1","name":"f","input":{"b":1,"a":-0.0},"caller":{"type":"direct"}},{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_reference","tool_name":"g"}],"is_error":false,"cache_control":{"type":"ephemeral"}},{"type":"image","source":{"type":"file","file_id":"file_1"}}]},{"role":"system","content":[],"output_config":{"effort":"low"},"clear_at":"never"}],"tools":[{"name":"f","input_schema":{"type":"object"},"defer_loading":true},{"type":"web_search_20250305","name":"web_search","max_uses":3}],"tool_choice":{"type":"tool","name":"f","disable_parallel_tool_use":true},"thinking":{"type":"between_tools"},"output_config":{"effort":"high","task_budget":{"type":"tokens","total":20000}},"metadata":{"user_id":"u"},"new_field":[1]}"#;

#[test]
fn an_unedited_body_is_encoded_byte_for_byte() {
    let (conversation, ledger) = decode(BODY);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(encode(&conversation, None), (BODY.to_owned(), vec![]));
    assert_eq!(encode(&conversation, Some("claude-x")), (BODY.to_owned(), vec![]));
}

#[test]
fn another_model_changes_only_the_model() {
    let (conversation, _) = decode(BODY);
    let expected = BODY.replace("claude-x", "claude-y");
    assert_eq!(encode(&conversation, Some("claude-y")), (expected, vec![]));
}

#[test]
fn a_stored_conversation_is_encoded_byte_for_byte() {
    let (conversation, _) = decode(BODY);
    let mut ledger = Ledger::default();
    let stored = Native.encode_request(&conversation, &Target::default(), &mut ledger);
    let doc = JsonDoc::from_bytes(stored, JsonLimits::default()).unwrap();
    let loaded = Native.decode_request(&doc, &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(encode(&loaded, None), (BODY.to_owned(), vec![]));
}

#[test]
fn an_edited_setting_keeps_the_text_of_the_others() {
    let (mut conversation, _) = decode(BODY);
    conversation.edit().settings.edit().max_tokens = Some(RawJson::number(7));
    let expected = BODY.replace("\"max_tokens\":1e3", "\"max_tokens\":7");
    assert_eq!(encode(&conversation, None), (expected, vec![]));

    let settings = conversation.edit().settings.edit();
    settings.reasoning.as_mut().unwrap().effort = Some(JsonString::from_static("low"));
    settings.tool_choice = Some(ToolChoice::Auto);
    settings.temperature = Some(RawJson::number(1));
    settings.user = None;
    let (body, rules) = encode(&conversation, None);
    let expected = BODY
        .replace("\"max_tokens\":1e3", "\"max_tokens\":7")
        .replace("\"type\":\"tool\",\"name\":\"f\",\"dis", "\"type\":\"auto\",\"dis")
        .replace("\"effort\":\"high\"", "\"effort\":\"low\"")
        .replace("\"metadata\":{\"user_id\":\"u\"},", "")
        .replace("\"new_field\":[1]", "\"new_field\":[1],\"temperature\":1");
    assert_eq!((body, rules), (expected, vec![]));
}

#[test]
fn an_edited_turn_keeps_its_other_blocks_and_fields() {
    let (mut conversation, _) = decode(BODY);
    let edited = conversation.edit();
    edited.turns[2].edit().blocks.remove(1);
    edited.turns[3].edit();
    edited.turns[0].edit();
    let block = edited.turns[1].edit().blocks[3].edit();
    let BlockContent::ToolCall(call) = &mut block.content else { panic!("{block:?}") };
    call.args = ToolArgs::Malformed(JsonString::EMPTY);
    edited.system.edit()[0].edit();
    let expected = BODY
        .replace(",{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"file_1\"}}", "")
        .replace("\"content\":\"hi\"", "\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]")
        .replace("{\"b\":1,\"a\":-0.0}", "{}");
    assert_eq!(encode(&conversation, None), (expected, vec!["args-wrapped"]));
}

#[test]
fn a_cache_breakpoint_can_be_removed_from_a_foreign_block() {
    let body = r#"{"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"f","cache_control":{"type":"ephemeral"}}]}]}"#;
    let (mut conversation, _) = decode(body);
    conversation.edit().turns[0].edit().blocks[0].edit().cache_breakpoint = None;
    let expected = body.replace(",\"cache_control\":{\"type\":\"ephemeral\"}", "");
    assert_eq!(encode(&conversation, None), (expected, vec![]));
}

/// None of the listed values is valid in this dialect; all of them are JSON.
#[test]
fn any_json_decodes_to_a_conversation() {
    for value in VALUES {
        for key in KEYS {
            let body = format!("{{\"{key}\":{value}}}");
            let (mut conversation, _) = decode(&body);
            assert_eq!(encode(&conversation, None).0, body);
            edit_all(conversation.edit());
            let (encoded, _) = encode(&conversation, Some("m"));
            assert!(RawJson::parse(encoded.clone()).is_ok(), "{encoded}");
        }
        let nested = format!(r#"{{"messages":[{{"role":"user","content":{value}}}]}}"#);
        let (conversation, _) = decode(&nested);
        assert_eq!(encode(&conversation, None).0, nested);
        let (conversation, _) = decode(value);
        assert_eq!(conversation.dialect, ID);
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
