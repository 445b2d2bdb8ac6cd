//! Law 8: the same input gives the same bytes and the same ledger, each time and in each thread.

use bytes::Bytes;
use interlingua::model::Entry;
use interlingua::{Dialect, Target, find, transcribe_request};

use crate::rich::rich;
use crate::script::script;
use crate::{bodies, for_all, in_all_dialects, in_all_pairs, mess, pairs, render};

#[test]
fn the_same_comes_out_each_time() {
    for_all((script(), mess::mess()), |(script, mess)| {
        in_all_pairs(|from, to| {
            again(&render::body(script, from), from, to)?;
            again(&mess.body(script, from), from, to)
        })
    });
}

#[test]
fn the_same_comes_out_each_time_for_anything() {
    for_all(rich(), |rich| {
        in_all_dialects(|to| {
            again(&rich.body(), find("native").ok_or("there is no native dialect")?, to)
        })
    });
}

#[test]
fn the_same_comes_out_each_time_for_the_corpus() {
    let mut failures = Vec::new();
    for (name, from, body) in bodies::of_corpus() {
        for (_, to) in pairs().filter(|pair| pair.0.id() == from.id()) {
            let why = again(&body, from, to).err();
            failures.extend(why.map(|why| format!("{name} to {}: {why}", to.id())));
        }
    }
    bodies::report(&failures);
}

fn again(body: &Bytes, from: &'static dyn Dialect, to: &'static dyn Dialect) -> Result<(), String> {
    let first = translate(body, from, to)?;
    let second = translate(body, from, to)?;
    let elsewhere = std::thread::scope(|scope| scope.spawn(|| translate(body, from, to)).join());
    let elsewhere = elsewhere.map_err(|_| "the other thread panicked")??;
    if first == second && first == elsewhere {
        return Ok(());
    }
    Err(format!("{first:?} the first time, then {second:?}, in another thread {elsewhere:?}"))
}

fn translate(
    body: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
) -> Result<(Bytes, Vec<Entry>), String> {
    // Another memory, so that nothing depends on addresses.
    let body = Bytes::copy_from_slice(body);
    let sent = transcribe_request(body, from, to, &Target::default());
    sent.map(|sent| (sent.body, sent.ledger.entries)).map_err(|error| error.to_string())
}
