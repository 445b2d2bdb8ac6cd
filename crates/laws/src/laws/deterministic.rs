//! Law 8: the same input gives the same bytes and the same ledger.

use bytes::Bytes;

use super::difference;
use super::law::{Breach, Law};
use super::sent_request::{SentRequest, translate};

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    // One in eight is enough: a dependency on addresses or on hash order shows soon.
    if !sent_request.original.bytes.len().is_multiple_of(8) {
        return;
    }
    // A copy at another address shows dependencies on addresses.
    let copy = Bytes::copy_from_slice(&sent_request.original.bytes);
    let Ok(again) = translate(&copy, sent_request.original.dialect, sent_request.destination)
    else {
        return breaches.push(Breach::new(
            Law::Deterministic,
            "refused",
            "",
            "rejected the second time",
        ));
    };
    if again.body != sent_request.translated.body {
        let (path, message) =
            difference::first_difference(&sent_request.translated.body, &again.body);
        breaches.push(Breach::new(Law::Deterministic, "bytes", path, message));
    }
    if again.ledger.entries != sent_request.translated.ledger.entries {
        let message = format!(
            "{:?} and then {:?}",
            sent_request.translated.ledger.entries, again.ledger.entries
        );
        breaches.push(Breach::new(Law::Deterministic, "ledger", "", message));
    }
}
