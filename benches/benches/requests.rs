//! Times the translation of a long history for every pair of dialects, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use bytes::Bytes;
use interlingua::{
    Dialect, Target, TranslateError, TranslatedRequest, transcode_request, translate_request,
};
use interlingua_benches::{
    BestTimes, VALUE_NOTE, best_of, convert, history_in, model_without_repairs, parse_and_write,
    wire_dialects,
};
use interlingua_repair as repair;

fn main() {
    println!("Requests: a history of 600 turns, best of {ROUNDS}. {VALUE_NOTE}");
    println!("Between dialects also against a converter through Value that does the same work.");
    println!(
        "{:<36} {:>8} {:>7} {:>14} {:>8} {:>13} {:>8}",
        "", "ms", "MiB/s", "parse+write ms", "faster", "converter ms", "faster"
    );
    for from in wire_dialects() {
        let body = history_in(from);
        for to in wire_dialects() {
            row(from, to, &body);
        }
    }
    println!("\nRepair: what checking the repair rules adds to decoding and encoding.");
    println!("{:<36} {:>8} {:>14} {:>8}", "", "ms", "unrepaired ms", "adds");
    for from in wire_dialects() {
        let body = history_in(from);
        for to in wire_dialects() {
            repair_row(from, to, &body);
        }
    }
}

fn repair_row(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) {
    let target = Target { model: Some(model_without_repairs(to)), ..Target::default() };
    let size = |out: Result<TranslatedRequest, TranslateError>| out.map_or(0, |out| out.body.len());
    let best_times = best_of(
        3 * ROUNDS,
        || size(translate_request(body.clone(), from, to, &target)),
        || size(transcode_request(body.clone(), from, to, &target)),
    );
    let (repaired, unrepaired) =
        (best_times.candidate.as_secs_f64(), best_times.baseline.as_secs_f64());
    let changed = translate_request(body.clone(), from, to, &target)
        .is_ok_and(|it| it.ledger.entries.iter().any(|entry| is_rule(entry.rule)));
    println!(
        "{:<36} {:>8.3} {:>14.3} {:>7.1} %{}",
        format!("{} to {}", from.id(), to.id()),
        repaired * 1e3,
        unrepaired * 1e3,
        (repaired / unrepaired - 1.0) * 100.0,
        if changed { "  (something is repaired)" } else { "" }
    );
}

fn is_rule(name: &str) -> bool {
    repair::all_rules().any(|rule| rule.name == name)
}

#[expect(clippy::cast_precision_loss, reason = "sizes in a report")]
fn row(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) {
    let translate_body = || translate(from, to, body);
    let minimal = best_of(ROUNDS, translate_body, || parse_and_write(body));
    let same_work = (from.id() != to.id())
        .then(|| best_of(ROUNDS, translate_body, || convert(from.id().0, to.id().0, body)));
    let best = same_work
        .map_or(minimal.candidate, |best_times| best_times.candidate.min(minimal.candidate))
        .as_secs_f64();
    let cells = |best_times: &BestTimes| {
        format!("{:>14.3} {:>7.1}×", best_times.baseline.as_secs_f64() * 1e3, best_times.ratio())
    };
    println!(
        "{:<36} {:>8.3} {:>7.0} {}{}",
        format!("{} to {}", from.id(), to.id()),
        best * 1e3,
        body.len() as f64 / 1024.0 / 1024.0 / best,
        cells(&minimal),
        same_work.as_ref().map(cells).unwrap_or_default()
    );
}

fn translate(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) -> usize {
    translate_request(body.clone(), from, to, &Target::default()).map_or(0, |out| out.body.len())
}

const ROUNDS: usize = 30;
