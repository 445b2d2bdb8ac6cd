//! Limits of what a provider's stream may cost, and reply ids that are in use.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{
    JsonString, ReplyContext, StreamLimits, StreamTranslator, decode_reply, find_dialect,
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
            let limits = StreamLimits { max_preface_bytes: 5000, ..StreamLimits::default() };
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
