//! Streams: every pair of dialects, event by event, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use bytes::Bytes;
use interlingua::wire::Framer;
use interlingua::{Dialect, Exchange, Stream};
use interlingua_benches::{best_of, stream_in, stream_through_value, wire_dialects};

fn main() {
    println!(
        "Streams: one reply, best of {ROUNDS}, against the same stream cut into events, each parsed \
         into a Value, written and framed again"
    );
    println!("{:<36} {:>8} {:>10} {:>12} {:>8}", "", "frames", "ns/frame", "Value ns", "faster");
    for from in wire_dialects() {
        let bytes = stream_in(from);
        let frames = frames(from, &bytes);
        for to in wire_dialects() {
            let timed =
                best_of(ROUNDS, || translate(from, to, &bytes), || through_value(from, &bytes));
            let each = |time: std::time::Duration| time.as_nanos() / frames.max(1) as u128;
            println!(
                "{:<36} {frames:>8} {:>10} {:>12} {:>7.1}×",
                format!("{} to {}", from.id(), to.id()),
                each(timed.ours),
                each(timed.theirs),
                timed.ratio()
            );
        }
    }
}

/// In chunks as they come off a socket.
fn translate(from: &dyn Dialect, to: &dyn Dialect, bytes: &Bytes) -> usize {
    let mut stream = Stream::new(from, to, &Exchange::default());
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

fn through_value(from: &dyn Dialect, bytes: &Bytes) -> usize {
    let mut out = Vec::new();
    stream_through_value(from.framing(), bytes, CHUNK, &mut out);
    out.len()
}

fn frames(from: &dyn Dialect, bytes: &Bytes) -> usize {
    let mut framer = Framer::new(from.framing(), usize::MAX);
    framer.push(bytes);
    std::iter::from_fn(|| framer.next().ok().flatten()).count()
}

const ROUNDS: usize = 30;
const CHUNK: usize = 1400;
