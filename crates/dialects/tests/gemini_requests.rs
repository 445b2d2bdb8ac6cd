//! Tests of edited Gemini requests: unedited parts are encoded byte for byte.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::gemini::Gemini;
use interlingua_dialects::native::Native;
use interlingua_dialects::{Dialect, anthropic};
use interlingua_model::{
    Block, BlockContent, Conversation, Ledger, Role, ToolKind, Turn, Verbatim,
};
use interlingua_providers::Target;
use interlingua_wire::{JsonDoc, JsonLimits, JsonString, RawJson};

fn decode(body: &'static str) -> Conversation {
    let doc =
        JsonDoc::from_bytes(Bytes::from_static(body.as_bytes()), JsonLimits::default()).unwrap();
    let mut ledger = Ledger::default();
    let conversation = Gemini.decode_request(&doc, &mut ledger);
    assert!(ledger.is_empty(), "{ledger:?}");
    conversation.into_value()
}

/// The encoded body in the same dialect, and the rules in the ledger.
fn encode(conversation: Conversation) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let target = Target::default();
    let body = Gemini.encode_request(&Verbatim::new(conversation), &target, &mut ledger);
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(body.to_vec()).unwrap(), rules)
}

/// Like [`encode`]; asserts an empty ledger.
fn encode_without_notes(conversation: Conversation) -> String {
    let (body, rules) = encode(conversation);
    assert!(rules.is_empty(), "{rules:?}");
    body
}

const TOOL_TURN: &str = r#"{"contents":[{"role":"user","parts":[{"text":"\u0068i"}]},{"role":"model","parts":[{"text":"a" , "partMetadata":{"k":1}},{"functionCall":{"name":"f","args":{ }},"thoughtSignature":"cw=="}],"custom":true},{"parts":[{"functionResponse":{"name":"f","response":{"output":"o"},"scheduling":"SILENT"}}]}],"safetySettings":[ ]}"#;

#[test]
fn an_unedited_conversation_is_encoded_turn_by_turn_byte_for_byte() {
    assert_eq!(encode_without_notes(decode(TOOL_TURN)), TOOL_TURN);
}

#[test]
fn an_edited_turn_keeps_its_other_blocks_and_fields() {
    let mut conversation = decode(TOOL_TURN);
    let turn = conversation.turns[1].edit();
    turn.blocks[0].edit().content =
        BlockContent::Text { text: JsonString::new("b"), citations: Vec::new() };
    let expected = TOOL_TURN.replace(
        r#"{"text":"a" , "partMetadata":{"k":1}}"#,
        r#"{"text":"b","partMetadata":{"k":1}}"#,
    );
    assert_eq!(encode_without_notes(conversation), expected);
}

#[test]
fn an_edited_call_gets_no_id_that_the_client_did_not_send() {
    let mut conversation = decode(TOOL_TURN);
    conversation.turns[1].edit().blocks[1].edit();
    conversation.turns[2].edit().blocks[0].edit();
    let body = encode_without_notes(conversation);
    assert!(body.contains(r#"{"functionCall":{"name":"f","args":{ }},"thoughtSignature":"cw=="}"#));
    let response = r#"{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"o"},"scheduling":"SILENT"}}]}"#;
    assert!(body.contains(response), "{body}");
}

#[test]
fn a_result_keeps_an_id_that_the_client_invented() {
    let mut conversation = decode(
        r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"mine","name":"f","response":{}}}]}]}"#,
    );
    conversation.turns[1].edit().blocks[0].edit();
    let body = encode_without_notes(conversation);
    let response = r#"{"functionResponse":{"id":"mine","name":"f","response":{}}}"#;
    assert!(body.contains(response), "{body}");
}

#[test]
fn a_new_turn_is_written_between_the_old_ones() {
    let mut conversation = decode(r#"{"contents":[{"parts":[{"text":"a"}]}],"x":1}"#);
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks.push(Block::text(JsonString::new("b")).into());
    conversation.turns.push(turn.into());
    conversation.turns.push(Turn::new(Role::User).into());
    let expected =
        r#"{"contents":[{"parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"b"}]}],"x":1}"#;
    assert_eq!(encode_without_notes(conversation), expected);
}

const SETTINGS: &str = r#"{"generation_config":{"topK":1.0,"speechConfig":{"a":1},"responseSchema":{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true}}},"thinkingConfig":{"thinkingLevel":"HIGH","new":2}},"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","streamFunctionCallArguments":true},"retrievalConfig":{}},"contents":[]}"#;

#[test]
fn edited_settings_keep_unknown_fields() {
    let mut conversation = decode(SETTINGS);
    assert_eq!(encode_without_notes(decode(SETTINGS)), SETTINGS);
    conversation.settings.edit().max_tokens = Some(RawJson::number(9));
    let body = encode_without_notes(conversation);
    let expected = r#"{"generation_config":{"speechConfig":{"a":1},"topK":1.0,"maxOutputTokens":9,"responseSchema":{"type":"object","properties":{"a":{"type":"string","nullable":true}}},"thinkingConfig":{"thinkingLevel":"HIGH","new":2}},"toolConfig":{"retrievalConfig":{},"functionCallingConfig":{"mode":"VALIDATED","streamFunctionCallArguments":true}},"contents":[]}"#;
    assert_eq!(body, expected);
}

#[test]
fn unknown_config_fields_are_listed_with_their_path() {
    let conversation = decode(SETTINGS);
    let unknown: Vec<_> = conversation
        .top_level_fields
        .iter()
        .filter(|f| !f.is_modeled)
        .map(|f| f.key.unescape())
        .collect();
    let expected = [
        "generationConfig.speechConfig",
        "generationConfig.thinkingConfig.new",
        "toolConfig.functionCallingConfig.streamFunctionCallArguments",
        "toolConfig.retrievalConfig",
    ];
    assert_eq!(unknown, expected);
}

#[test]
fn an_edited_tool_keeps_its_form_of_schema_and_its_neighbours() {
    let mut conversation = decode(
        r#"{"tools":[{"functionDeclarations":[{"name":"a","parameters":{"type":"OBJECT","properties":{"x":{"type":"STRING","nullable":true}}},"behavior":"BLOCKING"},{"name":"b" }]},{"googleSearch":{}}],"contents":[]}"#,
    );
    conversation.tools.edit()[0].edit().name = JsonString::new("c");
    let expected = r#"{"tools":[{"functionDeclarations":[{"name":"c","parameters":{"type":"object","properties":{"x":{"type":"string","nullable":true}}},"behavior":"BLOCKING"},{"name":"b" }]},{"googleSearch":{}}],"contents":[]}"#;
    assert_eq!(encode_without_notes(conversation), expected);
}

#[test]
fn a_new_system_prompt_gets_a_field() {
    let mut conversation = decode(r#"{"contents":[]}"#);
    conversation.system.edit().push(Block::text(JsonString::new("S")).into());
    let expected = r#"{"contents":[],"systemInstruction":{"parts":[{"text":"S"}]}}"#;
    assert_eq!(encode_without_notes(conversation), expected);
}

#[test]
fn edits_inside_a_wrapper_are_written_inside_it() {
    let mut conversation = decode(
        r#"{"model":"m","project":"p","request":{"session_id":"s","contents":[{"parts":[{"text":"a"}]}]}}"#,
    );
    conversation.turns.clear();
    conversation.settings.edit().temperature = Some(RawJson::number(1));
    let expected = r#"{"model":"m","project":"p","request":{"session_id":"s","contents":[],"generationConfig":{"temperature":1}}}"#;
    assert_eq!(encode_without_notes(conversation), expected);
}

#[test]
fn a_longer_history_begins_with_the_bytes_of_the_shorter() {
    let mut conversation = Conversation::new(anthropic::ID);
    conversation.system.edit().push(Block::text(JsonString::new("S")).into());
    let schema = RawJson::parse(r#"{"type":"object","properties":{"x":{}}}"#).ok();
    let tool = interlingua_model::Tool::new(JsonString::new("f"), ToolKind::Function { schema });
    conversation.tools.edit().push(tool.into());
    let mut shorter = String::new();
    for at in 0..4 {
        let role = if at % 2 == 0 { Role::User } else { Role::Assistant };
        let mut turn = Turn::new(role);
        turn.blocks.push(Block::text(JsonString::new(&at.to_string())).into());
        conversation.turns.push(turn.into());
        let (body, _) = encode(conversation.clone());
        assert!(body.starts_with(shorter.trim_end_matches("]}")), "{shorter}\n{body}");
        shorter = body;
    }
}

#[test]
fn any_json_decodes_to_a_conversation() {
    let deep = format!("{}{}", r#"{"contents":"#.repeat(90), "1".to_owned() + &"}".repeat(90));
    let bodies = [
        "null",
        "[1]",
        r#"{"contents":null,"tools":7,"generationConfig":[],"systemInstruction":5}"#,
        r#"{"contents":[null,1,[[]],{"parts":null},{"parts":[null,[{}]]}],"tools":[null,{},[]]}"#,
        r#"{"contents":[{"parts":[{"functionResponse":[]},{"functionCall":1},{"inlineData":""}]}]}"#,
        r#"{"request":{"request":{}},"toolConfig":{"functionCallingConfig":"ANY"}}"#,
        deep.as_str(),
    ];
    for body in bodies {
        let doc = JsonDoc::from_bytes(Bytes::from(body.to_owned()), JsonLimits::default()).unwrap();
        let conversation = Gemini.decode_request(&doc, &mut Ledger::default());
        let mut foreign = (*conversation).clone();
        foreign.dialect = anthropic::ID;
        for conversation in [(*conversation).clone(), foreign] {
            let (reencoded, _) = encode(conversation);
            assert!(
                JsonDoc::parse(reencoded.clone().into(), JsonLimits::default()).is_ok(),
                "{reencoded}"
            );
        }
    }
}

#[test]
fn a_stored_conversation_without_ids_keeps_the_derived_ones() {
    let step = r#"{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}"#;
    let body = format!(r#"{{"contents":[{step},{step}]}}"#);
    let doc = JsonDoc::parse(body.clone().into(), JsonLimits::default()).unwrap();
    let (target, mut ledger) = (Target::default(), Ledger::default());
    let conversation = Gemini.decode_request(&doc, &mut ledger);
    let stored = Native.encode_request(&conversation, &target, &mut ledger);
    let stored = JsonDoc::from_bytes(stored, JsonLimits::default()).unwrap();
    let loaded = Native.decode_request(&stored, &mut ledger);
    assert_eq!(loaded.turns, conversation.turns);
    assert_eq!(Gemini.encode_request(&loaded, &target, &mut ledger), body.as_bytes());
    assert!(ledger.is_empty(), "{ledger:?}");
}
