//! Counts the allocations of each translation of the long history, compared with
//! `serde_json::Value`.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]

use std::hint::black_box;

use allocation_counter::measure;
use interlingua::{Target, translate_request};
use interlingua_benches::{history_in, parse_and_write, wire_dialects};

fn main() {
    println!("Allocations: a history of 600 turns");
    println!("{:<36} {:>9} {:>12} {:>12}", "", "count", "peak KiB", "Value count");
    for from in wire_dialects() {
        let body = history_in(from);
        let value = measure(|| drop(black_box(parse_and_write(&body))));
        for to in wire_dialects() {
            let ours = measure(|| {
                drop(black_box(translate_request(body.clone(), from, to, &Target::default())));
            });
            println!(
                "{:<36} {:>9} {:>12} {:>12}",
                format!("{} to {}", from.id(), to.id()),
                ours.count_total,
                ours.bytes_max / 1024,
                value.count_total
            );
        }
    }
}
