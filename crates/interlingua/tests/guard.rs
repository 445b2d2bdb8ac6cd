//! The guard on translated replies: every dialect to every dialect, streamed and complete.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use bytes::Bytes;
use interlingua::{
    DIALECTS, Dialect, JsonString, Ledger, RawJson, Reply, ReplyContext, StreamTranslator,
    TranslatedReply, decode_reply, find_dialect,
};
use interlingua_guard::{
    CallChecker, Finding, GuardMode, GuardModes, OfferedTools, SchemaCache, ToolInput,
    ValidationLimits,
};
use interlingua_model::{Block, BlockContent, Stop, StopReason, ToolArgs, ToolCall, unfold};

fn call_checker(mode: GuardMode) -> CallChecker {
    let schema = r#"{"type":"object","properties":{"target_file":{"type":"string"},
        "limit":{"type":"integer"}},"required":["target_file"]}"#;
    let takes = ToolInput::Object(Some(RawJson::parse(schema).unwrap()));
    CallChecker {
        offered_tools: OfferedTools {
            tools: vec![(JsonString::new("read_file"), takes)],
            allows_unlisted: false,
        },
        modes: GuardModes { default: mode, per_tool: Vec::new() },
        limits: ValidationLimits::default(),
        schema_cache: Arc::new(SchemaCache::default()),
    }
}

/// A reply with a text and a call of the tool.
fn reply(name: &str, arguments: &str) -> Reply {
    let args = ToolArgs::from_json_string(&JsonString::new(arguments));
    let call = ToolCall { id: JsonString::new("call_1"), name: JsonString::new(name), args };
    let mut reply = Reply { id: Some(JsonString::new("r_1")), ..Reply::default() };
    reply.turn.blocks = vec![
        Block::text(JsonString::new("I read it.")).into(),
        Block::new(BlockContent::ToolCall(call)).into(),
    ];
    reply.stop = Stop::new(StopReason::ToolUse);
    reply
}

/// The reply as a provider of this dialect streams it.
fn encode_as_stream(reply: &Reply, dialect: &dyn Dialect) -> Bytes {
    let mut out = Vec::new();
    let mut writer = dialect.writer(&ReplyContext::default());
    for event in unfold(reply) {
        writer.write(&event, &mut out, &mut Ledger::default());
    }
    out.into()
}

struct StreamResult {
    out: Vec<u8>,
    call: ToolCall,
    findings: Vec<Finding>,
    ledger: Ledger,
}

fn translate_stream(
    bytes: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
    call_checker: Option<CallChecker>,
) -> StreamResult {
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default());
    if let Some(call_checker) = call_checker {
        stream = stream.with_guard(call_checker);
    }
    let mut out = Vec::new();
    for piece in bytes.chunks(7) {
        stream.push(&Bytes::copy_from_slice(piece), &mut out);
    }
    stream.finish(&mut out);
    let findings = stream.take_findings();
    let (reply, ledger) = stream.into_reply();
    let call = call_of(&reply.unwrap());
    StreamResult { out, call, findings, ledger }
}

fn call_of(reply: &Reply) -> ToolCall {
    let call = reply.turn.blocks.iter().find_map(|block| match &block.content {
        BlockContent::ToolCall(call) => Some(call.clone()),
        _ => None,
    });
    call.unwrap()
}

fn pairs() -> impl Iterator<Item = (&'static dyn Dialect, &'static dyn Dialect)> {
    DIALECTS.iter().flat_map(|from| DIALECTS.iter().map(move |to| (*from, *to)))
}

#[test]
fn a_wrong_call_is_found_in_every_dialect_and_not_changed() {
    for (from, to) in pairs() {
        let bytes = encode_as_stream(&reply("read_file", "{}"), from);
        let bare = translate_stream(&bytes, from, to, None);
        for mode in [GuardMode::Observe, GuardMode::Answer] {
            let result = translate_stream(&bytes, from, to, Some(call_checker(mode)));
            let pair = (from.id(), to.id(), mode);
            assert_eq!(result.out, bare.out, "{pair:?}");
            assert_eq!(result.call, bare.call, "{pair:?}");
            let [finding] = &result.findings[..] else { panic!("{pair:?}: {:?}", result.findings) };
            assert_eq!(finding.kind.name(), "empty-arguments", "{pair:?}");
            assert_eq!(finding.answer_message().is_some(), mode == GuardMode::Answer);
            if from.id() == to.id() {
                assert_eq!(result.out, bytes, "{pair:?}");
            }
        }
    }
}

#[test]
fn a_right_call_and_no_call_are_no_findings() {
    for (from, to) in pairs() {
        let bytes = encode_as_stream(&reply("read_file", r#"{"target_file":"a"}"#), from);
        let result = translate_stream(&bytes, from, to, Some(call_checker(GuardMode::Answer)));
        assert!(result.findings.is_empty(), "{} {}", from.id(), to.id());
    }
}

#[test]
fn a_call_is_mended_on_its_way_to_every_dialect() {
    for (from, to) in pairs() {
        let wrong_reply = reply("READ_FILE", r#"{"target_file":"a","limit":"3"}"#);
        let right = reply("read_file", r#"{"target_file":"a","limit":3}"#);
        let result = translate_stream(
            &encode_as_stream(&wrong_reply, from),
            from,
            to,
            Some(call_checker(GuardMode::Mend)),
        );
        let pair = (from.id(), to.id());
        assert_eq!(result.call, call_of(&right), "{pair:?}");
        assert_eq!(result.findings[0].action_name(), "mended", "{pair:?}");
        assert!(result.ledger.entries.iter().any(|entry| entry.rule == "guard-mend"), "{pair:?}");
        // The client reads the mended call.
        let read = translate_stream(&result.out.into(), to, find_dialect("native").unwrap(), None);
        assert_eq!(
            (read.call.name, read.call.args),
            (result.call.name, result.call.args),
            "{pair:?}"
        );
    }
}

#[test]
fn a_call_that_cannot_be_mended_is_unchanged_and_answered() {
    for (from, to) in pairs() {
        let bytes = encode_as_stream(&reply("read_file", r#"{"limit":3}"#), from);
        let result = translate_stream(&bytes, from, to, Some(call_checker(GuardMode::Mend)));
        let bare = translate_stream(&bytes, from, to, None);
        assert_eq!(result.call, bare.call);
        assert_eq!(result.findings[0].action_name(), "answered", "{} {}", from.id(), to.id());
        let read = translate_stream(&result.out.into(), to, find_dialect("native").unwrap(), None);
        assert_eq!(read.call.args, bare.call.args);
    }
}

#[test]
fn text_is_written_while_a_call_is_held_back() {
    let (from, to) = (find_dialect("openai-chat").unwrap(), find_dialect("anthropic").unwrap());
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default())
        .with_guard(call_checker(GuardMode::Mend));
    let mut out = Vec::new();
    let mut push = |stream: &mut StreamTranslator, delta: &str| {
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
fn a_broken_stream_releases_held_events_without_a_finding() {
    let (from, to) = (find_dialect("anthropic").unwrap(), find_dialect("openai-chat").unwrap());
    let stream_bytes = encode_as_stream(&reply("read_file", r#"{"limit":3}"#), from);
    let text = std::str::from_utf8(&stream_bytes).unwrap();
    let end = text.rfind("event: content_block_stop").unwrap();
    let mut stream = StreamTranslator::new(from, to, &ReplyContext::default())
        .with_guard(call_checker(GuardMode::Mend));
    let mut out = Vec::new();
    stream.push(&stream_bytes.slice(..end), &mut out);
    stream.finish(&mut out);
    assert!(stream.take_findings().is_empty());
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("read_file") && out.contains("limit"), "{out}");
}

#[test]
fn a_complete_reply_is_checked_too() {
    for (from, to) in pairs() {
        let pair = (from.id(), to.id());
        let cx = ReplyContext::default();
        let body = |reply: &Reply| from.encode_reply(reply, &cx, &mut Ledger::default()).into();
        let wrong_reply: Bytes = body(&reply("read_file", "{}"));
        let read =
            decode_reply(wrong_reply.clone(), from, &cx, Some(&call_checker(GuardMode::Answer)))
                .unwrap();
        assert_eq!(read.findings[0].kind.name(), "empty-arguments", "{pair:?}");
        let out = read.encode(to, &cx).body;
        let (bare, _) = interlingua::translate_reply(wrong_reply.clone(), from, to, &cx).unwrap();
        assert_eq!(out, bare, "{pair:?}");

        let wrong_reply: Bytes = body(&reply("READ_FILE", r#"{"target_file":"a"}"#));
        let read =
            decode_reply(wrong_reply, from, &cx, Some(&call_checker(GuardMode::Mend))).unwrap();
        let TranslatedReply { body: out, ledger, .. } = read.encode(to, &cx);
        assert!(ledger.entries.iter().any(|entry| entry.rule == "guard-mend"), "{pair:?}");
        let decoded = decode_reply(out, to, &cx, None).unwrap();
        assert_eq!(call_of(&decoded.reply).name, "read_file", "{pair:?}");
    }
}
