//! The time of replies grows with their length, whatever their events refer to.

use std::fs;
use std::time::{Duration, Instant};

use bytes::Bytes;
use interlingua_dialects::find_dialect;
use interlingua_model::{Ledger, ReplyContext};
use interlingua_wire::frame::{self, FrameReader};
use interlingua_wire::{JsonDoc, JsonLimits};

/// A stream in which every event refers to something before it.
struct StreamShape {
    name: &'static str,
    provider: &'static str,
    client: &'static str,
    event: fn(usize) -> (&'static str, String),
}

const fn shape(
    name: &'static str,
    provider: &'static str,
    client: &'static str,
    event: fn(usize) -> (&'static str, String),
) -> StreamShape {
    StreamShape { name, provider, client, event }
}

const STREAM_SHAPES: &[StreamShape] = &[
    shape("details with an index each", "openai-chat", "anthropic", |at| {
        chunk(&format!(
            r#"{{"reasoning_details":[{{"type":"reasoning.text","text":"t","index":{at}}}]}}"#
        ))
    }),
    shape("reasoning beside a detail", "openai-chat", "anthropic", |at| match at {
        0 => chunk(r#"{"reasoning_details":[{"type":"reasoning.text","text":"x","index":7}]}"#),
        _ if at % 2 == 1 => chunk(r#"{"reasoning":"a text that grows"}"#),
        _ => chunk(r#"{"reasoning_details":[{"type":"reasoning.text","text":"x","index":7}]}"#),
    }),
    shape("seals before their calls", "openai-chat", "anthropic", |at| {
        chunk(&format!(
            r#"{{"reasoning_details":[{{"type":"reasoning.encrypted","data":"c2ln","id":"c{at}","format":"google-gemini-v1"}}],"tool_calls":[{{"index":{at},"id":"d{at}","function":{{"name":"t","arguments":"{{}}"}}}}]}}"#
        ))
    }),
    shape("a name in pieces", "openai-chat", "anthropic", |_| {
        chunk(r#"{"tool_calls":[{"index":0,"function":{"name":"abcdefgh"}}]}"#)
    }),
    shape("arguments that begin again", "openai-chat", "anthropic", |at| match at {
        0 => chunk(
            r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"\""}}]}"#,
        ),
        _ => chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{{{{{{{{"}}]}"#),
    }),
    shape("calls", "openai-chat", "openai-chat", |at| {
        chunk(&format!(
            r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","function":{{"name":"t","arguments":"{{}}"}}}}]}}"#
        ))
    }),
    shape("arguments as objects", "openai-chat", "openai-chat", |at| {
        chunk(&format!(
            r#"{{"tool_calls":[{{"index":{at},"id":"c{at}","function":{{"name":"t","arguments":{{"a":1}}}}}}]}}"#
        ))
    }),
    shape("annotations behind calls", "openai-chat", "openai-chat", |at| match at {
        0 => chunk(
            r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"t","arguments":"{"}}]}"#,
        ),
        1 => chunk(r#"{"content":"a"}"#),
        _ => chunk(&format!(
            r#"{{"annotations":[{{"type":"url_citation","url_citation":{{"url":"u"}}}}],"tool_calls":[{{"index":{at},"id":"c{at}","function":{{"name":"t","arguments":"{{}}"}}}}]}}"#
        )),
    }),
    shape("citations of a text", "anthropic", "openai-chat", |at| match at {
        0 => block_start(r#"{"type":"text","text":""}"#, 0),
        _ if at % 2 == 0 => delta(0, r#"{"type":"text_delta","text":"a text that grows"}"#),
        _ => delta(
            0,
            r#"{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"u","cited_text":"a"}}"#,
        ),
    }),
    shape("blocks without an end", "anthropic", "openai-chat", |at| {
        block_start(r#"{"type":"text","text":"a"}"#, at)
    }),
    shape("blocks without an end", "anthropic", "anthropic", |at| {
        block_start(r#"{"type":"text","text":"a"}"#, at)
    }),
    shape("deltas beside a waiting block", "anthropic", "openai-chat", |at| match at {
        0 => block_start(r#"{"type":"text","text":""}"#, 0),
        _ if at % 2 == 0 => delta(0, r#"{"type":"text_delta","text":"a"}"#),
        _ => delta(1, r#"{"type":"text_delta","text":"b"}"#),
    }),
    shape("new fields of a foreign block", "anthropic", "anthropic", |at| match at {
        0 => block_start(r#"{"type":"x"}"#, 0),
        _ => delta(0, &format!(r#"{{"type":"x_delta","k{at}":"v"}}"#)),
    }),
    shape("new counts", "anthropic", "openai-chat", |at| {
        ("", format!(r#"{{"type":"message_delta","delta":{{}},"usage":{{"k{at}":1}}}}"#))
    }),
    shape("kinds of events", "anthropic", "openai-chat", |at| match at {
        0 => ("", r#"{"type":"message_start","message":{}}"#.to_owned()),
        _ => ("", format!(r#"{{"type":"x{at}"}}"#)),
    }),
    shape("fields of candidates", "gemini", "openai-chat", |at| {
        ("", format!(r#"{{"candidates":[{{"x{at}":1}}]}}"#))
    }),
    shape("citations of a text", "gemini", "openai-chat", |at| {
        (
            "",
            format!(
                r#"{{"candidates":[{{"content":{{"parts":[{{"text":"a text that grows"}}]}},"citationMetadata":{{"citationSources":[{{"startIndex":1,"endIndex":{at},"uri":"u"}}]}}}}]}}"#
            ),
        )
    }),
    shape("fields of partial arguments", "gemini", "openai-chat", |at| match at {
        0 => part(r#"{"functionCall":{"name":"t","willContinue":true}}"#),
        _ => part(&format!(
            r#"{{"functionCall":{{"partialArgs":[{{"jsonPath":"$.k{at}","stringValue":"v"}}],"willContinue":true}}}}"#
        )),
    }),
    shape("blocks without an end", "bedrock", "openai-chat", |at| {
        ("contentBlockDelta", format!(r#"{{"contentBlockIndex":{at},"delta":{{"text":"a"}}}}"#))
    }),
    shape("empty ends of blocks", "bedrock", "openai-chat", |at| {
        ("contentBlockStop", format!(r#"{{"contentBlockIndex":{at}}}"#))
    }),
];

fn chunk(delta: &str) -> (&'static str, String) {
    ("", format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#))
}

fn part(part: &str) -> (&'static str, String) {
    ("", format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}}}}]}}"#))
}

fn block_start(block: &str, index: usize) -> (&'static str, String) {
    ("", format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#))
}

fn delta(index: usize, delta: &str) -> (&'static str, String) {
    ("", format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#))
}

/// Reads and writes a stream of this many events.
fn convert_stream(shape: &StreamShape, count: usize) {
    let [from, to] = [shape.provider, shape.client]
        .map(|name| find_dialect(name).unwrap_or_else(|| unreachable!("{name} is a dialect")));
    let mut body = Vec::new();
    for at in 0..count {
        let (event, data) = (shape.event)(at);
        frame::write(
            from.framing(),
            Some(event).filter(|event| !event.is_empty()),
            &data,
            &mut body,
        );
    }
    let cx = ReplyContext::default();
    let (mut reader, mut writer, mut ledger) =
        (from.reader(&cx), to.writer(&cx), Ledger::default());
    if shape.provider == shape.client {
        reader.enable_passthrough();
    }
    let mut frames = FrameReader::new(from.framing(), 1 << 20);
    frames.push(&Bytes::from(body));
    let (mut events, mut out) = (Vec::new(), Vec::new());
    let mut next = || frames.next().unwrap_or_else(|error| unreachable!("{error}"));
    while let Some(frame) = next() {
        reader.read(frame, &mut events, &mut ledger);
        reader.rewrite_frame();
        for event in events.drain(..) {
            writer.write(&event, &mut out, &mut ledger);
        }
        out.clear();
    }
    reader.finish(&mut events, &mut ledger);
    for event in &events {
        writer.write(event, &mut out, &mut ledger);
    }
}

#[test]
fn streams_take_linear_time() {
    for shape in STREAM_SHAPES {
        let name = format!("{} {} -> {}", shape.name, shape.provider, shape.client);
        assert_linear(&name, |count| convert_stream(shape, count));
    }
}

/// Lists of a whole reply: what stands before them, one element, and what stands behind them.
type ReplyShape =
    (&'static str, &'static str, &'static str, &'static str, fn(usize) -> String, &'static str);

const REPLY_SHAPES: &[ReplyShape] = &[
    (
        "texts",
        "anthropic",
        "openai-chat",
        r#"{"type":"message","role":"assistant","content":["#,
        |_| r#"{"type":"text","text":"a"}"#.to_owned(),
        r#"{"type":"text","text":"a"}],"stop_reason":"end_turn"}"#,
    ),
    (
        "citations behind other parts",
        "gemini",
        "openai-chat",
        r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"AA=="}}]},"citationMetadata":{"citationSources":["#,
        |at| format!(r#"{{"startIndex":0,"endIndex":{at},"uri":"https://e.org/{at}"}}"#),
        r#"{"uri":"u"}]},"finishReason":"STOP"}]}"#,
    ),
    (
        "sources of citations",
        "anthropic",
        "gemini",
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"a","citations":["#,
        |at| {
            format!(
                r#"{{"type":"web_search_result_location","url":"https://e.org/{at}","title":"t","cited_text":"a"}}"#
            )
        },
        r#"{"type":"char_location","cited_text":"a"}]}],"stop_reason":"end_turn"}"#,
    ),
];

#[test]
fn whole_replies_take_linear_time() {
    for (name, provider, client, start, element, end) in REPLY_SHAPES {
        let (from, to) = (find_dialect(provider).unwrap(), find_dialect(client).unwrap());
        assert_linear(&format!("{name} {provider} -> {client}"), |count| {
            let list: String = (0..count).map(|at| element(at) + ",").collect();
            let body = JsonDoc::parse(format!("{start}{list}{end}").into(), JsonLimits::default())
                .unwrap();
            let (cx, mut ledger) = (ReplyContext::default(), Ledger::default());
            let reply = from.decode_reply(&body, &cx, &mut ledger).unwrap();
            to.encode_reply(&reply, &cx, &mut ledger);
        });
    }
}

/// Asserts that eight times as many items take about eight times as long; quadratic work takes 64
/// times as long. The least of some times counts: other load makes them longer, never shorter.
fn assert_linear(name: &str, work: impl Fn(usize)) {
    let (mut few, mut many) = (Duration::MAX, Duration::MAX);
    let is_linear = (0..5).any(|_| {
        few = few.min(measure(|| work(2_500)));
        many = many.min(measure(|| work(20_000)));
        many < 20 * few.max(Duration::from_millis(5))
    });
    assert!(is_linear, "{name}: {few:?} for 2,500 items, {many:?} for 20,000");
}

fn measure(work: impl Fn()) -> Duration {
    let start = cpu_time();
    work();
    cpu_time().saturating_sub(start)
}

/// CPU time of this thread, so that other load does not count; elsewhere the time.
fn cpu_time() -> Duration {
    thread_local!(static START: Instant = Instant::now());
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = stat.split(' ').next().and_then(|nanos| nanos.parse().ok());
    nanos.map_or_else(|| START.with(Instant::elapsed), Duration::from_nanos)
}
