//! Times the translation of streams for every pair of dialects, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use bytes::Bytes;
use interlingua::{Dialect, ReplyContext, StreamTranslator, find_dialect};
use interlingua_benches::{
    BestTimes, Convert, VALUE_NOTE, anthropic_event_to_chat, best_of, call_checker,
    chat_event_to_anthropic, convert_through_value, relay_through_value, stream_in, wire_dialects,
};
use interlingua_wire::FrameReader;

fn main() {
    println!(
        "Streams: one reply, best of {ROUNDS}, against the same stream cut into events, each parsed \
         into a Value, written and framed again. {VALUE_NOTE}"
    );
    println!("{:<36} {:>8} {:>10} {:>12} {:>8}", "", "frames", "ns/frame", "Value ns", "faster");
    for from in wire_dialects() {
        let bytes = stream_in(from);
        for to in wire_dialects() {
            let best_times =
                best_of(ROUNDS, || translate(from, to, &bytes), || relay(from, &bytes));
            print_row(from, to, &bytes, &best_times);
        }
    }
    println!("\nAgainst a converter through Value that does the same work");
    compare_with_converter("anthropic", "openai-chat", anthropic_event_to_chat);
    compare_with_converter("openai-chat", "anthropic", chat_event_to_anthropic);
    println!("\nOverhead of the guard, which checks both calls against a schema");
    for (from, to) in GUARD_PAIRS {
        measure_guard(from, to);
    }
}

fn measure_guard(from: &str, to: &str) {
    let (Some(from), Some(to)) = (find_dialect(from), find_dialect(to)) else { return };
    let (bytes, checker) = (stream_in(from), call_checker());
    let bare = || push_all(StreamTranslator::new(from, to, &ReplyContext::default()), &bytes);
    let guarded = || {
        let stream =
            StreamTranslator::new(from, to, &ReplyContext::default()).with_guard(checker.clone());
        push_all(stream, &bytes)
    };
    let best_times = best_of(ROUNDS * 10, guarded, bare);
    let overhead = (1.0 / best_times.ratio() - 1.0) * 100.0;
    println!("{:<36} {overhead:>+7.1} %", format!("{} to {}", from.id(), to.id()));
}

fn compare_with_converter(from: &str, to: &str, convert: Convert) {
    let (Some(from), Some(to)) = (find_dialect(from), find_dialect(to)) else { return };
    let bytes = stream_in(from);
    let baseline = || {
        let mut out = Vec::new();
        convert_through_value(&bytes, CHUNK, convert, &mut out);
        out.len()
    };
    let best_times = best_of(ROUNDS, || translate(from, to, &bytes), baseline);
    print_row(from, to, &bytes, &best_times);
}

fn print_row(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes, best_times: &BestTimes) {
    let frames = frames(from, bytes);
    let per_frame = |time: std::time::Duration| time.as_nanos() / frames.max(1) as u128;
    println!(
        "{:<36} {frames:>8} {:>10} {:>12} {:>7.1}×",
        format!("{} to {}", from.id(), to.id()),
        per_frame(best_times.candidate),
        per_frame(best_times.baseline),
        best_times.ratio()
    );
}

/// Translates in chunks of the size of a TCP segment.
fn translate(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes) -> usize {
    push_all(StreamTranslator::new(from, to, &ReplyContext::default()), bytes)
}

fn push_all(mut stream: StreamTranslator, bytes: &Bytes) -> usize {
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
    let mut framer = FrameReader::new(from.framing(), usize::MAX);
    framer.push(bytes);
    std::iter::from_fn(|| framer.next().ok().flatten()).count()
}

const ROUNDS: usize = 30;
const CHUNK: usize = 1400;
const GUARD_PAIRS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("openai-chat", "openai-chat"),
    ("anthropic", "openai-chat"),
    ("openai-chat", "anthropic"),
    ("gemini", "openai-responses"),
];
