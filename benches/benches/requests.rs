//! Requests: every pair of dialects on a long agent history, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use bytes::Bytes;
use interlingua::{
    Dialect, Target, TranslateError, Translated, repair, transcribe_request, translate_request,
};
use interlingua_benches::{
    Timed, YARDSTICK, best_of, convert, healthy_model, in_dialect, parse_and_write, wire_dialects,
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
    println!("\nRepair: what looking for something to mend or to fit adds to reading and writing.");
    println!("{:<36} {:>8} {:>14} {:>8}", "", "ms", "unrepaired ms", "adds");
    for from in wire_dialects() {
        let body = in_dialect(from);
        for to in wire_dialects() {
            repair_row(from, to, &body);
        }
    }
}

fn repair_row(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) {
    let target = Target { model: Some(healthy_model(to)), ..Target::default() };
    let size = |out: Result<Translated, TranslateError>| out.map_or(0, |out| out.body.len());
    let timed = best_of(
        3 * ROUNDS,
        || size(translate_request(body.clone(), from, to, &target)),
        || size(transcribe_request(body.clone(), from, to, &target)),
    );
    let (ours, bare) = (timed.ours.as_secs_f64(), timed.theirs.as_secs_f64());
    let changed = translate_request(body.clone(), from, to, &target)
        .is_ok_and(|sent| sent.ledger.entries.iter().any(|entry| is_rule(entry.rule)));
    println!(
        "{:<36} {:>8.3} {:>14.3} {:>7.1} %{}",
        format!("{} to {}", from.id(), to.id()),
        ours * 1e3,
        bare * 1e3,
        (ours / bare - 1.0) * 100.0,
        if changed { "  (something is repaired)" } else { "" }
    );
}

fn is_rule(name: &str) -> bool {
    repair::ALL.iter().any(|rule| rule.name == name)
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
