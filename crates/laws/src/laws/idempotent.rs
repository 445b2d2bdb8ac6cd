//! Law 3: a translated body, translated again for the same target, is unchanged without ledger
//! entries.

use super::difference;
use super::law::{Breach, Law};
use super::sent_request::{SentRequest, translate};

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let SentRequest { destination, translated: first, .. } = sent_request;
    let again = match translate(&first.body, destination.provider.to, destination) {
        Ok(again) => again,
        Err(error) => return breaches.push(Breach::new(Law::Idempotent, "refused", "", error)),
    };
    if again.body == first.body && again.ledger.is_empty() {
        return;
    }
    let rule = again.ledger.entries.first().map_or("unnoted", |entry| entry.rule);
    let (path, message) = if again.body == first.body {
        (String::new(), "a ledger entry without a change".into())
    } else {
        difference::first_difference(&first.body, &again.body)
    };
    let ledger_text = again
        .ledger
        .entries
        .first()
        .map_or(String::new(), |entry| format!("; {}", entry.description));
    breaches.push(Breach::new(Law::Idempotent, rule, path, message + &ledger_text));
}
