//! Laws of Chat Completions requests that no single case can show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod openai_chat_shared;

use interlingua_dialects::openai_chat::{ID, OpenAiChat};
use interlingua_dialects::{Dialect, find_dialect};
use interlingua_model::{Block, BlockContent, Conversation, Ledger, Settings, ToolArgs, Verbatim};
use interlingua_providers::Target;
use interlingua_wire::{JsonString, RawJson};
use openai_chat_shared::{doc, mutations};

fn text(text: &str) -> Block {
    Block::text(JsonString::new(text))
}

fn decode(text: &str) -> Verbatim<Conversation> {
    OpenAiChat.decode_request(&doc(text), &mut Ledger::default())
}

fn encode(conversation: &Verbatim<Conversation>, flavor: &'static str) -> String {
    let target = Target { model: None, flavor: Some(flavor), ..Target::default() };
    let body = OpenAiChat.encode_request(conversation, &target, &mut Ledger::default());
    String::from_utf8(body.to_vec()).unwrap()
}

const HISTORY: &str = r#"{"model": "a", "x": [1], "messages": [
 {"role":"system","content":"s"},
 {"role": "user", "content": [ {"type":"text", "text":"q", "mark":1}, {"type":"hologram"} ], "name":"ann"},
 {"role":"assistant","content":"","reasoning":"hm","reasoning_details":[ {"type":"reasoning.text","text":"hm","signature":"S","format":"anthropic-claude-v1","index":0,"odd":true} ],"tool_calls":[ {"id":"c1", "type":"function","function":{"name":"f","arguments":"{ }"}}, {"id":"c2","type":"function","function":{"name":"f","arguments":"{"}} ]},
 {"role":"tool","tool_call_id":"c1","content":"one"},
 {"role":"tool","tool_call_id":"c2","content":"two"}],
 "temperature": 1.0e0, "tools":[ {"type":"function","function":{"name":"f"}} ]}"#;

#[test]
fn an_edited_turn_does_not_change_the_others() {
    let mut conversation = decode(HISTORY);
    let turn = &mut conversation.edit().turns[3];
    let BlockContent::ToolResult(result) = &mut turn.edit().blocks[0].edit().content else {
        panic!()
    };
    result.content = vec![text("new").into()];
    let body = encode(&conversation, "openai");
    let expected = HISTORY
        .replace(
            r#"{"role":"tool","tool_call_id":"c1","content":"one"}"#,
            r#"{"role":"tool","tool_call_id":"c1","content":"new"}"#,
        )
        .replace("},\n {", "},{")
        .replace("[\n {", "[{")
        .replace("\"x\": ", "\"x\":")
        .replace("\"model\": ", "\"model\":")
        .replace("\"temperature\": ", "\"temperature\":")
        .replace(", \"x\"", ",\"x\"")
        .replace(", \"messages\": ", ",\"messages\":")
        .replace("],\n", "],")
        .replace(" \"temperature\"", "\"temperature\"")
        .replace(", \"tools\"", ",\"tools\"");
    assert_eq!(body, expected);
}

#[test]
fn an_edited_block_does_not_change_the_others() {
    let mut conversation = decode(HISTORY);
    let turns = &mut conversation.edit().turns;
    turns[1].edit().blocks[0].edit().content = text("new").content;
    let assistant = turns[2].edit();
    let BlockContent::ToolCall(call) = &mut assistant.blocks[2].edit().content else { panic!() };
    call.args = ToolArgs::Json(RawJson::EMPTY_OBJECT);
    let body = encode(&conversation, "openrouter");
    for unchanged in [
        r#"{"role":"user","content":[{"type":"text","text":"new","mark":1},{"type":"hologram"}],"name":"ann"}"#,
        r#""reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"S","format":"anthropic-claude-v1","index":0,"odd":true}]"#,
        r#"{"id":"c1", "type":"function","function":{"name":"f","arguments":"{ }"}}"#,
        r#"{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}"#,
    ] {
        assert!(body.contains(unchanged), "{unchanged} is not in {body}");
    }
}

#[test]
fn only_edited_settings_are_rewritten_for_the_flavor() {
    let mut conversation = decode(
        r#"{"model":"m","max_completion_tokens":5,"logit_bias":{"1":2},"messages":[],"seed":1}"#,
    );
    let settings: &mut Settings = conversation.edit().settings.edit();
    settings.temperature = Some(RawJson::number(1));
    settings.seed = Some(RawJson::number(2));
    let expected = r#"{"model":"m","max_completion_tokens":5,"logit_bias":{"1":2},"messages":[],"temperature":1,"random_seed":2}"#;
    assert_eq!(encode(&conversation, "mistral"), expected);
}

#[test]
fn moved_images_follow_the_last_result() {
    let mut conversation = decode(
        r#"{"model":"m","messages":[
        {"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":[{"type":"image_url","image_url":{"url":"https://x"}}]},
        {"role":"tool","tool_call_id":"b","content":"two"}]}"#,
    );
    conversation.edit().turns[1].edit();
    let body = encode(&conversation, "openai");
    let (second, image) = (body.find("\"two\"").unwrap(), body.find("https://x").unwrap());
    assert!(
        second < image && body.contains(r#""tool_call_id":"a","content":"[image 1 follows]"#),
        "{body}"
    );
    let body = encode(&conversation, "openrouter");
    let (second, image) = (body.find("\"two\"").unwrap(), body.find("https://x").unwrap());
    assert!(image < second && !body.contains("follows"), "{body}");
}

#[test]
fn a_longer_history_begins_with_the_shorter_one() {
    let anthropic = |count: usize| {
        let turns = [
            r#"{"role":"user","content":"q"}"#,
            r#"{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"f","input":{}}]}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"image","source":{"type":"url","url":"https://x"}}]},{"type":"text","text":"go"}]}"#,
            r#"{"role":"assistant","content":"b"}"#,
            r#"{"role":"user","content":"r"}"#,
        ];
        let body = format!(r#"{{"max_tokens":9,"messages":[{}]}}"#, turns[..count].join(","));
        let conversation =
            find_dialect("anthropic").unwrap().decode_request(&doc(&body), &mut Ledger::default());
        let body = encode(&conversation, "openai");
        let end = body.find("],\"max_completion_tokens\"").unwrap();
        body[..end].to_owned()
    };
    for (shorter, longer) in [(1, 3), (3, 5)] {
        let (shorter, longer) = (anthropic(shorter), anthropic(longer));
        assert!(longer.starts_with(&shorter), "{longer}\ndoes not begin with\n{shorter}");
    }
}

#[test]
fn any_body_is_decoded_and_encoded() {
    for body in mutations(HISTORY) {
        let conversation = decode(&body);
        assert_eq!(encode(&conversation, "openai"), body);
        for flavor in OpenAiChat.flavors() {
            let mut edited = conversation.clone();
            let inner = edited.edit();
            for turn in &mut inner.turns {
                turn.edit();
            }
            inner.tools.edit();
            inner.settings.edit();
            doc(&encode(&edited, flavor));
        }
    }
}

#[test]
fn a_body_that_is_not_an_object_is_an_empty_conversation() {
    let mut ledger = Ledger::default();
    let conversation = OpenAiChat.decode_request(&doc("[1]"), &mut ledger);
    assert!(conversation.turns.is_empty() && !ledger.is_empty());
    assert_eq!(encode(&conversation, "openai"), "[1]");
}

#[test]
fn flavor_names_are_unique() {
    let names = OpenAiChat.flavors();
    assert_eq!((names[0], OpenAiChat.id()), ("openai", ID));
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), names.len());
}
