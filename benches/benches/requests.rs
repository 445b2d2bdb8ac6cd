//! Requests: every pair of dialects on a long agent history, against `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use bytes::Bytes;
use interlingua::{Dialect, Target, find, translate_request};
use interlingua_benches::{
    anthropic_to_chat, best_of, chat_to_anthropic, in_dialect, parse_and_write, wire_dialects,
};

fn main() {
    println!(
        "Requests: a history of 600 turns, best of {ROUNDS}, against Value parse + write of the same body"
    );
    println!("{:<36} {:>9} {:>9} {:>10} {:>8}", "", "ms", "MiB/s", "Value ms", "faster");
    for from in wire_dialects() {
        let body = in_dialect(from);
        for to in wire_dialects() {
            row(from, to, &body);
        }
    }
    println!("\nAgainst a converter through Value that does the same work");
    against_converter("anthropic", "openai-chat", anthropic_to_chat);
    against_converter("openai-chat", "anthropic", chat_to_anthropic);
}

fn row(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) {
    let timed = best_of(ROUNDS, || translate(from, to, body), || parse_and_write(body));
    print_row(&format!("{} to {}", from.id(), to.id()), body, &timed);
}

fn against_converter(from: &str, to: &str, theirs: fn(&[u8]) -> Vec<u8>) {
    let (Some(from), Some(to)) = (find(from), find(to)) else { return };
    let body = in_dialect(from);
    let timed = best_of(ROUNDS, || translate(from, to, &body), || theirs(&body));
    print_row(&format!("{} to {}", from.id(), to.id()), &body, &timed);
}

#[expect(clippy::cast_precision_loss, reason = "sizes for people")]
fn print_row(name: &str, body: &Bytes, timed: &interlingua_benches::Timed) {
    let mib = body.len() as f64 / 1024.0 / 1024.0;
    let (ours, theirs) = (timed.ours.as_secs_f64(), timed.theirs.as_secs_f64());
    println!(
        "{name:<36} {:>9.3} {:>9.0} {:>10.3} {:>7.1}×",
        ours * 1e3,
        mib / ours,
        theirs * 1e3,
        timed.ratio()
    );
}

fn translate(from: &dyn Dialect, to: &dyn Dialect, body: &Bytes) -> usize {
    translate_request(body.clone(), from, to, &Target::default()).map_or(0, |out| out.body.len())
}

const ROUNDS: usize = 30;
