//! Replies and streams of the openai-chat dialect: laws that no single case can show.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod openai_chat_shared;

use bytes::Bytes;
use interlingua_dialects::openai_chat::OpenAiChat;
use interlingua_dialects::{ALL, Dialect};
use interlingua_model::{
    Args, Block, Body, Citation, Delta, Event, Exchange, Extras, Fold, Form, Ledger, Reply, Role,
    Seal, Stop, StopReason, Thinking, ToolCall, Turn, Usage, Verbatim, unfold,
};
use interlingua_wire::{Framer, Framing, Json, Text};
use openai_chat_shared::{doc, mutations};

fn text(text: &str) -> Block {
    Block::text(Text::new(text))
}

fn thinking(text: &str, form: Form, seal: Option<(&'static str, &str)>) -> Block {
    let seal = seal.map(|(issuer, data)| Seal::new(Text::word(issuer), Text::new(data)));
    Block::new(Body::Thinking(Thinking { text: Text::new(text), form })).sealed(seal)
}

fn call(id: &str, args: Args) -> Block {
    let call = ToolCall { id: Text::new(id), name: Text::new("f"), args };
    Block::new(Body::ToolCall(call))
}

fn reply(blocks: Vec<Block>) -> Reply {
    let has_calls = blocks.iter().any(|block| matches!(block.body, Body::ToolCall(_)));
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks = blocks.into_iter().map(Verbatim::new).collect();
    Reply {
        id: Some(Text::new("r1")),
        model: Some(Text::new("m")),
        turn,
        usage: Usage { input: Some(3), output: Some(4), ..Usage::default() },
        stop: Stop::new(if has_calls { StopReason::ToolUse } else { StopReason::End }),
        ..Reply::new()
    }
}

/// Replies this dialect can say without loss.
fn replies() -> Vec<Reply> {
    let args = |json: &str| Args::Json(Json::parse(json.to_owned()).unwrap());
    let mut cited = text("See \"here\"\n.");
    if let Body::Text { citations, .. } = &mut cited.body {
        citations.push(Citation {
            url: Some(Text::new("https://x")),
            title: Some(Text::new("X")),
            span: Some((4, 8)),
            ..Citation::default()
        });
    }
    let google = |block: Block| block.sealed(Some(Seal::new(Text::word("google"), Text::new("G"))));
    let mut summary = thinking("sum", Form::Summary, Some(("openai", "X")));
    if let Some(seal) = summary.seal.as_mut() {
        seal.id = Some(Text::new("rs_1"));
    }
    vec![
        reply(vec![text("hello")]),
        reply(vec![cited]),
        reply(vec![thinking("hm", Form::Full, None), text("a")]),
        reply(vec![thinking("hm", Form::Full, Some(("anthropic", "S"))), text("a")]),
        reply(vec![
            thinking("one", Form::Full, Some(("anthropic", "S1"))),
            thinking("", Form::Redacted, Some(("anthropic", "S2"))),
            thinking("two", Form::Full, Some(("anthropic", "S3"))),
            text("a"),
            call("c1", args("{\"x\":1}")),
            call("c2", args("{}")),
        ]),
        reply(vec![summary.clone(), call("c1", args("{}"))]),
        reply(vec![
            thinking("s", Form::Summary, None),
            thinking("t", Form::Summary, None),
            summary,
        ]),
        reply(vec![google(call("c1", args("{}"))), call("c2", Args::Freeform(Text::new("ls")))]),
        reply(vec![google(text("a"))]),
        reply(vec![text("a"), Block::new(Body::Refusal(Text::new("no")))]),
        reply(vec![call("c1", Args::Malformed(Text::new("{\"x\":"))), call("c2", args("[1]"))]),
    ]
}

/// Blocks, usage and stop, without what only remembers a spelling.
fn meaning(reply: &Reply) -> (Vec<Block>, Option<u64>, Option<u64>, StopReason, Option<Text>) {
    let blocks = reply.turn.blocks.iter().map(|block| {
        let mut block = Block { extras: Extras::default(), ..(**block).clone() };
        if let Body::Text { citations, .. } = &mut block.body {
            for citation in citations {
                citation.written = None;
            }
        }
        block
    });
    let usage = &reply.usage;
    (blocks.collect(), usage.input, usage.output, reply.stop.reason, reply.id.clone())
}

fn stream(events: &[Event]) -> String {
    let mut writer = OpenAiChat.writer(&Exchange::default());
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    assert!(ledger.is_empty(), "{ledger:?}");
    String::from_utf8(out).unwrap()
}

fn read(stream: &str, exchange: &Exchange) -> Vec<Event> {
    let mut framer = Framer::new(Framing::Sse, 1 << 20);
    framer.push(&Bytes::copy_from_slice(stream.as_bytes()));
    let mut reader = OpenAiChat.reader(exchange);
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    while let Some(frame) = framer.next().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    if let Some(frame) = framer.finish().unwrap() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

fn fold(events: &[Event]) -> Reply {
    let mut fold = Fold::new();
    for event in events {
        fold.push(event);
    }
    fold.finish().unwrap()
}

fn assert_lawful(events: &[Event]) {
    assert!(matches!(events.first(), Some(Event::Start { .. })), "{events:?}");
    assert!(matches!(events.last(), Some(Event::Stop(_) | Event::Fail(_))), "{events:?}");
    let (mut open, mut next) = (None, 0);
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start { .. } => assert_eq!(at, 0),
            Event::Open { index, .. } => {
                assert_eq!((open, *index), (None, next));
                open = Some(*index);
            }
            Event::Delta { index, .. } => assert_eq!(open, Some(*index)),
            Event::Close { index } => {
                assert_eq!(open.take(), Some(*index));
                next += 1;
            }
            Event::Stop(_) | Event::Fail(_) => {
                assert_eq!((at + 1, open), (events.len(), None));
            }
            Event::Usage(_) | Event::Ping | Event::Foreign { .. } => {}
        }
    }
}

#[test]
fn a_reply_streamed_and_read_back_is_the_reply() {
    for reply in replies() {
        let stream = stream(&unfold(&reply));
        let events = read(&stream, &Exchange::default());
        assert_lawful(&events);
        assert_eq!(meaning(&fold(&events)), meaning(&reply), "{stream}");
    }
}

#[test]
fn a_reply_written_whole_and_read_back_is_the_reply() {
    for reply in replies() {
        let mut ledger = Ledger::default();
        let body = OpenAiChat.encode_reply(&reply, &Exchange::default(), &mut ledger);
        let body = String::from_utf8(body).unwrap();
        let back = OpenAiChat.decode_reply(&doc(&body), &Exchange::default(), &mut ledger).unwrap();
        assert_eq!(meaning(&back), meaning(&reply), "{body}");
        assert!(ledger.is_empty(), "{ledger:?}");
    }
}

#[test]
fn each_string_of_a_stream_is_sent_once() {
    for reply in replies() {
        let stream = stream(&unfold(&reply));
        for once in ["\"role\"", "\"id\":\"c1\"", "\"id\":\"c2\"", "\"signature\":\"S1\"", "[DONE]"]
        {
            assert!(stream.matches(once).count() <= 1, "{once} in {stream}");
        }
        assert_eq!(stream.matches("\"name\":\"f\"").count(), count_calls(&reply), "{stream}");
        let last: Vec<&str> = stream.lines().filter(|line| !line.is_empty()).rev().collect();
        assert!(last[0] == "data: [DONE]" && last[1].contains("\"choices\":[],\"usage\":{"));
    }
}

fn count_calls(reply: &Reply) -> usize {
    let is_call = |block: &&Verbatim<Block>| matches!(block.body, Body::ToolCall(_));
    reply.turn.blocks.iter().filter(is_call).count()
}

const STREAM: &str = r#"{"id":"c","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"a","refusal":"no","reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"t","signature":"s","index":0,"id":"i","format":"f"}],"annotations":[{"type":"url_citation","url_citation":{"url":"u","start_index":0}}],"tool_calls":[{"index":0,"id":"x","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"g"}}},{"index":1,"custom":{"name":"sh","input":"ls"}}],"images":[{"type":"image_url","image_url":{"url":"u"}}],"function_call":{"name":"f","arguments":"{}"},"audio":{"transcript":"t"}},"finish_reason":"stop","logprobs":{"content":[]}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3},"x_groq":{"usage":{}}}"#;

#[test]
fn whatever_a_chunk_holds_the_events_are_lawful() {
    let exchange = Exchange { flavor: Some("ollama"), ..Exchange::default() };
    for chunk in mutations(STREAM) {
        let once = format!("data: {chunk}\n\n");
        let twice = format!("data: {STREAM}\n\n{once}data: [DONE]\n\n{once}");
        for stream in [once, twice] {
            let events = read(&stream, &exchange);
            assert_lawful(&events);
            for dialect in ALL {
                let mut writer = dialect.writer(&exchange);
                let (mut out, mut ledger) = (Vec::new(), Ledger::default());
                for event in &events {
                    writer.write(event, &mut out, &mut ledger);
                }
            }
        }
    }
}

#[test]
fn whatever_a_reply_holds_it_is_read() {
    let reply = STREAM.replace("\"delta\"", "\"message\"");
    for body in mutations(&reply) {
        let mut ledger = Ledger::default();
        if let Ok(reply) = OpenAiChat.decode_reply(&doc(&body), &Exchange::default(), &mut ledger) {
            let again = OpenAiChat.encode_reply(&reply, &Exchange::default(), &mut ledger);
            doc(&String::from_utf8(again).unwrap());
        }
        OpenAiChat.decode_error(400, body.as_bytes());
    }
}

#[test]
fn arguments_stream_on_as_they_come() {
    let chunk = |entry: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{entry}]}}}}]}}\n\n"
        )
    };
    let stream = [
        chunk(r#"{"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":"}}"#),
        chunk(r#"{"index":0,"function":{"arguments":"\"}\""}}"#),
    ];
    let events = read(&stream.concat(), &Exchange::default());
    let pieces =
        events.iter().filter(|event| matches!(event, Event::Delta { delta: Delta::Args(_), .. }));
    assert_eq!(pieces.count(), 2);
}
