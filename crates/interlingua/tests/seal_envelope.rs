//! Reasoning that a client carries for a provider of another dialect.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{
    JsonString, ReplyContext, StreamTranslator, Target, decode_reply, find_dialect,
    translate_request,
};

const REASONED: &str = r#"{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"gpt-5.2","output":[
    {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look first."}],"encrypted_content":"gAAAsecret"},
    {"type":"function_call","id":"fc_1","call_id":"call_1","name":"look","arguments":"{}","status":"completed"}],
    "usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}"#;

const THOUGHT: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[
    {"type":"thinking","thinking":"Look first.","signature":"c2lnbmVk"},
    {"type":"redacted_thinking","data":"aGlkZGVu"},
    {"type":"tool_use","id":"toolu_1","name":"look","input":{}}],
    "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}"#;

#[test]
fn an_anthropic_client_carries_encrypted_reasoning() {
    for streamed in [false, true] {
        let content = translate_reply_text(REASONED, "openai-responses", "anthropic", streamed);
        assert!(!content.contains("gAAAsecret"), "{content}");
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"hi"}},
            {{"role":"assistant","content":{content}}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"call_1","content":"x"}}]}}]}}"#
        );
        let home = translate_request_text(&body, "anthropic", "openai-responses", "gpt-5.2");
        assert!(home.contains(r#""encrypted_content":"gAAAsecret""#), "{home}");
        assert!(home.contains(r#""include":["reasoning.encrypted_content"]"#), "{home}");
        assert!(home.contains(r#""id":"rs_1""#) && home.contains("Look first."), "{home}");
        let elsewhere =
            translate_request_text(&body, "anthropic", "anthropic", "claude-sonnet-4-5");
        assert!(!elsewhere.contains("aWwx") && !elsewhere.contains("Look first."), "{elsewhere}");
    }
}

#[test]
fn a_responses_client_carries_signatures_even_if_it_drops_the_text() {
    for streamed in [false, true] {
        let items = translate_reply_text(THOUGHT, "anthropic", "openai-responses", streamed);
        let items = items.trim_start_matches('[').trim_end_matches(']');
        let without_text = items.replace("Look first.", "");
        for items in [items, &without_text] {
            let body = format!(
                r#"{{"model":"m","input":[{{"role":"user","content":"hi"}},{items},
                {{"type":"function_call_output","call_id":"toolu_1","output":"x"}}]}}"#
            );
            let home =
                translate_request_text(&body, "openai-responses", "anthropic", "claude-sonnet-4-5");
            assert!(home.contains(r#""thinking":"Look first.","signature":"c2lnbmVk""#), "{home}");
            assert!(home.contains(r#""data":"aGlkZGVu""#), "{home}");
            let elsewhere =
                translate_request_text(&body, "openai-responses", "openai-responses", "gpt-5.2");
            assert!(!elsewhere.contains("aWwx"), "{elsewhere}");
        }
    }
}

#[test]
fn a_seal_is_not_sent_to_another_model_of_its_vendor() {
    for streamed in [false, true] {
        let items = translate_reply_text(THOUGHT, "anthropic", "openai-responses", streamed);
        let items = items.trim_start_matches('[').trim_end_matches(']');
        let body = format!(
            r#"{{"model":"m","input":[{{"role":"user","content":"hi"}},{items},
            {{"type":"function_call_output","call_id":"toolu_1","output":"x"}}]}}"#
        );
        for same in ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"] {
            let home = translate_request_text(&body, "openai-responses", "anthropic", same);
            assert!(home.contains(r#""signature":"c2lnbmVk""#), "{home}");
        }
        let other =
            translate_request_text(&body, "openai-responses", "anthropic", "claude-opus-4-8");
        assert!(!other.contains("c2lnbmVk") && !other.contains("aGlkZGVu"), "{other}");
        assert!(!other.contains("Look first."), "{other}");
    }
}

const INTERLEAVED: &str = r#"{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[
    {"type":"thinking","thinking":"First, the ships.","signature":"b25l"},
    {"type":"text","text":""},
    {"type":"thinking","thinking":"Then the cranes.","signature":"dHdv"},
    {"type":"text","text":"Let me look."},
    {"type":"tool_use","id":"toolu_1","name":"look","input":{"place":"ships"}},
    {"type":"tool_use","id":"toolu_2","name":"look","input":{"place":"cranes"}}],
    "stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2}}"#;

#[test]
fn an_empty_text_between_reasoning_is_carried_with_the_second_block() {
    for streamed in [false, true] {
        let items = translate_reply_text(INTERLEAVED, "anthropic", "openai-responses", streamed);
        let items: Vec<serde_json::Value> = serde_json::from_str(&items).unwrap();
        let empty = |item: &serde_json::Value| item["content"][0]["text"] == "";
        // Some clients send it back, and some do not.
        for lost in [false, true] {
            let items = items.iter().filter(|item| !(lost && empty(item)));
            let items: Vec<String> = items.map(ToString::to_string).collect();
            let body = format!(
                r#"{{"model":"m","reasoning":{{"effort":"high"}},"input":[{{"role":"user","content":"hi"}},{},
                {{"type":"function_call_output","call_id":"toolu_1","output":"x"}},
                {{"type":"function_call_output","call_id":"toolu_2","output":"y"}}]}}"#,
                items.join(",")
            );
            let home =
                translate_request_text(&body, "openai-responses", "anthropic", "claude-sonnet-4-5");
            let home: serde_json::Value = serde_json::from_str(&home).unwrap();
            let content = home["messages"][1]["content"].as_array().unwrap();
            let kinds: Vec<_> = content.iter().map(|block| block["type"].as_str()).collect();
            let all = ["thinking", "text", "thinking", "text", "tool_use", "tool_use"];
            assert_eq!(kinds, all.map(Some), "streamed {streamed}, lost {lost}: {home}");
            assert_eq!(content[0]["signature"], "b25l");
            assert!(content[1]["text"].as_str().unwrap().trim().is_empty());
            assert_eq!(content[2]["signature"], "dHdv");
            assert_eq!(content[3]["text"], "Let me look.");
        }
    }
}

#[test]
fn a_signature_that_only_resembles_an_envelope_is_unchanged() {
    for data in ["aWwxey", "aWwxe30=", "aWwxeyJibG9ja3MiOltdfQ=="] {
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"thinking":{{"type":"enabled","budget_tokens":1024}},"messages":[{{"role":"user","content":"hi"}},
            {{"role":"assistant","content":[{{"type":"thinking","thinking":"x","signature":"{data}"}},{{"type":"text","text":"y"}}]}},
            {{"role":"user","content":"go on"}}]}}"#
        );
        let sent = translate_request_text(&body, "anthropic", "anthropic", "claude-sonnet-4-5");
        assert!(sent.contains(data), "{sent}");
    }
}

/// The content of a reply as the client gets it.
fn translate_reply_text(reply: &str, from: &str, to: &str, streamed: bool) -> String {
    let (from, to) = (find_dialect(from).unwrap(), find_dialect(to).unwrap());
    let model = reply.split(r#""model":""#).nth(1).and_then(|rest| rest.split('"').next());
    let model = model.map(JsonString::new);
    let cx = ReplyContext {
        carries_foreign_seals: true,
        provider_model: model,
        ..ReplyContext::default()
    };
    let read = decode_reply(reply.to_owned().into(), from, &cx, None).unwrap();
    let body = if streamed {
        let events = interlingua_model::unfold(&read.reply);
        let mut writer = interlingua::stream_writer(to, &cx);
        let (mut out, mut ledger) = (Vec::new(), interlingua::Ledger::default());
        for event in &events {
            writer.write(event, &mut out, &mut ledger);
        }
        let mut stream = StreamTranslator::new(to, to, &ReplyContext::default());
        stream.push(&out.into(), &mut Vec::new());
        stream.finish(&mut Vec::new());
        let (reply, _) = stream.into_reply();
        to.encode_reply(&reply.unwrap(), &ReplyContext::default(), &mut ledger)
    } else {
        read.encode(to, &cx).body.to_vec()
    };
    let body = interlingua::parse_object(body.into()).unwrap();
    let root = body.root();
    root.get("content").or_else(|| root.get("output")).unwrap().raw().to_owned()
}

fn translate_request_text(body: &str, from: &str, to: &str, model: &str) -> String {
    let target =
        Target { model: Some(JsonString::new(model)), keeps_replies: true, ..Target::default() };
    let (from, to) = (find_dialect(from).unwrap(), find_dialect(to).unwrap());
    let sent = translate_request(body.to_owned().into(), from, to, &target).unwrap();
    String::from_utf8(sent.body.to_vec()).unwrap()
}
