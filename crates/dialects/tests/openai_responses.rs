//! Tests of Responses API requests: decoding and encoding.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::openai_responses::{ID, OpenAiResponses};
use interlingua_dialects::{Dialect, native::Native};
use interlingua_model::{
    Block, BlockContent, Conversation, Ledger, Role, Settings, ToolArgs, ToolKind, Verbatim,
};
use interlingua_providers::Target;
use interlingua_wire::{JsonDoc, JsonLimits, JsonString};

fn decode(body: &str) -> (Verbatim<Conversation>, Ledger) {
    let mut ledger = Ledger::default();
    let doc = JsonDoc::parse(body.into(), JsonLimits::default()).unwrap();
    (OpenAiResponses.decode_request(&doc, &mut ledger), ledger)
}

fn encode(conversation: &Verbatim<Conversation>) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let bytes = OpenAiResponses.encode_request(conversation, &Target::default(), &mut ledger);
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(bytes.to_vec()).unwrap(), rules)
}

fn from_native(body: &str) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let doc = JsonDoc::parse(body.into(), JsonLimits::default()).unwrap();
    let conversation = Native.decode_request(&doc, &mut ledger);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    encode(&conversation)
}

#[test]
fn an_agents_request_is_encoded_byte_for_byte() {
    let (conversation, ledger) = decode(BODY);
    assert!(ledger.is_empty(), "{:?}", ledger.entries);
    assert_eq!(encode(&conversation), (BODY.to_owned(), vec![]));
}

#[test]
fn an_edit_rewrites_only_the_edited_value() {
    let (mut conversation, _) = decode(BODY);
    // Editing the conversation drops its own text, but not the text of its turns.
    let _ = conversation.edit();
    assert_eq!(encode(&conversation).0, BODY);
    let turn = conversation.edit().turns[5].edit();
    let BlockContent::ToolResult(result) = &mut turn.blocks[0].edit().content else {
        panic!("a result")
    };
    result.content = vec![Block::text(JsonString::from_static("edited")).into()];
    let original = r#"{"type":"custom_tool_call_output","call_id":"c2","output":"Done"}"#;
    let edited = r#"{"type":"custom_tool_call_output","call_id":"c2","output":"edited"}"#;
    assert_eq!(encode(&conversation).0, BODY.replace(original, edited));
}

#[test]
fn edited_settings_keep_unknown_fields() {
    let (mut conversation, _) = decode(BODY);
    let settings: &mut Settings = conversation.edit().settings.edit();
    settings.reasoning.as_mut().unwrap().effort = Some(JsonString::from_static("high"));
    settings.temperature = Some(interlingua_wire::RawJson::parse("0.5").unwrap());
    let original = r#""reasoning":{"effort":"low","context":"all_turns"}"#;
    let edited = r#""reasoning":{"effort":"high","context":"all_turns"}"#;
    let expected = BODY.replace(original, edited);
    let expected = format!("{},\"temperature\":0.5}}", &expected[..expected.len() - 1]);
    assert_eq!(encode(&conversation).0, expected);
}

#[test]
fn another_model_changes_only_the_model() {
    let (conversation, _) = decode(BODY);
    let target =
        Target { model: Some(JsonString::from_static("gpt-6")), flavor: None, ..Target::default() };
    let bytes = OpenAiResponses.encode_request(&conversation, &target, &mut Ledger::default());
    assert_eq!(bytes, BODY.replace("gpt-5.5", "gpt-6"));
}

#[test]
fn items_are_turns() {
    use Role::{Assistant, Developer, User};
    let (conversation, _) = decode(BODY);
    let roles: Vec<Role> = conversation.turns.iter().map(|turn| turn.role).collect();
    assert_eq!(roles, [Developer, User, Assistant, Assistant, Assistant, User, User, Assistant]);
    let BlockContent::ToolCall(call) = &conversation.turns[3].blocks[0].content else {
        panic!("a call")
    };
    assert_eq!(call.name, "mcp__files__read");
    let BlockContent::ToolCall(call) = &conversation.turns[4].blocks[0].content else {
        panic!("a call")
    };
    assert!(matches!(&call.args, ToolArgs::Freeform(text) if *text == "*** Begin Patch"));
    let seal = conversation.turns[2].blocks[0].seal.as_ref().unwrap();
    assert_eq!((&seal.data, seal.id.as_ref().unwrap()), (&"gAAA".into(), &"rs_1".into()));
    assert_eq!(conversation.tools[2].name, "mcp__files__read");
    assert!(matches!(conversation.tools[3].kind, ToolKind::Foreign { dialect: ID, .. }));
}

#[test]
fn an_edited_list_of_tools_is_grouped_again() {
    let (mut conversation, _) = decode(BODY);
    conversation.edit().tools.edit().pop();
    let (body, rules) = encode(&conversation);
    assert!(rules.is_empty());
    let namespace = r#"{"type":"namespace","name":"mcp__files","description":"Files","tools":[{"type":"function","name":"read","parameters":{"type":"object"},"strict":false}]}]"#;
    assert!(body.contains(namespace), "{body}");
}

#[test]
fn a_conversation_of_another_dialect_becomes_items() {
    let (body, rules) = from_native(
        r#"{"interlingua":1,"model":"m","system":[{"text":"Be brief."}],
        "turns":[{"role":"system","blocks":[{"text":"Use tools."}]},
          {"role":"user","blocks":[{"text":"Look"},{"image":{"base64":"AAAA","mime":"image/gif"}}]},
          {"role":"assistant","blocks":[{"thinking":"Hm","seal":{"issuer":"anthropic","data":"s"}},{"text":"Yes"},{"call":{"id":"t1","name":"ls","args":{"a":1}}}]},
          {"role":"user","blocks":[{"result":{"call":"t1","content":[{"text":"no"}],"is_error":true}},{"text":"Go on"}]}],
        "tools":[{"name":"ls","schema":{"type":"object"},"cache":{}}],
        "settings":{"max_tokens":100,"stop":["x"],"choice":{"named":"ls"},"reasoning":{"mode":"on","budget":2000}}}"#,
    );
    assert_eq!(
        body,
        concat!(
            r#"{"model":"m","instructions":"Be brief.\n\nUse tools.","input":["#,
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Look"},{"type":"input_image","image_url":"data:image/gif;base64,AAAA","detail":"auto"}]},"#,
            r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes"}]},"#,
            r#"{"type":"function_call","call_id":"t1","name":"ls","arguments":"{\"a\":1}"},"#,
            r#"{"type":"function_call_output","call_id":"t1","output":"[tool error] no"},"#,
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on"}]}],"#,
            r#""tools":[{"type":"function","name":"ls","parameters":{"type":"object"},"strict":false}],"#,
            r#""max_output_tokens":100,"tool_choice":{"type":"function","name":"ls"},"reasoning":{"effort":"low"}}"#,
        )
    );
    assert_eq!(
        rules,
        ["foreign-seal", "error-in-text", "no-such-cache", "no-such-setting", "setting-converted"]
    );
}

#[test]
fn malformed_input_is_decoded_and_noted() {
    for body in [
        "[]",
        "1",
        r#"{"input":7}"#,
        r#"{"input":[null,1,"s",[["a"]],{"type":"message"},{"role":"tool","content":{"text":"x"}}]}"#,
        r#"{"input":[{"type":"function_call"},{"type":"function_call_output","output":{"a":1}}]}"#,
        r#"{"instructions":["a"],"stream":"yes"}"#,
    ] {
        let (conversation, ledger) = decode(body);
        assert!(!ledger.is_empty(), "{body}");
        assert!(ledger.entries.iter().all(|entry| entry.rule == "odd-input"), "{body}");
        assert_eq!(encode(&conversation).0, body);
    }
}

const BODY: &str = concat!(
    r#"{"model":"gpt-5.5","instructions":"You are an agent.","input":["#,
    r#"{"type":"message","role":"developer","content":[{"type":"input_text","text":"<env>"}]},"#,
    r#"{"role":"user","content":"Hi \u00e9","id":"msg_0"},"#,
    r#"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"content":null,"encrypted_content":"gAAA"},"#,
    r#"{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","namespace":"mcp__files","arguments":"{\"p\": 1}"},"#,
    r#"{"type":"custom_tool_call","call_id":"c2","name":"apply_patch","input":"*** Begin Patch"},"#,
    r#"{"type":"custom_tool_call_output","call_id":"c2","output":"Done"},"#,
    r#"{"type":"function_call_output","call_id":"c1","output":[{"type":"input_image","image_url":"data:image/png;base64,AA","detail":"high"}]},"#,
    r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}}],"#,
    r#""tools":[{"type":"function","name":"shell","description":"d","strict":false,"parameters":{"type":"object"}},"#,
    r#"{"type":"custom","name":"apply_patch","description":"d","format":{"type":"grammar","syntax":"lark","definition":"start: /x/"}},"#,
    r#"{"type":"namespace","name":"mcp__files","description":"Files","tools":[{"type":"function","name":"read","strict":false,"parameters":{"type":"object"}}]},"#,
    r#"{"type":"web_search","external_web_access":true}],"tool_choice":"auto","parallel_tool_calls":true,"#,
    r#""reasoning":{"effort":"low","context":"all_turns"},"store":false,"stream":true,"include":["reasoning.encrypted_content"],"#,
    r#""prompt_cache_key":"k","text":{"verbosity":"low"},"client_metadata":{"a":"b"}}"#,
);
