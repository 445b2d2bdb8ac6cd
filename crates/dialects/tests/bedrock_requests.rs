//! Tests of Bedrock requests: decoding and encoding.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::{Dialect, bedrock::Bedrock, bedrock::ID, find_dialect, native::Native};
use interlingua_model::{
    Block, BlockContent, Conversation, Ledger, MediaSource, ReasoningForm, Role, ToolArgs,
    ToolChoice, Verbatim,
};
use interlingua_providers::Target;
use interlingua_wire::{JsonDoc, JsonLimits, JsonString, RawJson};

fn doc(text: &str) -> JsonDoc {
    JsonDoc::parse(text.into(), JsonLimits::default()).unwrap()
}

fn decode(text: &str) -> (Verbatim<Conversation>, Ledger) {
    let mut ledger = Ledger::default();
    let conversation = Bedrock.decode_request(&doc(text), &mut ledger);
    (conversation, ledger)
}

fn encode(conversation: &Verbatim<Conversation>) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let body = Bedrock.encode_request(conversation, &Target::default(), &mut ledger);
    let rules = ledger.entries.iter().map(|entry| entry.rule).collect();
    (String::from_utf8(body.to_vec()).unwrap(), rules)
}

/// Encodes a conversation given in the native dialect.
fn from_native(text: &str) -> (String, Vec<&'static str>) {
    let conversation = Native.decode_request(&doc(text), &mut Ledger::default());
    encode(&conversation)
}

const BODY: &str = r#"{ "messages":[{"role":"user","content":[{"text":"h\u00ed"},{"cachePoint":{"type":"default"}},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}]},
 {"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm","signature":"EqQ="}}},{"text":""},{"reasoningContent":{"redactedContent":"cmVk"}},{"toolUse":{"toolUseId":"t1","name":"look","input":{"n":1e2}}}]},
 {"role":"user","content":[{"toolResult":{"toolUseId":"t1","content":[{"json":{"a":1}},{"text":"x"}],"status":"error"}},{"guardContent":{"text":{"text":"g"}}},{"cachePoint":{"type":"default","ttl":"1h"}}]}],
 "system":[{"text":"Be brief."},{"cachePoint":{"type":"default"}}],
 "toolConfig":{"tools":[{"toolSpec":{"name":"look","inputSchema":{"json":{"type":"object"}},"strict":true}},{"cachePoint":{"type":"default"}},{"systemTool":{"name":"nova_grounding"}}],"toolChoice":{"any":{}}},
 "inferenceConfig":{"maxTokens":100,"temperature":0.50,"topP":1,"stopSequences":["END"]},
 "additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1024},"anthropic_beta":["x"]},
 "guardrailConfig":{"guardrailIdentifier":"a"} }"#;

#[test]
fn an_unedited_body_is_encoded_byte_for_byte() {
    let (conversation, ledger) = decode(BODY);
    assert!(ledger.is_empty(), "{ledger:?}");
    assert_eq!(encode(&conversation), (BODY.to_owned(), vec![]));
}

#[test]
fn every_part_of_a_request_is_decoded() {
    let (conversation, _) = decode(BODY);
    assert_eq!(conversation.model, None);
    let [ask, act, answer] = &conversation.turns[..] else { panic!("three turns") };
    assert_eq!(ask.blocks.len(), 2);
    assert_eq!(ask.blocks[0].cache_breakpoint.as_ref().unwrap().ttl, None);
    let BlockContent::Media(image) = &ask.blocks[1].content else { panic!("an image") };
    let MediaSource::Base64 { mime: Some(mime), data } = &image.source else { panic!("data") };
    assert_eq!((mime, data), (&"image/png".into(), &"iVBORw0KGgo=".into()));
    assert_eq!(act.role, Role::Assistant);
    let seal = act.blocks[0].seal.as_ref().unwrap();
    assert_eq!((&seal.origin.issuer, &seal.data), (&"anthropic".into(), &"EqQ=".into()));
    let BlockContent::Reasoning(redacted) = &act.blocks[2].content else { panic!("thinking") };
    assert_eq!(redacted.form, ReasoningForm::Redacted);
    assert_eq!(act.blocks[2].seal.as_ref().unwrap().data, "cmVk");
    let BlockContent::ToolCall(call) = &act.blocks[3].content else { panic!("a call") };
    assert_eq!(call.args, ToolArgs::Json(RawJson::parse(r#"{"n":1e2}"#).unwrap()));
    let BlockContent::ToolResult(result) = &answer.blocks[0].content else { panic!("a result") };
    assert!(result.is_error);
    assert!(matches!(result.content[0].content, BlockContent::Json(_)));
    assert!(
        matches!(&answer.blocks[1].content, BlockContent::Foreign { kind, .. } if kind == "guardContent")
    );
    assert_eq!(answer.blocks[1].cache_breakpoint.as_ref().unwrap().ttl, Some("1h".into()));
    assert_eq!(conversation.system.len(), 1);
    assert!(conversation.tools[0].cache_breakpoint.is_some());
    assert_eq!(conversation.tools.len(), 2);
    assert_eq!(conversation.settings.tool_choice, Some(ToolChoice::Required));
    assert_eq!(
        conversation.settings.reasoning.as_ref().unwrap().budget_tokens,
        Some(RawJson::number(1024))
    );
    let unknown: Vec<_> =
        conversation.top_level_fields.iter().filter(|field| !field.is_modeled).collect();
    assert_eq!(unknown.len(), 1, "{unknown:?}");
}

#[test]
fn a_dropped_subfield_is_noted_with_its_own_name() {
    let (conversation, _) = decode(BODY);
    let mut ledger = Ledger::default();
    let chat = find_dialect("openai-chat").unwrap();
    chat.encode_request(&conversation, &Target::default(), &mut ledger);
    let notes: Vec<_> = ledger.entries.iter().filter(|note| note.rule == "no-such-field").collect();
    assert!(
        notes.iter().any(|note| note.description.contains("`additionalModelRequestFields.")),
        "{notes:?}"
    );
    assert!(!notes.iter().any(|note| note.description.contains("`additionalModelRequestFields`")));
}

#[test]
fn an_edited_turn_keeps_its_other_blocks_and_cache_points_in_place() {
    let (conversation, _) = decode(BODY);
    let mut conversation = conversation;
    let turn = conversation.edit().turns[0].edit();
    turn.blocks.push(Block::text(JsonString::new("and \"more\"")).into());
    let (body, rules) = encode(&conversation);
    assert!(rules.is_empty());
    let edited = BODY.replacen("}]},\n", r#"},{"text":"and \"more\""}]},"#, 1);
    let squeeze = |text: &str| text.replace(['\n', ' '], "");
    assert_eq!(squeeze(&body), squeeze(&edited));
}

#[test]
fn an_edited_setting_keeps_the_text_of_the_other_fields() {
    let (mut conversation, _) = decode(BODY);
    conversation.edit().settings.edit().max_tokens = Some(RawJson::number(7));
    let (body, rules) = encode(&conversation);
    assert!(rules.is_empty());
    assert!(body.contains(r#""inferenceConfig":{"maxTokens":7,"temperature":0.50,"topP":1"#));
    assert!(body.contains(
        r#"{"thinking":{"type":"enabled","budget_tokens":1024},"anthropic_beta":["x"]}"#
    ));
    assert!(body.contains(r#""toolChoice":{"any":{}}"#));
}

#[test]
fn an_edited_tool_list_keeps_its_cache_points() {
    let (mut conversation, _) = decode(BODY);
    conversation.edit().tools.edit().pop();
    let (body, _) = encode(&conversation);
    let config = r#""toolConfig":{"tools":[{"toolSpec":{"name":"look","inputSchema":{"json":{"type":"object"}},"strict":true}},{"cachePoint":{"type":"default"}}],"toolChoice":{"any":{}}}"#;
    assert!(body.contains(config), "{body}");
}

#[test]
fn the_model_is_written_only_if_the_body_had_one() {
    let target = Target { model: Some("b".into()), flavor: None, ..Target::default() };
    let mut ledger = Ledger::default();
    for (body, expected) in [
        (r#"{"messages":[]}"#, r#"{"messages":[]}"#),
        (r#"{"modelId":"a","messages":[]}"#, r#"{"modelId":"b","messages":[]}"#),
    ] {
        let (conversation, _) = decode(body);
        assert_eq!(Bedrock.encode_request(&conversation, &target, &mut ledger), expected);
    }
}

#[test]
fn a_cache_point_with_nothing_before_it_stays_a_block() {
    let body = r#"{"messages":[{"role":"user","content":[{"cachePoint":{"type":"default"}},{"text":"a"}]}]}"#;
    let (conversation, ledger) = decode(body);
    assert!(ledger.is_empty());
    let blocks = &conversation.turns[0].blocks;
    assert!(matches!(&blocks[0].content, BlockContent::Foreign { dialect, .. } if *dialect == ID));
    assert_eq!(blocks[1].cache_breakpoint, None);
}

#[test]
fn any_json_gives_a_conversation() {
    for body in [
        "null",
        "7",
        "[]",
        r#""x""#,
        r#"{"messages":{"role":"user","content":"hi"}}"#,
        r#"{"messages":["hi",7,null,[],{"role":7,"content":[[["deep"]],null,{},7,{"toolUse":"x"},{"toolResult":{}}]}]}"#,
        r#"{"messages":[{"content":[{"image":{}},{"document":{"source":{}}},{"reasoningContent":{}},{"citationsContent":7}]}]}"#,
        r#"{"system":"x","toolConfig":{"tools":{"a":1},"toolChoice":"auto"},"inferenceConfig":[],"outputConfig":{"textFormat":1},"serviceTier":"flex"}"#,
    ] {
        let (mut conversation, ledger) = decode(body);
        assert!(!ledger.is_empty(), "{body}");
        assert_eq!(encode(&conversation).0, body);
        conversation.edit();
        let (rewritten, _) = encode(&conversation);
        RawJson::parse(rewritten).unwrap();
    }
}

#[test]
fn turns_of_one_role_become_one_message_with_results_first() {
    let (body, rules) = from_native(
        r#"{"interlingua":1,"turns":[{"role":"system","blocks":[{"text":"Be brief."}]},{"role":"user","blocks":[{"text":"a"}]},
        {"role":"assistant","blocks":[{"call":{"id":"c1","name":"f","args":{}}}]},{"role":"assistant","blocks":[{"call":{"id":"c2","name":"f","malformed":"{"}}]},
        {"role":"user","blocks":[{"text":"wait"}]},{"role":"user","blocks":[{"result":{"call":"c1","content":[{"data":[1]}],"is_error":true}}]},{"role":"developer","blocks":[{"text":"Now."}]}]}"#,
    );
    assert_eq!(
        body,
        r#"{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"c1","name":"f","input":{}}},{"toolUse":{"toolUseId":"c2","name":"f","input":{"_raw":"{"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":[1]}],"status":"error"}},{"text":"wait"},{"text":"<system-reminder>\nNow.\n</system-reminder>"}]}],"system":[{"text":"Be brief."}]}"#
    );
    assert_eq!(rules, ["system-moved", "args-wrapped", "order-changed"]);
}

#[test]
fn reasoning_is_encoded_only_with_the_seal_of_its_issuer() {
    let (body, rules) = from_native(
        r#"{"turns":[{"role":"user","blocks":[{"text":"a"}]},{"role":"assistant","blocks":[{"thinking":"x","seal":{"issuer":"anthropic","data":"S"}},{"thinking":"y"},{"thinking":"z","seal":{"issuer":"openai","data":"T"}},{"thinking":"","form":"redacted","seal":{"issuer":"anthropic","data":"R"}},{"text":"t"}]}]}"#,
    );
    assert!(body.contains(r#"[{"reasoningContent":{"reasoningText":{"text":"x","signature":"S"}}},{"reasoningContent":{"redactedContent":"R"}},{"text":"t"}]"#), "{body}");
    assert_eq!(rules, ["foreign-seal", "foreign-seal"]);
}

#[test]
fn documents_get_a_name_that_the_provider_accepts() {
    let (body, rules) = from_native(
        r#"{"turns":[{"role":"user","blocks":[{"document":{"base64":"JVBERi0=","mime":"application/pdf","name":"Q3  report_v2.pdf"}},{"document":{"plain":"hello"}},{"image":{"url":"https://x/y.png"}},{"image":{"base64":"/9j/"}}]}]}"#,
    );
    assert!(body.contains(r#"{"document":{"format":"pdf","name":"Q3 report-v2-pdf","source":{"bytes":"JVBERi0="}}},{"document":{"format":"txt","name":"document-1-2","source":{"text":"hello"}}},{"text":"[image omitted: it cannot be sent]"},{"image":{"format":"jpeg","source":{"bytes":"/9j/"}}}]"#), "{body}");
    assert_eq!(rules, ["no-such-block", "name-changed", "required-added"]);
}

#[test]
fn settings_of_other_dialects_are_converted_or_noted() {
    let (body, rules) = from_native(
        r#"{"turns":[{"role":"user","blocks":[{"text":"a"}]}],"tools":[{"name":"f","description":"","schema":null},{"name":"g","freeform":{"type":"grammar","syntax":"lark","definition":"start: x"}},{"name":"h","schema":{}}],
        "settings":{"max_tokens":9,"temperature":1,"top_k":3,"seed":1,"stop":["X"],"choice":{"allowed":["f","g"],"required":true},"parallel":false,"reasoning":{"effort":"minimal"},"format":{"schema":{"type":"object"},"name":"n"},"metadata":{"a":"b","c":"!"},"service_tier":"auto"}}"#,
    );
    assert_eq!(
        body,
        r#"{"messages":[{"role":"user","content":[{"text":"a"}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object","properties":{}}}}},{"toolSpec":{"name":"g","description":"start: x","inputSchema":{"json":{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}}}}],"toolChoice":{"any":{}}},"inferenceConfig":{"maxTokens":9,"temperature":1,"stopSequences":["X"]},"additionalModelRequestFields":{"top_k":3},"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{\"type\":\"object\"}","name":"n"}}},"effort":"low"},"requestMetadata":{"a":"b"}}"#
    );
    let expected = [
        "freeform-wrapped",
        "setting-converted",
        "setting-converted",
        "no-such-setting",
        "no-such-setting",
        "no-such-setting",
    ];
    assert_eq!(rules, expected);
}

#[test]
fn the_tool_choice_none_is_dropped() {
    let native = r#"{"turns":[],"tools":[{"name":"f","schema":{}}],"settings":{"choice":"none"}}"#;
    let (body, rules) = from_native(native);
    assert_eq!(
        body,
        r#"{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{}}}}]}}"#
    );
    assert_eq!(rules, ["no-such-setting"]);
}

#[test]
fn a_stored_conversation_is_encoded_like_the_original() {
    let (conversation, _) = decode(BODY);
    let mut ledger = Ledger::default();
    let mut edited = conversation.clone();
    edited.edit().turns[2].edit().blocks.push(Block::text(JsonString::from_static("go")).into());
    let stored = Native.encode_request(&edited, &Target::default(), &mut ledger);
    let stored = JsonDoc::from_bytes(stored, JsonLimits::default()).unwrap();
    let loaded = Native.decode_request(&stored, &mut ledger);
    assert_eq!(encode(&loaded).0, encode(&edited).0);
}
