//! Laws of the gemini dialect's streams: what is written is read back as the same reply, and a whole
//! reply is a stream of one chunk.
#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

use bytes::Bytes;
use interlingua_dialects::Dialect;
use interlingua_dialects::gemini::Gemini;
use interlingua_model::{
    Args, Block, Body, Citation, Event, Exchange, Fold, Form, Ledger, Media, MediaKind, Reply,
    Seal, Source, Stop, StopReason, Thinking, ToolCall, Usage, unfold,
};
use interlingua_wire::{Doc, Frame, Framer, Framing, Json, Limits, Text};

/// A block with a signature of the provider.
fn signed(block: Block, data: &str) -> Block {
    block.sealed(Some(Seal::new(Text::word("google"), Text::new(data))))
}

fn text(contents: &str) -> Block {
    Block::text(Text::new(contents))
}

fn thought(contents: &str) -> Block {
    Block::new(Body::Thinking(Thinking { text: Text::new(contents), form: Form::Summary }))
}

fn call(id: &str, args: Args) -> Block {
    let (id, name) = (Text::new(id), Text::new("f"));
    Block::new(Body::ToolCall(ToolCall { id, name, args }))
}

fn image() -> Block {
    let source =
        Source::Base64 { mime: Some(Text::word("image/png")), data: Text::word("iVBORw0KGgo=") };
    let media = Media { kind: MediaKind::Image, source, name: None, detail: None };
    Block::new(Body::Media(Box::new(media)))
}

fn cited(contents: &str) -> Block {
    let citation = Citation {
        url: Some(Text::word("https://e.org")),
        span: Some((1, 3)),
        ..Citation::default()
    };
    Block::new(Body::Text { text: Text::new(contents), citations: vec![citation] })
}

fn args(json: &'static str) -> Args {
    Args::Json(Json::parse(json).unwrap())
}

fn reply(blocks: Vec<Block>) -> Reply {
    let mut reply = Reply::new();
    reply.id = Some(Text::word("r1"));
    reply.model = Some(Text::word("m"));
    reply.turn.blocks = blocks.into_iter().map(Into::into).collect();
    reply.usage = Usage { input: Some(3), output: Some(5), ..Usage::default() };
    reply.stop = Stop::new(StopReason::End).with_calls(reply.has_calls());
    reply
}

/// Through the writer and back through the reader, in this framing.
fn through(reply: &Reply, framing: Framing) -> Reply {
    let exchange = Exchange { array: framing == Framing::JsonArray, ..Exchange::default() };
    let mut writer = Gemini.writer(&exchange);
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in unfold(reply) {
        writer.write(&event, &mut out, &mut ledger);
    }
    assert!(ledger.is_empty(), "{ledger:?}");
    let mut fold = Fold::new();
    for event in read(framing, &out.into()) {
        fold.push(&event);
    }
    let mut again = fold.finish().unwrap();
    forget_spelling(&mut again);
    again
}

fn read(framing: Framing, stream: &Bytes) -> Vec<Event> {
    let mut framer = Framer::new(framing, 1 << 20);
    framer.push(stream);
    let mut reader = Gemini.reader(&Exchange::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = framer.finish().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

/// Forgets the words of the dialect itself, which a reply from elsewhere does not have.
fn forget_spelling(reply: &mut Reply) {
    reply.stop.word = None;
    reply.usage.written = None;
    for block in &mut reply.turn.blocks {
        if let Body::Text { citations, .. } = &mut block.edit().body {
            for citation in citations {
                citation.written = None;
            }
        }
    }
}

#[test]
fn what_is_written_is_read_back_as_the_same_reply() {
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
            assert_eq!(through(&reply, framing), reply);
        }
    }
}

#[test]
fn a_whole_reply_is_a_stream_of_one_chunk() {
    let bodies = [
        r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"},{"text":""}]},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}],"responseId":"r"}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"t","thought":true},{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"cw=="},{"functionCall":{"name":"f"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"cachedContentTokenCount":4},"responseId":"r","modelVersion":"m"}"#,
        r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
        r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#,
        r#"{"response":{"candidates":[{"content":{"parts":[{"executableCode":{}},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},"finishReason":"OTHER"}]}}"#,
    ];
    for body in bodies {
        let doc = Doc::from_bytes(Bytes::from_static(body.as_bytes()), Limits::default()).unwrap();
        let whole =
            Gemini.decode_reply(&doc, &Exchange::default(), &mut Ledger::default()).unwrap();
        let mut fold = Fold::new();
        for event in read(Framing::Sse, &format!("data: {body}\n\n").into()) {
            fold.push(&event);
        }
        let streamed = fold.finish().unwrap();
        assert_eq!(streamed.turn, whole.turn);
        assert_eq!(streamed.usage, whole.usage);
        assert_eq!(streamed.stop, whole.stop);
        assert_eq!((streamed.id, streamed.model), (whole.id.clone(), whole.model.clone()));
    }
}

#[test]
fn a_signed_thought_in_many_pieces_loses_nothing() {
    let mut events = unfold(&reply(vec![signed(thought("ab"), "cw==")]));
    let piece = events[2].clone();
    events.insert(3, piece);
    let mut writer = Gemini.writer(&Exchange::default());
    let mut out = Vec::new();
    for event in &events {
        writer.write(event, &mut out, &mut Ledger::default());
    }
    let mut fold = Fold::new();
    for event in read(Framing::Sse, &out.into()) {
        fold.push(&event);
    }
    let blocks = fold.finish().unwrap().turn.blocks;
    assert_eq!(*blocks[0], thought("abab"));
    assert_eq!(*blocks[1], signed(thought(""), "cw=="));
}

#[test]
fn nothing_comes_after_the_end_and_that_is_noted_once() {
    let mut reader = Gemini.reader(&Exchange::default());
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    for data in [r#"{"error":{"code":500,"message":"x","status":"INTERNAL"}}"#, "{}", "{}"] {
        let frame = Frame { data: Some(data.into()), ..Frame::default() };
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    assert!(matches!(events.as_slice(), [Event::Start { .. }, Event::Fail(_)]), "{events:?}");
    assert_eq!(ledger.entries.len(), 1);
}

#[test]
fn fields_only_this_dialect_has_are_told_once() {
    let chunk = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"safetyRatings":[]}],"createTime":"t"}"#;
    let events = read(Framing::Sse, &format!("data: {chunk}\n\ndata: {chunk}\n\n").into());
    let foreign = events.iter().filter(|event| matches!(event, Event::Foreign { .. })).count();
    assert_eq!(foreign, 2, "{events:?}");
}
