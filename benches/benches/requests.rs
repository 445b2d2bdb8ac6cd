//! Requests: every pair of dialects on a long agent history, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use bytes::Bytes;
use interlingua::{Dialect, Target, translate_request};
use interlingua_benches::{
    Timed, YARDSTICK, best_of, convert, in_dialect, parse_and_write, wire_dialects,
};

fn main() {
    println!("Requests: a history of 600 turns, best of {ROUNDS}. {YARDSTICK}");
    println!("Between dialects also against a converter through Value that does the same work.");
    println!(
        "{:<36} {:>8} {:>7} {:>14} {:>8} {:>13} {:>8}",
        "", "ms", "MiB/s", "parse+write ms", "faster", "converter ms", "faster"
    );
    for from in wire_dialects() {
        let body = in_dialect(from);
        for to in wire_dialects() {
            row(from, to, &body);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes for people")]
fn row(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) {
    let ours = || translate(from, to, body);
    let least = best_of(ROUNDS, ours, || parse_and_write(body));
    let same_work = (from.id() != to.id())
        .then(|| best_of(ROUNDS, ours, || convert(from.id().0, to.id().0, body)));
    let best = same_work.map_or(least.ours, |timed| timed.ours.min(least.ours)).as_secs_f64();
    let cells = |timed: &Timed| {
        format!("{:>14.3} {:>7.1}×", timed.theirs.as_secs_f64() * 1e3, timed.ratio())
    };
    println!(
        "{:<36} {:>8.3} {:>7.0} {}{}",
        format!("{} to {}", from.id(), to.id()),
        best * 1e3,
        body.len() as f64 / 1024.0 / 1024.0 / best,
        cells(&least),
        same_work.as_ref().map(cells).unwrap_or_default()
    );
}

fn translate(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) -> usize {
    translate_request(body.clone(), from, to, &Target::default()).map_or(0, |out| out.body.len())
}

const ROUNDS: usize = 30;
