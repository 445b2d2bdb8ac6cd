//! Streams: every pair of dialects, event by event, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use bytes::Bytes;
use interlingua::wire::Framer;
use interlingua::{Dialect, Exchange, Stream, find};
use interlingua_benches::{
    Convert, Timed, YARDSTICK, anthropic_event_to_chat, best_of, chat_event_to_anthropic,
    convert_through_value, relay_through_value, stream_in, watch, wire_dialects,
};

fn main() {
    println!(
        "Streams: one reply, best of {ROUNDS}, against the same stream cut into events, each parsed \
         into a Value, written and framed again. {YARDSTICK}"
    );
    println!("{:<36} {:>8} {:>10} {:>12} {:>8}", "", "frames", "ns/frame", "Value ns", "faster");
    for from in wire_dialects() {
        let bytes = stream_in(from);
        for to in wire_dialects() {
            let timed = best_of(ROUNDS, || translate(from, to, &bytes), || relay(from, &bytes));
            print_row(from, to, &bytes, &timed);
        }
    }
    println!("\nAgainst a converter through Value that does the same work");
    against_converter("anthropic", "openai-chat", anthropic_event_to_chat);
    against_converter("openai-chat", "anthropic", chat_event_to_anthropic);
    println!("\nWhat the guard adds, which checks both calls against a schema");
    for (from, to) in GUARDED {
        guarded(from, to);
    }
}

fn guarded(from: &str, to: &str) {
    let (Some(from), Some(to)) = (find(from), find(to)) else { return };
    let (bytes, watch) = (stream_in(from), watch());
    let bare = || push_all(Stream::new(from, to, &Exchange::default()), &bytes);
    let guarded = || {
        let stream = Stream::new(from, to, &Exchange::default()).watched(watch.clone());
        push_all(stream, &bytes)
    };
    let timed = best_of(ROUNDS * 10, guarded, bare);
    let more = (1.0 / timed.ratio() - 1.0) * 100.0;
    println!("{:<36} {more:>+7.1} %", format!("{} to {}", from.id(), to.id()));
}

fn against_converter(from: &str, to: &str, convert: Convert) {
    let (Some(from), Some(to)) = (find(from), find(to)) else { return };
    let bytes = stream_in(from);
    let theirs = || {
        let mut out = Vec::new();
        convert_through_value(&bytes, CHUNK, convert, &mut out);
        out.len()
    };
    let timed = best_of(ROUNDS, || translate(from, to, &bytes), theirs);
    print_row(from, to, &bytes, &timed);
}

fn print_row(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes, timed: &Timed) {
    let frames = frames(from, bytes);
    let each = |time: std::time::Duration| time.as_nanos() / frames.max(1) as u128;
    println!(
        "{:<36} {frames:>8} {:>10} {:>12} {:>7.1}×",
        format!("{} to {}", from.id(), to.id()),
        each(timed.ours),
        each(timed.theirs),
        timed.ratio()
    );
}

/// In chunks as they come off a socket.
fn translate(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes) -> usize {
    push_all(Stream::new(from, to, &Exchange::default()), bytes)
}

fn push_all(mut stream: Stream, bytes: &Bytes) -> usize {
    let mut out = Vec::new();
    let mut written = 0;
    for start in (0..bytes.len()).step_by(CHUNK) {
        stream.push(&bytes.slice(start..bytes.len().min(start + CHUNK)), &mut out);
        written += out.len();
        out.clear();
    }
    stream.finish(&mut out);
    written + out.len()
}

fn relay(from: &dyn Dialect, bytes: &Bytes) -> usize {
    let mut out = Vec::new();
    relay_through_value(from.framing(), bytes, CHUNK, &mut out);
    out.len()
}

fn frames(from: &dyn Dialect, bytes: &Bytes) -> usize {
    let mut framer = Framer::new(from.framing(), usize::MAX);
    framer.push(bytes);
    std::iter::from_fn(|| framer.next().ok().flatten()).count()
}

const ROUNDS: usize = 30;
const CHUNK: usize = 1400;
const GUARDED: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("openai-chat", "openai-chat"),
    ("anthropic", "openai-chat"),
    ("openai-chat", "anthropic"),
    ("gemini", "openai-responses"),
];
