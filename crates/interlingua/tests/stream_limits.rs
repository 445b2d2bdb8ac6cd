//! Limits of what a provider's reply may cost, and reply ids that are in use.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{
    Block, BlockContent, JsonString, ReplyContext, ReplyError, ReplyLimits, StreamTranslator,
    decode_reply, decode_reply_with_limits, find_dialect,
};
use interlingua_model::TakenIds;

fn translator(from: &str, to: &str, cx: &ReplyContext) -> StreamTranslator {
    StreamTranslator::new(find_dialect(from).unwrap(), find_dialect(to).unwrap(), cx)
}

const DIALECTS: &[&str] = &["anthropic", "openai-chat", "openai-responses", "gemini"];

#[test]
fn repeated_pings_become_one() {
    let ping = "event: ping\ndata: {\"type\":\"ping\"}\n\n";
    for to in &DIALECTS[1..] {
        let mut lengths = Vec::new();
        for count in [1, 1000] {
            let mut stream = translator("anthropic", to, &ReplyContext::default());
            let (mut out, start) =
                (Vec::new(), "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\"}}\n\n");
            stream.push(&format!("{start}{}", ping.repeat(count)).into(), &mut out);
            lengths.push(out.len());
        }
        assert_eq!(lengths[0], lengths[1], "{to}");
    }
}

#[test]
fn what_precedes_the_content_is_limited() {
    for preface in ["\n\n\n", ": a\n\n", "data: {}\n\n"] {
        for (from, to) in DIALECTS.iter().flat_map(|from| DIALECTS.iter().map(move |to| (from, to)))
        {
            let limits = ReplyLimits { max_preface_bytes: 5000, ..ReplyLimits::default() };
            let mut stream = translator(from, to, &ReplyContext::default()).with_limits(limits);
            let mut out = Vec::new();
            for _ in 0..100 {
                stream.push(&preface.repeat(100).into(), &mut out);
            }
            assert!(stream.is_closed(), "{from} {to} {preface:?}");
            let error = stream.error().map(|error| error.message.to_string());
            let expected = "the provider sent more than 5000 bytes before its reply";
            assert_eq!(error.as_deref(), Some(expected), "{from} {to} {preface:?}");
        }
    }
}

#[test]
fn many_irregular_events_share_entries() {
    for from in DIALECTS {
        let mut stream = translator(from, "anthropic", &ReplyContext::default());
        let mut out = Vec::new();
        for _ in 0..50 {
            stream.push(&"data: {\"a\":\n\n".repeat(100).into(), &mut out);
        }
        let ledger = stream.ledger();
        assert!(ledger.entries.len() < 1100, "{from}: {}", ledger.entries.len());
        assert!(ledger.count() >= 5000, "{from}: {}", ledger.count());
        let last = ledger.entries.last().unwrap().to_json();
        assert!(last.as_str().contains(" more)"), "{from}: {last:?}");
    }
}

/// Replies of which the list in the middle becomes blocks or citations, and an element of it.
const BLOCK_LISTS: &[(&str, &str, &str)] = &[
    ("anthropic", r#"{"content":LIST,"stop_reason":"end_turn"}"#, "{}"),
    ("anthropic", r#"{"content":[LIST],"stop_reason":"end_turn"}"#, "{}"),
    (
        "anthropic",
        r#"{"content":[{"type":"text","text":"a","citations":LIST}],"stop_reason":"end_turn"}"#,
        "{}",
    ),
    ("openai-chat", r#"{"choices":[{"message":{"content":LIST}}]}"#, "{}"),
    (
        "openai-chat",
        r#"{"choices":[{"message":{"content":null,"tool_calls":LIST}}]}"#,
        r#"{"id":"c","type":"function","function":{"name":"t","arguments":"{}"}}"#,
    ),
    (
        "openai-chat",
        r#"{"choices":[{"message":{"content":"a","reasoning_details":LIST}}]}"#,
        r#"{"type":"reasoning.text","text":"t"}"#,
    ),
    (
        "openai-chat",
        r#"{"choices":[{"message":{"content":"a","thinking_blocks":LIST}}]}"#,
        r#"{"type":"thinking","thinking":"t"}"#,
    ),
    ("openai-chat", r#"{"choices":[{"message":{"content":"a","annotations":LIST}}]}"#, "{}"),
    (
        "openai-chat",
        r#"{"choices":[{"message":{"content":"a","images":LIST}}]}"#,
        r#"{"type":"image_url","image_url":{"url":"https://a.example"}}"#,
    ),
    ("openai-responses", r#"{"id":"r","status":"completed","output":LIST}"#, r#"{"type":"x"}"#),
    (
        "openai-responses",
        r#"{"id":"r","status":"completed","output":[{"type":"message","content":LIST}]}"#,
        "{}",
    ),
    (
        "openai-responses",
        r#"{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a","annotations":LIST}]}]}"#,
        "{}",
    ),
    (
        "gemini",
        r#"{"candidates":[{"content":{"parts":LIST},"finishReason":"STOP"}]}"#,
        r#"{"functionCall":{"name":"t"}}"#,
    ),
    (
        "gemini",
        r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"citation_metadata":{"citation_sources":LIST},"finishReason":"STOP"}]}"#,
        "{}",
    ),
    (
        "bedrock",
        r#"{"output":{"message":{"role":"assistant","content":LIST}},"stopReason":"end_turn"}"#,
        "{}",
    ),
    (
        "bedrock",
        r#"{"output":{"message":{"role":"assistant","content":[{"citationsContent":{"content":[{"text":"a"}],"citations":LIST}}]}},"stopReason":"end_turn"}"#,
        "{}",
    ),
    ("native", r#"{"interlingua":1,"blocks":LIST,"stop":{"reason":"end_turn"}}"#, "{}"),
];

fn with_list(reply: &str, item: &str, count: usize) -> String {
    reply.replace("LIST", &format!("[{}]", vec![item; count].join(",")))
}

#[test]
fn the_blocks_of_a_whole_reply_are_limited() {
    let limits = ReplyLimits { max_blocks: 100, ..ReplyLimits::default() };
    let decode = |from: &str, body: String| {
        let from = find_dialect(from).unwrap();
        decode_reply_with_limits(body.into(), from, &ReplyContext::default(), None, &limits)
    };
    for (from, reply, item) in BLOCK_LISTS {
        let items = |count: usize| with_list(reply, item, count);
        assert!(decode(from, items(90)).is_ok(), "{from} {reply}");
        match decode(from, items(101)) {
            Err(ReplyError::Api(error)) => {
                assert_eq!(error.message, "the reply has more than 100 blocks", "{from} {reply}");
                assert_eq!(error.status, 502, "{from} {reply}");
            }
            other => panic!("{from} {reply}: {other:?}"),
        }
    }
}

#[test]
fn every_list_that_becomes_blocks_is_counted() {
    for (from, reply, item) in BLOCK_LISTS {
        let body = with_list(reply, item, 90).into();
        let decoded =
            decode_reply(body, find_dialect(from).unwrap(), &ReplyContext::default(), None);
        let blocks = decoded.unwrap().reply.into_value().turn.blocks;
        let citations = |block: &Block| match &block.content {
            BlockContent::Text { citations, .. } => citations.len(),
            _ => 0,
        };
        let count = blocks.len() + blocks.iter().map(|block| citations(block)).sum::<usize>();
        assert!(count >= 90, "{from} {reply}: {count}");
    }
}

#[test]
fn lists_that_are_not_decoded_are_not_limited() {
    let limits = ReplyLimits { max_blocks: 100, ..ReplyLimits::default() };
    let replies = [
        (
            "anthropic",
            r#"{"content":[{"type":"tool_use","id":"c","name":"t","input":{"content":LIST}}],"stop_reason":"tool_use"}"#,
        ),
        (
            "openai-chat",
            r#"{"prompt_token_ids":LIST,"choices":[{"message":{"content":"a"},"token_ids":LIST,"logprobs":{"content":LIST}}]}"#,
        ),
        (
            "openai-responses",
            r#"{"id":"r","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a","logprobs":LIST}]}]}"#,
        ),
        (
            "gemini",
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":{"parts":LIST}}}]},"finishReason":"STOP","logprobsResult":{"chosenCandidates":LIST}}]}"#,
        ),
        (
            "bedrock",
            r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"t","input":{"content":LIST}}}]}},"stopReason":"tool_use"}"#,
        ),
    ];
    for (from, reply) in replies {
        let body = with_list(reply, r#"{"token":"a","logprob":-0.5}"#, 1000);
        let (from, cx) = (find_dialect(from).unwrap(), ReplyContext::default());
        decode_reply_with_limits(body.into(), from, &cx, None, &limits).unwrap();
    }
}

#[test]
fn the_blocks_of_a_stream_are_limited() {
    let limits = ReplyLimits { max_blocks: 100, ..ReplyLimits::default() };
    let part = r#"{"functionCall":{"name":"t","args":{}}}"#;
    let chunk = |parts: usize| {
        let parts = vec![part; parts].join(",");
        format!("data: {{\"candidates\":[{{\"content\":{{\"parts\":[{parts}]}}}}]}}\n\n")
    };
    let end = "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n";
    for to in DIALECTS {
        // One event with too many, and many events.
        for (chunks, parts, is_over) in [(1, 101, true), (11, 10, true), (9, 10, false)] {
            let mut stream = translator("gemini", to, &ReplyContext::default()).with_limits(limits);
            let mut out = Vec::new();
            for _ in 0..chunks {
                stream.push(&chunk(parts).into(), &mut out);
            }
            stream.push(&end.into(), &mut out);
            stream.finish(&mut out);
            let error = stream.error().map(|error| error.message.to_string());
            let expected = is_over.then_some("the reply has more than 100 blocks");
            assert_eq!(error.as_deref(), expected, "{to} {chunks} {parts}");
            let out = String::from_utf8(out).unwrap();
            assert_eq!(out.contains("more than 100 blocks"), is_over, "{to} {chunks}: {out}");
        }
    }
}

fn taken_context() -> ReplyContext {
    let taken_ids = TakenIds::new(JsonString::new("resp_new"), |id| *id == "resp_1");
    ReplyContext { taken_ids: Some(taken_ids), ..ReplyContext::default() }
}

#[test]
fn a_streamed_reply_with_an_id_in_use_gets_another() {
    let stream_with_id = |id: &str| {
        let mut stream = translator("openai-responses", "openai-responses", &taken_context());
        let mut out = Vec::new();
        for kind in ["created", "completed"] {
            let event = format!(
                "event: response.{kind}\ndata: {{\"type\":\"response.{kind}\",\"sequence_number\":1,\
                 \"response\":{{\"id\":\"{id}\",\"status\":\"{kind}\",\"output\":[]}}}}\n\n"
            );
            stream.push(&event.into(), &mut out);
        }
        stream.finish(&mut out);
        let id = stream.into_reply().0.unwrap().id.unwrap();
        (id.to_string(), String::from_utf8(out).unwrap())
    };
    let (id, out) = stream_with_id("resp_1");
    assert_eq!(id, "resp_new");
    assert!(!out.contains("\"resp_1\"") && out.contains("\"resp_new\""), "{out}");
    let (id, out) = stream_with_id("resp_2");
    assert_eq!(id, "resp_2");
    assert!(!out.contains("resp_new"), "{out}");
}

#[test]
fn a_whole_reply_with_an_id_in_use_gets_another() {
    let dialect = find_dialect("openai-responses").unwrap();
    let body = r#"{"id":"resp_1","object":"response","status":"completed","output":[]}"#;
    let cx = taken_context();
    let reply = decode_reply(body.into(), dialect, &cx, None).unwrap();
    let translated = reply.encode(dialect, &cx);
    let text = String::from_utf8_lossy(&translated.body);
    assert!(text.contains("\"resp_new\"") && !text.contains("\"resp_1\""), "{text}");
}
