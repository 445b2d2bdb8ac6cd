//! Law 8: the same input gives the same bytes and the same notes.

use bytes::Bytes;

use super::{Broken, Law, Sent, difference, translate};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    // Once in a while is enough: what depends on addresses or on the order of a hash differs soon.
    if !sent.case.bytes.len().is_multiple_of(8) {
        return;
    }
    // Another memory, so that nothing depends on addresses.
    let copy = Bytes::copy_from_slice(&sent.case.bytes);
    let Ok(again) = translate(&copy, sent.case.from, sent.aim) else {
        return broken.push(Broken::new(
            Law::Deterministic,
            "refused",
            "",
            "refused the second time",
        ));
    };
    if again.body != sent.translated.body {
        let (path, what) = difference::first(&sent.translated.body, &again.body);
        broken.push(Broken::new(Law::Deterministic, "bytes", path, what));
    }
    if again.ledger.entries != sent.translated.ledger.entries {
        let what =
            format!("{:?} and then {:?}", sent.translated.ledger.entries, again.ledger.entries);
        broken.push(Broken::new(Law::Deterministic, "ledger", "", what));
    }
}
