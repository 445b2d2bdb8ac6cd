//! Law 8: the same input gives the same bytes and the same ledger, each time and on each thread.

use bytes::Bytes;
use interlingua::model::LedgerEntry;
use interlingua::{Dialect, Target, find_dialect, transcode_request};

use crate::draft::draft;
use crate::native_conversations::native_conversation;
use crate::{bodies, corruption, for_all, in_all_dialects, in_all_pairs, pairs, render};

#[test]
fn requests_are_translated_deterministically() {
    for_all((draft(), corruption::corruptions()), |(draft, corruptions)| {
        in_all_pairs(|from, to| {
            check_deterministic(&render::body(draft, from), from, to)?;
            check_deterministic(&corruptions.body(draft, from), from, to)
        })
    });
}

#[test]
fn native_requests_are_translated_deterministically() {
    for_all(native_conversation(), |conversation| {
        in_all_dialects(|to| {
            check_deterministic(
                &conversation.body(),
                find_dialect("native").ok_or("there is no native dialect")?,
                to,
            )
        })
    });
}

#[test]
fn corpus_requests_are_translated_deterministically() {
    let mut failures = Vec::new();
    for (name, from, body) in bodies::corpus_requests() {
        for (_, to) in pairs().filter(|pair| pair.0.id() == from.id()) {
            let error = check_deterministic(&body, from, to).err();
            failures.extend(error.map(|error| format!("{name} to {}: {error}", to.id())));
        }
    }
    bodies::assert_no_failures(&failures);
}

fn check_deterministic(
    body: &Bytes,
    from: &'static dyn Dialect,
    to: &'static dyn Dialect,
) -> Result<(), String> {
    let first = translate(body, from, to)?;
    let second = translate(body, from, to)?;
    let other_thread = std::thread::scope(|scope| scope.spawn(|| translate(body, from, to)).join());
    let other_thread = other_thread.map_err(|_| "the other thread panicked")??;
    if first == second && first == other_thread {
        return Ok(());
    }
    Err(format!("{first:?} the first time, then {second:?}, in another thread {other_thread:?}"))
}

fn translate(
    body: &Bytes,
    from: &dyn Dialect,
    to: &dyn Dialect,
) -> Result<(Bytes, Vec<LedgerEntry>), String> {
    // A copy at another address, so that a dependency on addresses shows.
    let body = Bytes::copy_from_slice(body);
    let sent = transcode_request(body, from, to, &Target::default());
    sent.map(|sent| (sent.body, sent.ledger.entries)).map_err(|error| error.to_string())
}
