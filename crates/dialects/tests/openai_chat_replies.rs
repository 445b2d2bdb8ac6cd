//! Laws of Chat Completions replies and streams that no single case can show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod openai_chat_shared;

use bytes::Bytes;
use interlingua_dialects::openai_chat::OpenAiChat;
use interlingua_dialects::{DIALECTS, Dialect};
use interlingua_model::{
    Block, BlockContent, Citation, Delta, Extras, Ledger, Reasoning, ReasoningForm, Reply,
    ReplyAccumulator, ReplyContext, Role, Seal, Stop, StopReason, StreamEvent, ToolArgs, ToolCall,
    Turn, Usage, Verbatim, unfold,
};
use interlingua_wire::{FrameReader, Framing, JsonString, RawJson};
use openai_chat_shared::{doc, mutations};

fn text(text: &str) -> Block {
    Block::text(JsonString::new(text))
}

fn thinking(text: &str, form: ReasoningForm, seal: Option<(&'static str, &str)>) -> Block {
    let seal = seal
        .map(|(issuer, data)| Seal::new(JsonString::from_static(issuer), JsonString::new(data)));
    Block::new(BlockContent::Reasoning(Reasoning { text: JsonString::new(text), form }))
        .with_seal(seal)
}

fn call(id: &str, args: ToolArgs) -> Block {
    let call = ToolCall { id: JsonString::new(id), name: JsonString::new("f"), args };
    Block::new(BlockContent::ToolCall(call))
}

fn reply(blocks: Vec<Block>) -> Reply {
    let has_calls = blocks.iter().any(|block| matches!(block.content, BlockContent::ToolCall(_)));
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks = blocks.into_iter().map(Verbatim::new).collect();
    Reply {
        id: Some(JsonString::new("r1")),
        model: Some(JsonString::new("m")),
        turn,
        usage: Usage { input: Some(3), output: Some(4), ..Usage::default() },
        stop: Stop::new(if has_calls { StopReason::ToolUse } else { StopReason::EndTurn }),
        ..Reply::new()
    }
}

/// Replies that this dialect can express without loss.
fn replies() -> Vec<Reply> {
    let args = |json: &str| ToolArgs::Json(RawJson::parse(json.to_owned()).unwrap());
    let mut cited = text("See \"here\"\n.");
    if let BlockContent::Text { citations, .. } = &mut cited.content {
        citations.push(Citation {
            url: Some(JsonString::new("https://x")),
            title: Some(JsonString::new("X")),
            span: Some((4, 8)),
            ..Citation::default()
        });
    }
    let google = |block: Block| {
        block.with_seal(Some(Seal::new(JsonString::from_static("google"), JsonString::new("G"))))
    };
    let mut summary = thinking("sum", ReasoningForm::Summary, Some(("openai", "X")));
    if let Some(seal) = summary.seal.as_mut() {
        seal.id = Some(JsonString::new("rs_1"));
    }
    vec![
        reply(vec![text("hello")]),
        reply(vec![cited]),
        reply(vec![thinking("hm", ReasoningForm::Full, None), text("a")]),
        reply(vec![thinking("hm", ReasoningForm::Full, Some(("anthropic", "S"))), text("a")]),
        reply(vec![
            thinking("one", ReasoningForm::Full, Some(("anthropic", "S1"))),
            thinking("", ReasoningForm::Redacted, Some(("anthropic", "S2"))),
            thinking("two", ReasoningForm::Full, Some(("anthropic", "S3"))),
            text("a"),
            call("c1", args("{\"x\":1}")),
            call("c2", args("{}")),
        ]),
        reply(vec![summary.clone(), call("c1", args("{}"))]),
        reply(vec![
            thinking("s", ReasoningForm::Summary, None),
            thinking("t", ReasoningForm::Summary, None),
            summary,
        ]),
        reply(vec![
            google(call("c1", args("{}"))),
            call("c2", ToolArgs::Freeform(JsonString::new("ls"))),
        ]),
        reply(vec![google(text("a"))]),
        reply(vec![text("a"), Block::new(BlockContent::Refusal(JsonString::new("no")))]),
        reply(vec![
            call("c1", ToolArgs::Malformed(JsonString::new("{\"x\":"))),
            call("c2", args("[1]")),
        ]),
    ]
}

/// Blocks, usage and stop, without spelling markers.
fn comparable_parts(
    reply: &Reply,
) -> (Vec<Block>, Option<u64>, Option<u64>, StopReason, Option<JsonString>) {
    let blocks = reply.turn.blocks.iter().map(|block| {
        let mut block = Block { extras: Extras::default(), ..(**block).clone() };
        if let BlockContent::Text { citations, .. } = &mut block.content {
            for citation in citations {
                citation.original = None;
            }
        }
        block
    });
    let usage = &reply.usage;
    (blocks.collect(), usage.input, usage.output, reply.stop.reason, reply.id.clone())
}

fn write_stream(events: &[StreamEvent]) -> String {
    let mut writer = OpenAiChat.writer(&ReplyContext::default());
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    assert!(ledger.is_empty(), "{ledger:?}");
    String::from_utf8(out).unwrap()
}

fn read(stream: &str, cx: &ReplyContext) -> Vec<StreamEvent> {
    let mut frame_reader = FrameReader::new(Framing::Sse, 1 << 20);
    frame_reader.push(&Bytes::copy_from_slice(stream.as_bytes()));
    let mut reader = OpenAiChat.reader(cx);
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = frame_reader.next().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    if let Some(frame) = frame_reader.finish().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

fn fold(events: &[StreamEvent]) -> Reply {
    let mut accumulator = ReplyAccumulator::new();
    for event in events {
        accumulator.push(event);
    }
    accumulator.finish().unwrap()
}

fn assert_lawful(events: &[StreamEvent]) {
    assert!(matches!(events.first(), Some(StreamEvent::Start { .. })), "{events:?}");
    assert!(
        matches!(events.last(), Some(StreamEvent::Stop(_) | StreamEvent::Error(_))),
        "{events:?}"
    );
    let (mut open, mut next) = (None, 0);
    for (at, event) in events.iter().enumerate() {
        match event {
            StreamEvent::Start { .. } => assert_eq!(at, 0),
            StreamEvent::BlockStart { index, .. } => {
                assert_eq!((open, *index), (None, next));
                open = Some(*index);
            }
            StreamEvent::Delta { index, .. } => assert_eq!(open, Some(*index)),
            StreamEvent::BlockEnd { index } => {
                assert_eq!(open.take(), Some(*index));
                next += 1;
            }
            StreamEvent::Stop(_) | StreamEvent::Error(_) => {
                assert_eq!((at + 1, open), (events.len(), None));
            }
            StreamEvent::Usage(_) | StreamEvent::Ping | StreamEvent::Foreign { .. } => {}
        }
    }
}

#[test]
fn a_reply_survives_a_stream_roundtrip() {
    for reply in replies() {
        let stream = write_stream(&unfold(&reply));
        let events = read(&stream, &ReplyContext::default());
        assert_lawful(&events);
        assert_eq!(comparable_parts(&fold(&events)), comparable_parts(&reply), "{stream}");
    }
}

#[test]
fn a_reply_survives_an_encode_roundtrip() {
    for reply in replies() {
        let mut ledger = Ledger::default();
        let body = OpenAiChat.encode_reply(&reply, &ReplyContext::default(), &mut ledger);
        let body = String::from_utf8(body).unwrap();
        let decoded =
            OpenAiChat.decode_reply(&doc(&body), &ReplyContext::default(), &mut ledger).unwrap();
        assert_eq!(comparable_parts(&decoded), comparable_parts(&reply), "{body}");
        assert!(ledger.is_empty(), "{ledger:?}");
    }
}

#[test]
fn each_string_of_a_stream_is_written_once() {
    for reply in replies() {
        let stream = write_stream(&unfold(&reply));
        for unique in
            ["\"role\"", "\"id\":\"c1\"", "\"id\":\"c2\"", "\"signature\":\"S1\"", "[DONE]"]
        {
            assert!(stream.matches(unique).count() <= 1, "{unique} in {stream}");
        }
        assert_eq!(stream.matches("\"name\":\"f\"").count(), count_calls(&reply), "{stream}");
        let last: Vec<&str> = stream.lines().filter(|line| !line.is_empty()).rev().collect();
        assert!(last[0] == "data: [DONE]" && last[1].contains("\"choices\":[],\"usage\":{"));
    }
}

fn count_calls(reply: &Reply) -> usize {
    let is_call = |block: &&Verbatim<Block>| matches!(block.content, BlockContent::ToolCall(_));
    reply.turn.blocks.iter().filter(is_call).count()
}

const STREAM: &str = r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a","refusal":"no","reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"s","index":0,"id":"i","format":"f"}],"annotations":[{"type":"url_citation","url_citation":{"url":"u","start_index":0}}],"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"g"}}},{"index":1,"custom":{"name":"sh","input":"ls"}}],"images":[{"type":"image_url","image_url":{"url":"u"}}],"function_call":{"name":"f","arguments":"{}"},"audio":{"transcript":"t"}},"finish_reason":"stop","logprobs":{"content":[]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"x_groq":{"usage":{}}}"#;

#[test]
fn any_chunk_is_read_as_lawful_events() {
    let cx = ReplyContext { flavor: Some("ollama"), ..ReplyContext::default() };
    for chunk in mutations(STREAM) {
        let once = format!("data: {chunk}\n\n");
        let twice = format!("data: {STREAM}\n\n{once}data: [DONE]\n\n{once}");
        for stream in [once, twice] {
            let events = read(&stream, &cx);
            assert_lawful(&events);
            for dialect in DIALECTS {
                let mut writer = dialect.writer(&cx);
                let (mut out, mut ledger) = (Vec::new(), Ledger::default());
                for event in &events {
                    writer.write(event, &mut out, &mut ledger);
                }
            }
        }
    }
}

#[test]
fn any_reply_is_decoded() {
    let reply = STREAM.replace("\"delta\"", "\"message\"");
    for body in mutations(&reply) {
        let mut ledger = Ledger::default();
        if let Ok(reply) =
            OpenAiChat.decode_reply(&doc(&body), &ReplyContext::default(), &mut ledger)
        {
            let encoded = OpenAiChat.encode_reply(&reply, &ReplyContext::default(), &mut ledger);
            doc(&String::from_utf8(encoded).unwrap());
        }
        OpenAiChat.decode_error(400, body.as_bytes());
    }
}

#[test]
fn arguments_are_emitted_delta_by_delta() {
    let chunk = |entry: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{entry}]}}}}]}}\n\n"
        )
    };
    let stream = [
        chunk(r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}"#),
        chunk(r#"{"index":0,"function":{"arguments":"\"}\""}}"#),
    ];
    let events = read(&stream.concat(), &ReplyContext::default());
    let deltas = events
        .iter()
        .filter(|event| matches!(event, StreamEvent::Delta { delta: Delta::Args(_), .. }));
    assert_eq!(deltas.count(), 2);
}
