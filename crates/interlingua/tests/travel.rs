//! Reasoning that a client carries for a provider of another dialect.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{Exchange, Stream, Target, Text, find, read_reply, translate_request};

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
        let content = said(REASONED, "openai-responses", "anthropic", streamed);
        assert!(!content.contains("gAAAsecret"), "{content}");
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"messages":[{{"role":"user","content":"hi"}},
            {{"role":"assistant","content":{content}}},
            {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"call_1","content":"x"}}]}}]}}"#
        );
        let home = sent(&body, "anthropic", "openai-responses", "gpt-5.2");
        assert!(home.contains(r#""encrypted_content":"gAAAsecret""#), "{home}");
        assert!(home.contains(r#""include":["reasoning.encrypted_content"]"#), "{home}");
        assert!(home.contains(r#""id":"rs_1""#) && home.contains("Look first."), "{home}");
        let elsewhere = sent(&body, "anthropic", "anthropic", "claude-sonnet-4-5");
        assert!(!elsewhere.contains("aWwx") && !elsewhere.contains("Look first."), "{elsewhere}");
    }
}

#[test]
fn a_responses_client_carries_signatures_even_if_it_drops_the_text() {
    for streamed in [false, true] {
        let items = said(THOUGHT, "anthropic", "openai-responses", streamed);
        let items = items.trim_start_matches('[').trim_end_matches(']');
        let kept = items.replace("Look first.", "");
        for items in [items, &kept] {
            let body = format!(
                r#"{{"model":"m","input":[{{"role":"user","content":"hi"}},{items},
                {{"type":"function_call_output","call_id":"toolu_1","output":"x"}}]}}"#
            );
            let home = sent(&body, "openai-responses", "anthropic", "claude-sonnet-4-5");
            assert!(home.contains(r#""thinking":"Look first.","signature":"c2lnbmVk""#), "{home}");
            assert!(home.contains(r#""data":"aGlkZGVu""#), "{home}");
            let elsewhere = sent(&body, "openai-responses", "openai-responses", "gpt-5.2");
            assert!(!elsewhere.contains("aWwx"), "{elsewhere}");
        }
    }
}

#[test]
fn what_one_model_sealed_goes_to_no_other_of_its_house() {
    for streamed in [false, true] {
        let items = said(THOUGHT, "anthropic", "openai-responses", streamed);
        let items = items.trim_start_matches('[').trim_end_matches(']');
        let body = format!(
            r#"{{"model":"m","input":[{{"role":"user","content":"hi"}},{items},
            {{"type":"function_call_output","call_id":"toolu_1","output":"x"}}]}}"#
        );
        for same in ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"] {
            let home = sent(&body, "openai-responses", "anthropic", same);
            assert!(home.contains(r#""signature":"c2lnbmVk""#), "{home}");
        }
        let other = sent(&body, "openai-responses", "anthropic", "claude-opus-4-8");
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
fn an_empty_text_between_two_thoughts_travels_with_the_second() {
    for streamed in [false, true] {
        let items = said(INTERLEAVED, "anthropic", "openai-responses", streamed);
        let items: Vec<serde_json::Value> = serde_json::from_str(&items).unwrap();
        let empty = |item: &serde_json::Value| item["content"][0]["text"] == "";
        // Some clients bring it back, and some do not.
        for lost in [false, true] {
            let items = items.iter().filter(|item| !(lost && empty(item)));
            let items: Vec<String> = items.map(ToString::to_string).collect();
            let body = format!(
                r#"{{"model":"m","reasoning":{{"effort":"high"}},"input":[{{"role":"user","content":"hi"}},{},
                {{"type":"function_call_output","call_id":"toolu_1","output":"x"}},
                {{"type":"function_call_output","call_id":"toolu_2","output":"y"}}]}}"#,
                items.join(",")
            );
            let home = sent(&body, "openai-responses", "anthropic", "claude-sonnet-4-5");
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
fn what_only_looks_like_ours_is_left_to_its_provider() {
    for data in ["aWwxey", "aWwxe30=", "aWwxeyJibG9ja3MiOltdfQ=="] {
        let body = format!(
            r#"{{"model":"m","max_tokens":9,"thinking":{{"type":"enabled","budget_tokens":1024}},"messages":[{{"role":"user","content":"hi"}},
            {{"role":"assistant","content":[{{"type":"thinking","thinking":"x","signature":"{data}"}},{{"type":"text","text":"y"}}]}},
            {{"role":"user","content":"go on"}}]}}"#
        );
        let sent = sent(&body, "anthropic", "anthropic", "claude-sonnet-4-5");
        assert!(sent.contains(data), "{sent}");
    }
}

/// The content of a reply as its client gets it.
fn said(reply: &str, from: &str, to: &str, streamed: bool) -> String {
    let (from, to) = (find(from).unwrap(), find(to).unwrap());
    let asked = reply.split(r#""model":""#).nth(1).and_then(|rest| rest.split('"').next());
    let asked = asked.map(Text::new);
    let exchange = Exchange { carries: true, asked, ..Exchange::default() };
    let read = read_reply(reply.to_owned().into(), from, &exchange, None).unwrap();
    let body = if streamed {
        let events = interlingua::unfold(&read.reply);
        let mut writer = interlingua::writer(to, &exchange);
        let (mut out, mut ledger) = (Vec::new(), interlingua::Ledger::default());
        for event in &events {
            writer.write(event, &mut out, &mut ledger);
        }
        let mut stream = Stream::new(to, to, &Exchange::default());
        stream.push(&out.into(), &mut Vec::new());
        stream.finish(&mut Vec::new());
        let (reply, _) = stream.into_reply();
        to.encode_reply(&reply.unwrap(), &Exchange::default(), &mut ledger)
    } else {
        read.encode(to, &exchange).body.to_vec()
    };
    let body = interlingua::read_object(body.into()).unwrap();
    let root = body.root();
    root.get("content").or_else(|| root.get("output")).unwrap().raw().to_owned()
}

fn sent(body: &str, from: &str, to: &str, model: &str) -> String {
    let target = Target { model: Some(Text::new(model)), remembers: true, ..Target::default() };
    let (from, to) = (find(from).unwrap(), find(to).unwrap());
    let sent = translate_request(body.to_owned().into(), from, to, &target).unwrap();
    String::from_utf8(sent.body.to_vec()).unwrap()
}
