//! A streamed reply that its provider pauses.

use interlingua::model::{FailureKind, StopReason};
use interlingua::{Dialect, Exchange, Failure, Stream, Text, find};

fn dialect(name: &str) -> &'static dyn Dialect {
    find(name).unwrap_or_else(|| unreachable!("{name} is a dialect"))
}

/// One text, and why the reply ends with it.
fn said(text: &str, stop: &str) -> String {
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

fn paused(out: &mut Vec<u8>) -> Stream {
    let (from, to) = (dialect("anthropic"), dialect("openai-chat"));
    let mut stream = Stream::new(from, to, &Exchange::default()).pausing();
    stream.push(&said("One. ", "pause_turn").into(), out);
    assert!(stream.is_paused() && !stream.has_ended() && !stream.has_stopped());
    stream
}

#[test]
fn it_goes_on_as_the_same_reply() {
    let mut out = Vec::new();
    let mut stream = paused(&mut out);
    stream.goes_on(dialect("anthropic"), &Exchange::default());
    stream.push(&said("Two.", "end_turn").into(), &mut out);
    stream.finish(&mut out);
    let out = String::from_utf8(out).unwrap();
    assert_eq!((out.matches("[DONE]").count(), out.matches(r#""role""#).count()), (1, 1), "{out}");
    let (reply, ledger) = stream.into_reply();
    let reply = reply.unwrap();
    assert_eq!((reply.usage.input, reply.usage.output), (Some(6), Some(4)));
    assert_eq!((reply.turn.blocks.len(), reply.stop.reason), (2, StopReason::End));
    assert_eq!(ledger.entries[0].rule, "paused-turn");
}

#[test]
fn it_ends_where_nobody_goes_on() {
    let mut out = Vec::new();
    let mut stream = paused(&mut out);
    stream.stays(&mut out);
    assert!(stream.has_ended() && !stream.is_paused());
    assert!(String::from_utf8(out).unwrap().ends_with("data: [DONE]\n\n"));
}

#[test]
fn it_can_be_given_up() {
    let mut out = Vec::new();
    let mut stream = paused(&mut out);
    stream.fail(Failure::new(FailureKind::Upstream, Text::new("over")), &mut out);
    assert!(stream.has_ended() && !stream.is_paused());
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("over") && !out.contains("[DONE]"), "{out}");
}
