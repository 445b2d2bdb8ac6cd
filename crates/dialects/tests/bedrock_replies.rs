//! Tests of Bedrock replies, streams and stream errors.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::{Dialect, bedrock::Bedrock, bedrock::ID, native::Native};
use interlingua_model::{
    ApiError, ApiErrorKind, BlockContent, Ledger, Reply, ReplyAccumulator, ReplyContext,
    StopReason, StreamEvent, ToolArgs, Verbatim, unfold,
};
use interlingua_wire::{Frame, FrameReader, Framing, JsonDoc, JsonLimits, JsonString, RawJson};

fn doc(text: &str) -> JsonDoc {
    JsonDoc::parse(text.into(), JsonLimits::default()).unwrap()
}

fn decode(text: &str) -> Result<Verbatim<Reply>, ApiError> {
    let mut ledger = Ledger::default();
    let reply = Bedrock.decode_reply(&doc(text), &ReplyContext::default(), &mut ledger);
    assert!(ledger.is_empty(), "{ledger:?}");
    reply
}

fn rules(ledger: &Ledger) -> Vec<&'static str> {
    ledger.entries.iter().map(|entry| entry.rule).collect()
}

fn encode(reply: &Reply) -> (String, Vec<&'static str>) {
    let mut ledger = Ledger::default();
    let body = Bedrock.encode_reply(reply, &ReplyContext::default(), &mut ledger);
    (String::from_utf8(body).unwrap(), rules(&ledger))
}

fn from_native(text: &str) -> Verbatim<Reply> {
    Native.decode_reply(&doc(text), &ReplyContext::default(), &mut Ledger::default()).unwrap()
}

/// Reads frames given as `(event, data)` and asserts that the events are lawful.
fn read_with(cx: &ReplyContext, frames: &[(&str, &str)]) -> (Vec<StreamEvent>, Vec<&'static str>) {
    let mut reader = Bedrock.reader(cx);
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    for (event, data) in frames {
        let frame =
            Frame { raw: Bytes::new(), event: Some((*event).into()), data: Some((*data).into()) };
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert_lawful(&events);
    (events, rules(&ledger))
}

fn read(frames: &[(&str, &str)]) -> (Vec<StreamEvent>, Vec<&'static str>) {
    read_with(&ReplyContext::default(), frames)
}

fn assert_lawful(events: &[StreamEvent]) {
    assert!(matches!(events.first(), Some(StreamEvent::Start { .. })), "{events:?}");
    let (mut next, mut open, last) = (0, None, events.len() - 1);
    for (at, event) in events.iter().enumerate() {
        match event {
            StreamEvent::Start { .. } => assert_eq!(at, 0),
            StreamEvent::BlockStart { index, .. } => {
                assert_eq!((*index, open), (next, None), "{events:?}");
                open = Some(*index);
                next += 1;
            }
            StreamEvent::Delta { index, .. } => assert_eq!(open, Some(*index), "{events:?}"),
            StreamEvent::BlockEnd { index } => assert_eq!(open.take(), Some(*index), "{events:?}"),
            StreamEvent::Stop(_) | StreamEvent::Error(_) => {
                assert_eq!((at, open), (last, None), "{events:?}");
            }
            StreamEvent::Usage(_) | StreamEvent::Ping | StreamEvent::Foreign { .. } => {}
        }
    }
    assert!(
        matches!(events.last(), Some(StreamEvent::Stop(_) | StreamEvent::Error(_))),
        "{events:?}"
    );
}

fn fold(events: &[StreamEvent]) -> Result<Reply, ApiError> {
    let mut accumulator = ReplyAccumulator::new();
    for event in events {
        accumulator.push(event);
    }
    accumulator.finish()
}

fn write(events: &[StreamEvent]) -> (Vec<(String, String)>, Vec<&'static str>) {
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    let mut writer = Bedrock.writer(&ReplyContext::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    let mut frame_reader = FrameReader::new(Framing::AwsEventStream, 1 << 24);
    frame_reader.push(&out.into());
    let mut frames = Vec::new();
    while let Some(frame) = frame_reader.next().unwrap() {
        frames.push((frame.event.unwrap().to_string(), frame.data.unwrap().to_string()));
    }
    (frames, rules(&ledger))
}

const REPLY: &str = r#"{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm \u00e9","signature":"EqQ="}}},{"text":""},{"reasoningContent":{"redactedContent":"cmVk"}},{"citationsContent":{"content":[{"text":"It rains."}],"citations":[{"title":"W","sourceContent":[{"text":"rain"}],"location":{"web":{"url":"https://w"}}}]}},{"toolUse":{"toolUseId":"t1","name":"look","input":{"n": 1e2}}},{"image":{"format":"png","source":{"bytes":"iVBORw0KGgo="}}}]}},"stopReason":"tool_use","usage":{"inputTokens":10,"outputTokens":5,"totalTokens":118,"cacheReadInputTokens":100,"cacheWriteInputTokens":3,"cacheDetails":[{"ttl":"1h","inputTokens":2}]}}"#;

#[test]
fn a_complete_reply_is_decoded_and_encoded() {
    let reply = decode(REPLY).unwrap();
    let usage = &reply.usage;
    assert_eq!((usage.input, usage.output, usage.cache_read), (Some(10), Some(5), Some(100)));
    assert_eq!((usage.cache_write, usage.cache_write_1h), (Some(3), Some(2)));
    assert_eq!(reply.stop.reason, StopReason::ToolUse);
    let BlockContent::Text { text, citations } = &reply.turn.blocks[3].content else {
        panic!("text")
    };
    assert_eq!(text, "It rains.");
    assert_eq!(citations[0].url, Some("https://w".into()));
    assert_eq!(citations[0].quote, Some("rain".into()));
    let (body, rules) = encode(&reply);
    let expected = REPLY.strip_suffix('}').unwrap().to_owned() + r#","metrics":{"latencyMs":0}}"#;
    assert_eq!(body, expected);
    assert!(rules.is_empty());
}

#[test]
fn a_reply_survives_being_streamed() {
    let reply = decode(REPLY).unwrap();
    let (frames, rules) = write(&unfold(&reply));
    assert!(rules.is_empty());
    let frames: Vec<_> = frames.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let (events, rules) = read(&frames);
    assert!(rules.is_empty(), "{rules:?}");
    assert_eq!(fold(&events).unwrap(), *reply);
}

#[test]
fn a_stream_is_written_event_by_event() {
    let reply = from_native(
        r#"{"blocks":[{"thinking":"a","seal":{"issuer":"anthropic","data":"S"}},{"text":""},{"call":{"id":"c","name":"f","args":{"x":"\""}}},{"call":{"id":"d","name":"g","freeform":"say \"hi\"\n"}}],"usage":{"input":1,"cache_read":2,"output":3,"reasoning":4},"stop":{"reason":"tool-use"}}"#,
    );
    let (frames, rules) = write(&unfold(&reply));
    let lines: Vec<String> = frames.iter().map(|(event, data)| format!("{event} {data}")).collect();
    let expected = [
        r#"messageStart {"role":"assistant"}"#,
        r#"contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"a"}}}"#,
        r#"contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"S"}}}"#,
        r#"contentBlockStop {"contentBlockIndex":0}"#,
        r#"contentBlockDelta {"contentBlockIndex":1,"delta":{"text":""}}"#,
        r#"contentBlockStop {"contentBlockIndex":1}"#,
        r#"contentBlockStart {"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"c","name":"f"}}}"#,
        r#"contentBlockDelta {"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"x\":\"\\\"\"}"}}}"#,
        r#"contentBlockStop {"contentBlockIndex":2}"#,
        r#"contentBlockStart {"contentBlockIndex":3,"start":{"toolUse":{"toolUseId":"d","name":"g"}}}"#,
        r#"contentBlockDelta {"contentBlockIndex":3,"delta":{"toolUse":{"input":"{\"input\":\""}}}"#,
        r#"contentBlockDelta {"contentBlockIndex":3,"delta":{"toolUse":{"input":"say \\\"hi\\\"\\n"}}}"#,
        r#"contentBlockDelta {"contentBlockIndex":3,"delta":{"toolUse":{"input":"\"}"}}}"#,
        r#"contentBlockStop {"contentBlockIndex":3}"#,
        r#"messageStop {"stopReason":"tool_use"}"#,
        r#"metadata {"usage":{"inputTokens":1,"outputTokens":7,"totalTokens":10,"cacheReadInputTokens":2},"metrics":{"latencyMs":0}}"#,
    ];
    assert_eq!(lines, expected);
    assert!(rules.is_empty());
    // Free text that was wrapped for the provider is unwrapped for the client.
    let frames: Vec<_> = frames.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let cx = ReplyContext { freeform_tools: vec!["g".into()], ..ReplyContext::default() };
    let read = fold(&read_with(&cx, &frames).0).unwrap();
    assert_eq!(read.turn.blocks, reply.turn.blocks);
}

#[test]
fn foreign_seals_are_dropped_and_their_reasoning_is_kept() {
    let reply = from_native(
        r#"{"blocks":[{"thinking":"a","seal":{"issuer":"openai","data":"S"}},{"thinking":"b"},{"thinking":"","form":"redacted","seal":{"issuer":"openai","data":"T"}},{"refusal":"no"},{"text":"x","seal":{"issuer":"google","data":"U"}}],"stop":{"reason":"refusal"}}"#,
    );
    let expected = ["foreign-seal", "foreign-seal", "no-such-block", "foreign-seal"];
    let (body, rules) = encode(&reply);
    assert!(body.starts_with(r#"{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"a"}}},{"reasoningContent":{"reasoningText":{"text":"b"}}},{"text":"no"},{"text":"x"}]}},"stopReason":"content_filtered""#), "{body}");
    assert_eq!(rules, expected);
    let (frames, rules) = write(&unfold(&reply));
    assert_eq!(rules, expected);
    let frames: Vec<_> = frames.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(fold(&read(&frames).0).unwrap().turn.blocks.len(), 4);
}

#[test]
fn usage_is_emitted_before_the_stop() {
    let (events, _) = read(&[
        ("messageStart", r#"{"role":"assistant","p":"abc"}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"Hi"},"p":"x"}"#),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":" you"}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        ("messageStop", r#"{"stopReason":"end_turn"}"#),
        (
            "metadata",
            r#"{"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"metrics":{"latencyMs":9}}"#,
        ),
    ]);
    assert!(
        matches!(&events[events.len() - 2], StreamEvent::Usage(usage) if usage.output == Some(2))
    );
    let reply = fold(&events).unwrap();
    assert_eq!(reply.turn.blocks[0].content.as_text(), Some(&"Hi you".into()));
    assert_eq!(reply.stop.original_reason, Some((ID, "end_turn".into())));
}

#[test]
fn interleaved_blocks_are_emitted_one_by_one() {
    let call = |index: u32, id: &str| {
        format!(
            r#"{{"contentBlockIndex":{index},"start":{{"toolUse":{{"toolUseId":"{id}","name":"f"}}}}}}"#
        )
    };
    let input = |index: u32, text: &str| {
        format!(r#"{{"contentBlockIndex":{index},"delta":{{"toolUse":{{"input":"{text}"}}}}}}"#)
    };
    let (events, rules) = read(&[
        ("contentBlockStart", &call(1, "a")),
        ("contentBlockStart", &call(2, "b")),
        ("contentBlockDelta", &input(2, "[2")),
        ("contentBlockDelta", &input(1, "[1")),
        ("contentBlockStart", &call(7, "c")),
        ("contentBlockDelta", &input(2, "]")),
        ("contentBlockStop", r#"{"contentBlockIndex":7}"#),
        ("contentBlockDelta", &input(1, "]")),
        ("contentBlockStop", r#"{"contentBlockIndex":1}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":2}"#),
        ("messageStop", r#"{"stopReason":"end_turn"}"#),
    ]);
    assert_eq!(rules, ["stream-order"]);
    let reply = fold(&events).unwrap();
    let args: Vec<_> = reply
        .turn
        .blocks
        .iter()
        .map(|block| match &block.content {
            BlockContent::ToolCall(call) => (call.id.clone(), call.args.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    let json = |text: &'static str| ToolArgs::Json(RawJson::parse(text).unwrap());
    let empty = ToolArgs::Malformed(JsonString::EMPTY);
    assert_eq!(args, [("a".into(), json("[1]")), ("b".into(), json("[2]")), ("c".into(), empty)]);
    assert_eq!(reply.stop.reason, StopReason::ToolUse);
}

#[test]
fn a_signature_in_pieces_is_one_seal() {
    let delta = |text: &str| {
        format!(
            r#"{{"contentBlockIndex":0,"delta":{{"reasoningContent":{{"signature":"{text}"}}}}}}"#
        )
    };
    let (events, _) = read(&[
        ("contentBlockDelta", &delta("ab")),
        ("contentBlockDelta", &delta("cd")),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":1}"#),
        ("messageStop", r#"{"stopReason":"end_turn"}"#),
    ]);
    let reply = fold(&events).unwrap();
    assert_eq!(reply.turn.blocks[0].seal.as_ref().unwrap().data, "abcd");
    assert_eq!(reply.turn.blocks[1].content.as_text(), Some(&JsonString::EMPTY));
}

#[test]
fn server_tool_blocks_survive_a_stream_roundtrip() {
    let frames = [
        (
            "contentBlockStart",
            r#"{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"s","name":"nova_grounding","type":"server_tool_use"}}}"#,
        ),
        ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{}"}}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
        (
            "contentBlockStart",
            r#"{"contentBlockIndex":1,"start":{"toolResult":{"toolUseId":"s","type":"nova_grounding_result"}}}"#,
        ),
        ("contentBlockDelta", r#"{"contentBlockIndex":1,"delta":{"toolResult":[{"text":"r"}]}}"#),
        ("contentBlockStop", r#"{"contentBlockIndex":1}"#),
        ("messageStop", r#"{"stopReason":"end_turn"}"#),
    ];
    let (events, rules) = read(&frames);
    assert!(rules.is_empty());
    let reply = fold(&events).unwrap();
    assert!(!reply.has_tool_calls());
    assert_eq!(reply.stop.reason, StopReason::EndTurn);
    let (written, rules) = write(&events);
    assert!(rules.is_empty());
    let written: Vec<_> = written.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(written[1..8], frames);
}

#[test]
fn broken_streams_still_give_lawful_events() {
    let delta = ("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"a"}}"#);
    let stop = ("messageStop", r#"{"stopReason":"end_turn"}"#);
    let kind = |frames: &[(&str, &str)]| fold(&read(frames).0).err().map(|error| error.kind);
    assert_eq!(kind(&[]), Some(ApiErrorKind::ServerError));
    assert_eq!(kind(&[delta]), Some(ApiErrorKind::ServerError));
    assert_eq!(kind(&[delta, stop]), None);
    assert_eq!(
        kind(&[delta, ("exception:throttlingException", r#"{"message":"slow"}"#)]),
        Some(ApiErrorKind::RateLimit)
    );
    assert_eq!(
        kind(&[("exception:modelStreamErrorException", "")]),
        Some(ApiErrorKind::ServerError)
    );
    assert_eq!(
        kind(&[delta, stop, ("exception:internalServerException", "{}")]),
        Some(ApiErrorKind::ServerError)
    );
    let (_, rules) =
        read(&[delta, ("contentBlockDelta", "{"), stop, delta, ("metadata", "{}"), delta, delta]);
    assert_eq!(rules, ["bad-frame", "stream-order", "stream-order", "stream-order"]);
    let odd = [
        "null",
        "7",
        "[]",
        "{}",
        r#"{"delta":{}}"#,
        r#"{"delta":{"new":1}}"#,
        r#"{"start":{"new":1}}"#,
        r#"{"contentBlockIndex":"x","delta":{"toolUse":{"input":{"a":1}}}}"#,
    ];
    let names = [
        "messageStart",
        "contentBlockStart",
        "contentBlockDelta",
        "contentBlockStop",
        "later",
        "metadata",
        "messageStop",
    ];
    for first in names {
        for second in names {
            for data in odd {
                read(&[(first, data), delta, (second, data), (second, data), delta]);
            }
        }
    }
}

#[test]
fn deeply_interleaved_blocks_cost_no_stack() {
    let frames: Vec<(String, String)> = (0..20_000)
        .map(|at| ("contentBlockDelta", at, r#","delta":{"text":"a"}"#))
        .chain((0..20_000).rev().map(|at| ("contentBlockStop", at, "")))
        .map(|(event, at, rest)| (event.into(), format!(r#"{{"contentBlockIndex":{at}{rest}}}"#)))
        .collect();
    let frames: Vec<_> = frames.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let (events, _) = read(&frames);
    assert_eq!(
        events.iter().filter(|event| matches!(event, StreamEvent::BlockEnd { .. })).count(),
        20_000
    );
}

#[test]
fn an_error_ends_the_stream_as_an_exception() {
    let error = ApiError::new(ApiErrorKind::ContextOverflow, "prompt is too long".into());
    let start = StreamEvent::Start { id: None, model: None };
    let (frames, _) = write(&[start, StreamEvent::Error(Box::new(error))]);
    assert_eq!(frames[1].0, "exception:validationException");
    assert!(frames[1].1.starts_with(r#"{"message":"Input is too long for requested model."#));
}
