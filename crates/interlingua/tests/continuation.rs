//! Streamed replies that the provider pauses.

use interlingua::{ApiError, Dialect, JsonString, ReplyContext, StreamTranslator, find_dialect};
use interlingua_model::{ApiErrorKind, StopReason};

fn dialect(name: &str) -> &'static dyn Dialect {
    find_dialect(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

/// A stream with one text and a stop reason.
fn reply_stream(text: &str, stop: &str) -> String {
    let events = [
        r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"usage":{"input_tokens":3,"output_tokens":0}}}"#.to_owned(),
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#.to_owned(),
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
        format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{stop}"}},"usage":{{"output_tokens":2}}}}"#),
        r#"{"type":"message_stop"}"#.to_owned(),
    ];
    events.map(|event| format!("data: {event}\n\n")).concat()
}

fn paused_stream(out: &mut Vec<u8>) -> StreamTranslator {
    let (from, to) = (dialect("anthropic"), dialect("openai-chat"));
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default()).with_continuation();
    stream.push(&reply_stream("One. ", "pause_turn").into(), out);
    assert!(stream.is_paused() && !stream.has_ended() && !stream.can_end());
    stream
}

#[test]
fn a_paused_reply_continues_as_the_same_reply() {
    let mut out = Vec::new();
    let mut stream = paused_stream(&mut out);
    stream.resume(dialect("anthropic"), &ReplyContext::default());
    stream.push(&reply_stream("Two.", "end_turn").into(), &mut out);
    stream.finish(&mut out);
    let out = String::from_utf8(out).unwrap();
    assert_eq!((out.matches("[DONE]").count(), out.matches(r#""role""#).count()), (1, 1), "{out}");
    let (reply, ledger) = stream.into_reply();
    let reply = reply.unwrap();
    assert_eq!((reply.usage.input, reply.usage.output), (Some(6), Some(4)));
    assert_eq!((reply.turn.blocks.len(), reply.stop.reason), (2, StopReason::EndTurn));
    assert_eq!(ledger.entries[0].rule, "paused-turn");
}

#[test]
fn a_paused_reply_ends_without_a_continuation() {
    let mut out = Vec::new();
    let mut stream = paused_stream(&mut out);
    stream.release_stop(&mut out);
    assert!(stream.has_ended() && !stream.is_paused());
    assert!(String::from_utf8(out).unwrap().ends_with("data: [DONE]\n\n"));
}

#[test]
fn a_paused_reply_can_fail() {
    let mut out = Vec::new();
    let mut stream = paused_stream(&mut out);
    stream.fail(ApiError::new(ApiErrorKind::ServerError, JsonString::new("over")), &mut out);
    assert!(stream.has_ended() && !stream.is_paused());
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("over") && !out.contains("[DONE]"), "{out}");
}
