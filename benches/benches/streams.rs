//! Streams: every pair of dialects, event by event, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use bytes::Bytes;
use interlingua::wire::Framer;
use interlingua::{Dialect, Exchange, Stream};
use interlingua_benches::{best_of, parse_and_write, stream_in, wire_dialects};

fn main() {
    println!(
        "Streams: one reply, best of {ROUNDS}, against Value parse + write of each event's data"
    );
    println!("{:<36} {:>8} {:>10} {:>12} {:>8}", "", "frames", "ns/frame", "Value ns", "faster");
    for from in wire_dialects() {
        let bytes = stream_in(from);
        let data = datas(from, &bytes);
        for to in wire_dialects() {
            let timed = best_of(
                ROUNDS,
                || translate(from, to, &bytes),
                || data.iter().map(|data| parse_and_write(data).len()).sum::<usize>(),
            );
            let each = |time: std::time::Duration| time.as_nanos() / data.len().max(1) as u128;
            println!(
                "{:<36} {:>8} {:>10} {:>12} {:>7.1}×",
                format!("{} to {}", from.id(), to.id()),
                data.len(),
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

fn datas(from: &dyn Dialect, bytes: &Bytes) -> Vec<Bytes> {
    let mut framer = Framer::new(from.framing(), usize::MAX);
    framer.push(bytes);
    let mut datas = Vec::new();
    while let Ok(Some(frame)) = framer.next() {
        datas.extend(frame.data.map(bytes_of));
    }
    datas
}

fn bytes_of(data: impl AsRef<[u8]>) -> Bytes {
    Bytes::copy_from_slice(data.as_ref())
}

const ROUNDS: usize = 30;
const CHUNK: usize = 1400;
