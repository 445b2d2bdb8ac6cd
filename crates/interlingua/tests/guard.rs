//! The guard on the road: every dialect to every dialect, streamed and whole.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use bytes::Bytes;
use interlingua::guard::{Finding, Limits, Mode, Modes, Offer, Schemas, Takes, Watch};
use interlingua::model::{Args, Block, Body, Stop, StopReason, ToolCall};
use interlingua::{
    ALL, Dialect, Exchange, GUARD_MEND, Json, Ledger, Reply, Stream, Text, TranslatedReply, find,
    read_reply, unfold,
};

fn watch(mode: Mode) -> Watch {
    let schema = r#"{"type":"object","properties":{"target_file":{"type":"string"},
        "limit":{"type":"integer"}},"required":["target_file"]}"#;
    let takes = Takes::Object(Some(Json::parse(schema).unwrap()));
    Watch {
        offer: Offer { tools: vec![(Text::new("read_file"), takes)], open: false },
        modes: Modes { mode, tools: Vec::new() },
        limits: Limits::default(),
        schemas: Arc::new(Schemas::default()),
    }
}

/// A reply that says something and then calls the tool.
fn reply(name: &str, arguments: &str) -> Reply {
    let args = Args::from_text(&Text::new(arguments));
    let call = ToolCall { id: Text::new("call_1"), name: Text::new(name), args };
    let mut reply = Reply { id: Some(Text::new("r_1")), ..Reply::default() };
    reply.turn.blocks =
        vec![Block::text(Text::new("I read it.")).into(), Block::new(Body::ToolCall(call)).into()];
    reply.stop = Stop::new(StopReason::ToolUse);
    reply
}

/// The reply as a provider of this dialect streams it.
fn streamed(reply: &Reply, dialect: &dyn Dialect) -> Bytes {
    let mut out = Vec::new();
    let mut writer = dialect.writer(&Exchange::default());
    for event in unfold(reply) {
        writer.write(&event, &mut out, &mut Ledger::default());
    }
    out.into()
}

struct Seen {
    out: Vec<u8>,
    call: ToolCall,
    findings: Vec<Finding>,
    ledger: Ledger,
}

fn through(bytes: &Bytes, from: &dyn Dialect, to: &dyn Dialect, watch: Option<Watch>) -> Seen {
    let mut stream = Stream::new(from, to, &Exchange::default());
    if let Some(watch) = watch {
        stream = stream.watched(watch);
    }
    let mut out = Vec::new();
    for piece in bytes.chunks(7) {
        stream.push(&Bytes::copy_from_slice(piece), &mut out);
    }
    stream.finish(&mut out);
    let findings = stream.findings();
    let (reply, ledger) = stream.into_reply();
    let call = call_of(&reply.unwrap());
    Seen { out, call, findings, ledger }
}

fn call_of(reply: &Reply) -> ToolCall {
    let call = reply.turn.blocks.iter().find_map(|block| match &block.body {
        Body::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    call.unwrap()
}

fn pairs() -> impl Iterator<Item = (&'static dyn Dialect, &'static dyn Dialect)> {
    ALL.iter().flat_map(|from| ALL.iter().map(move |to| (*from, *to)))
}

#[test]
fn a_wrong_call_is_found_in_every_dialect_and_what_leaves_is_untouched() {
    for (from, to) in pairs() {
        let bytes = streamed(&reply("read_file", "{}"), from);
        let bare = through(&bytes, from, to, None);
        for mode in [Mode::Observe, Mode::Answer] {
            let seen = through(&bytes, from, to, Some(watch(mode)));
            let pair = (from.id(), to.id(), mode);
            assert_eq!(seen.out, bare.out, "{pair:?}");
            assert_eq!(seen.call, bare.call, "{pair:?}");
            let [finding] = &seen.findings[..] else { panic!("{pair:?}: {:?}", seen.findings) };
            assert_eq!(finding.kind.name(), "empty-arguments", "{pair:?}");
            assert_eq!(finding.answer().is_some(), mode == Mode::Answer);
            if from.id() == to.id() {
                assert_eq!(seen.out, bytes, "{pair:?}");
            }
        }
    }
}

#[test]
fn a_right_call_and_no_call_are_no_findings() {
    for (from, to) in pairs() {
        let bytes = streamed(&reply("read_file", r#"{"target_file":"a"}"#), from);
        let seen = through(&bytes, from, to, Some(watch(Mode::Answer)));
        assert!(seen.findings.is_empty(), "{} {}", from.id(), to.id());
    }
}

#[test]
fn a_call_is_mended_on_its_way_to_every_dialect() {
    for (from, to) in pairs() {
        let wrong = reply("READ_FILE", r#"{"target_file":"a","limit":"3"}"#);
        let right = reply("read_file", r#"{"target_file":"a","limit":3}"#);
        let seen = through(&streamed(&wrong, from), from, to, Some(watch(Mode::Mend)));
        let pair = (from.id(), to.id());
        assert_eq!(seen.call, call_of(&right), "{pair:?}");
        assert_eq!(seen.findings[0].done(), "mended", "{pair:?}");
        assert!(seen.ledger.entries.iter().any(|entry| entry.rule == GUARD_MEND), "{pair:?}");
        // The client reads what was mended.
        let read = through(&seen.out.into(), to, find("native").unwrap(), None);
        assert_eq!((read.call.name, read.call.args), (seen.call.name, seen.call.args), "{pair:?}");
    }
}

#[test]
fn what_cannot_be_mended_leaves_as_it_is_and_is_answered() {
    for (from, to) in pairs() {
        let bytes = streamed(&reply("read_file", r#"{"limit":3}"#), from);
        let seen = through(&bytes, from, to, Some(watch(Mode::Mend)));
        let bare = through(&bytes, from, to, None);
        assert_eq!(seen.call, bare.call);
        assert_eq!(seen.findings[0].done(), "answered", "{} {}", from.id(), to.id());
        let read = through(&seen.out.into(), to, find("native").unwrap(), None);
        assert_eq!(read.call.args, bare.call.args);
    }
}

#[test]
fn words_go_on_while_a_call_waits() {
    let (from, to) = (find("openai-chat").unwrap(), find("anthropic").unwrap());
    let mut stream = Stream::new(from, to, &Exchange::default()).watched(watch(Mode::Mend));
    let mut out = Vec::new();
    let mut push = |stream: &mut Stream, delta: &str| {
        let chunk = format!(
            "data: {{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",\
             \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n"
        );
        out.clear();
        stream.push(&chunk.into(), &mut out);
        String::from_utf8(out.clone()).unwrap()
    };
    assert!(push(&mut stream, r#"{"role":"assistant","content":"I read"}"#).contains("I read"));
    let begins = r#"{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"READ_FILE","arguments":""}}]}"#;
    assert!(!push(&mut stream, begins).contains("tool_use"));
    let goes_on =
        r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"target_file\":\"a\"}"}}]}"#;
    assert!(!push(&mut stream, goes_on).contains("target_file"));
    let mut out = Vec::new();
    let end = "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":0,\"model\":\"m\",\"choices\":\
               [{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    stream.push(&end.into(), &mut out);
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains(r#""name":"read_file""#) && out.contains("target_file"), "{out}");
}

#[test]
fn a_stream_that_breaks_gives_what_it_held_and_no_finding() {
    let (from, to) = (find("anthropic").unwrap(), find("openai-chat").unwrap());
    let whole = streamed(&reply("read_file", r#"{"limit":3}"#), from);
    let text = std::str::from_utf8(&whole).unwrap();
    let end = text.rfind("event: content_block_stop").unwrap();
    let mut stream = Stream::new(from, to, &Exchange::default()).watched(watch(Mode::Mend));
    let mut out = Vec::new();
    stream.push(&whole.slice(..end), &mut out);
    stream.finish(&mut out);
    assert!(stream.findings().is_empty());
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("read_file") && out.contains("limit"), "{out}");
}

#[test]
fn a_whole_reply_is_looked_at_too() {
    for (from, to) in pairs() {
        let pair = (from.id(), to.id());
        let exchange = Exchange::default();
        let body =
            |reply: &Reply| from.encode_reply(reply, &exchange, &mut Ledger::default()).into();
        let wrong: Bytes = body(&reply("read_file", "{}"));
        let read = read_reply(wrong.clone(), from, &exchange, Some(&watch(Mode::Answer))).unwrap();
        assert_eq!(read.findings[0].kind.name(), "empty-arguments", "{pair:?}");
        let out = read.encode(to, &exchange).body;
        let (bare, _) = interlingua::translate_reply(wrong.clone(), from, to, &exchange).unwrap();
        assert_eq!(out, bare, "{pair:?}");

        let wrong: Bytes = body(&reply("READ_FILE", r#"{"target_file":"a"}"#));
        let read = read_reply(wrong, from, &exchange, Some(&watch(Mode::Mend))).unwrap();
        let TranslatedReply { body: out, ledger, .. } = read.encode(to, &exchange);
        assert!(ledger.entries.iter().any(|entry| entry.rule == GUARD_MEND), "{pair:?}");
        let again = read_reply(out, to, &exchange, None).unwrap();
        assert_eq!(call_of(&again.reply).name, "read_file", "{pair:?}");
    }
}
