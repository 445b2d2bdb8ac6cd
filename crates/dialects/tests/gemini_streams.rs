//! Laws of Gemini streams: a written reply is read back unchanged, and a complete reply equals a
//! stream of one chunk.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use interlingua_dialects::Dialect;
use interlingua_dialects::gemini::Gemini;
use interlingua_model::{
    Block, BlockContent, Citation, Ledger, Media, MediaKind, MediaSource, Reasoning, ReasoningForm,
    Reply, ReplyAccumulator, ReplyContext, Seal, Stop, StopReason, StreamEvent, ToolArgs, ToolCall,
    Usage, unfold,
};
use interlingua_wire::{Frame, FrameReader, Framing, JsonDoc, JsonLimits, JsonString, RawJson};

fn signed(block: Block, data: &str) -> Block {
    block.with_seal(Some(Seal::new(JsonString::from_static("google"), JsonString::new(data))))
}

fn text(contents: &str) -> Block {
    Block::text(JsonString::new(contents))
}

fn thought(contents: &str) -> Block {
    Block::new(BlockContent::Reasoning(Reasoning {
        text: JsonString::new(contents),
        form: ReasoningForm::Summary,
    }))
}

fn call(id: &str, args: ToolArgs) -> Block {
    let (id, name) = (JsonString::new(id), JsonString::new("f"));
    Block::new(BlockContent::ToolCall(ToolCall { id, name, args }))
}

fn image() -> Block {
    let source = MediaSource::Base64 {
        mime: Some(JsonString::from_static("image/png")),
        data: JsonString::from_static("iVBORw0KGgo="),
    };
    let media = Media { kind: MediaKind::Image, source, name: None, detail: None };
    Block::new(BlockContent::Media(Box::new(media)))
}

fn cited(contents: &str) -> Block {
    let citation = Citation {
        url: Some(JsonString::from_static("https://e.org")),
        span: Some((1, 3)),
        ..Citation::default()
    };
    Block::new(BlockContent::Text { text: JsonString::new(contents), citations: vec![citation] })
}

fn args(json: &'static str) -> ToolArgs {
    ToolArgs::Json(RawJson::parse(json).unwrap())
}

fn reply(blocks: Vec<Block>) -> Reply {
    let mut reply = Reply::new();
    reply.id = Some(JsonString::from_static("r1"));
    reply.model = Some(JsonString::from_static("m"));
    reply.turn.blocks = blocks.into_iter().map(Into::into).collect();
    reply.usage = Usage { input: Some(3), output: Some(5), ..Usage::default() };
    reply.stop = Stop::new(StopReason::EndTurn).adjusted_for_tool_calls(reply.has_tool_calls());
    reply
}

/// Writes the reply as a stream with this framing, and reads it back.
fn roundtrip_stream(reply: &Reply, framing: Framing) -> Reply {
    let cx =
        ReplyContext { wants_json_array: framing == Framing::JsonArray, ..ReplyContext::default() };
    let mut writer = Gemini.writer(&cx);
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in unfold(reply) {
        writer.write(&event, &mut out, &mut ledger);
    }
    assert!(ledger.is_empty(), "{ledger:?}");
    let mut accumulator = ReplyAccumulator::new();
    for event in read(framing, &out.into()) {
        accumulator.push(&event);
    }
    let mut reread = accumulator.finish().unwrap();
    clear_originals(&mut reread);
    reread
}

fn read(framing: Framing, stream: &Bytes) -> Vec<StreamEvent> {
    let mut frame_reader = FrameReader::new(framing, 1 << 20);
    frame_reader.push(stream);
    let mut reader = Gemini.reader(&ReplyContext::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = frame_reader.finish().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

/// Removes the original values of the dialect, which a reply of another dialect does not have.
fn clear_originals(reply: &mut Reply) {
    reply.stop.original_reason = None;
    reply.usage.original = None;
    for block in &mut reply.turn.blocks {
        if let BlockContent::Text { citations, .. } = &mut block.edit().content {
            for citation in citations {
                citation.original = None;
            }
        }
    }
}

#[test]
fn a_written_reply_is_read_back_unchanged() {
    let replies = [
        vec![],
        vec![text("")],
        vec![text("Hello")],
        vec![text("a"), text("b"), text(""), text("c")],
        vec![thought("p"), thought("q"), text("a"), thought("r")],
        vec![signed(thought("p"), "cw=="), signed(text("a"), "dA=="), text("b")],
        vec![text("a"), signed(text(""), "dA==")],
        vec![thought("a"), signed(thought(""), "dA=="), thought("b")],
        vec![
            text("a"),
            signed(call("1", args(r#"{"a":[1,"\n"]}"#)), "cw=="),
            call("2", args("{}")),
        ],
        vec![call("1", args("{}")), text("")],
        vec![image(), text("a"), image()],
        vec![cited("Löwe"), text("b"), cited("abc")],
    ];
    for blocks in replies {
        let reply = reply(blocks);
        for framing in [Framing::Sse, Framing::JsonArray] {
            assert_eq!(roundtrip_stream(&reply, framing), reply);
        }
    }
}

#[test]
fn a_complete_reply_equals_a_stream_of_one_chunk() {
    let bodies = [
        r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"},{"text":""}]},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}],"responseId":"r"}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"t","thought":true},{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"cw=="},{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4},"responseId":"r","modelVersion":"m"}"#,
        r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
        r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#,
        r#"{"response":{"candidates":[{"content":{"parts":[{"executableCode":{}},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},"finishReason":"OTHER"}]}}"#,
    ];
    for body in bodies {
        let doc = JsonDoc::from_bytes(Bytes::from_static(body.as_bytes()), JsonLimits::default())
            .unwrap();
        let complete =
            Gemini.decode_reply(&doc, &ReplyContext::default(), &mut Ledger::default()).unwrap();
        let mut accumulator = ReplyAccumulator::new();
        for event in read(Framing::Sse, &format!("data: {body}\n\n").into()) {
            accumulator.push(&event);
        }
        let streamed = accumulator.finish().unwrap();
        assert_eq!(streamed.turn, complete.turn);
        assert_eq!(streamed.usage, complete.usage);
        assert_eq!(streamed.stop, complete.stop);
        assert_eq!((streamed.id, streamed.model), (complete.id.clone(), complete.model.clone()));
    }
}

#[test]
fn a_signed_thought_in_several_deltas_is_complete() {
    let mut events = unfold(&reply(vec![signed(thought("ab"), "cw==")]));
    let delta = events[2].clone();
    events.insert(3, delta);
    let mut writer = Gemini.writer(&ReplyContext::default());
    let mut out = Vec::new();
    for event in &events {
        writer.write(event, &mut out, &mut Ledger::default());
    }
    let mut accumulator = ReplyAccumulator::new();
    for event in read(Framing::Sse, &out.into()) {
        accumulator.push(&event);
    }
    let blocks = accumulator.finish().unwrap().turn.blocks;
    assert_eq!(*blocks[0], thought("abab"));
    assert_eq!(*blocks[1], signed(thought(""), "cw=="));
}

#[test]
fn chunks_after_the_end_are_dropped_and_noted_once() {
    let mut reader = Gemini.reader(&ReplyContext::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    for data in [r#"{"error":{"code":500,"message":"x","status":"INTERNAL"}}"#, "{}", "{}"] {
        let frame = Frame { data: Some(data.into()), ..Frame::default() };
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert!(
        matches!(events.as_slice(), [StreamEvent::Start { .. }, StreamEvent::Error(_)]),
        "{events:?}"
    );
    assert_eq!(ledger.entries.len(), 1);
}

#[test]
fn unknown_fields_are_emitted_once() {
    let chunk = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"safetyRatings":[]}],"createTime":"t"}"#;
    let events = read(Framing::Sse, &format!("data: {chunk}\n\ndata: {chunk}\n\n").into());
    let foreign =
        events.iter().filter(|event| matches!(event, StreamEvent::Foreign { .. })).count();
    assert_eq!(foreign, 2, "{events:?}");
}
