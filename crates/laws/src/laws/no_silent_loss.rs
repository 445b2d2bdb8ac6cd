//! Law 5: every text, call, result and media part is sent, or has a ledger entry of its loss.

use bytes::Bytes;
use interlingua::{Dialect, JsonDoc, JsonLimits, Ledger};
use interlingua_model::LedgerEntry;

use super::chat_template;
use super::law::{Breach, Law};
use super::pieces::{covers_loss_at, pieces};
use super::sent_request::SentRequest;
use crate::canary;
use crate::sample::PlacedCanary;

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let SentRequest { original: case, destination, translated, parsed_body, .. } = sent_request;
    if chat_template::loses_instructions(parsed_body, destination) {
        let message = "the chat template reads the first of several texts".to_owned();
        breaches.push(Breach::new(Law::NoSilentLoss, "instructions", String::new(), message));
    }
    if translated.body == case.bytes {
        return;
    }
    let input_canaries = case.cache.canaries.get_or_init(|| canaries_in(case.dialect, &case.bytes));
    let entries = &translated.ledger.entries;
    for PlacedCanary { number, at } in input_canaries {
        if sent_request.has_canary(*number) {
            continue;
        }
        let is_noted = match at {
            Some((path, _)) => entries.iter().any(|entry| covers_loss_at(entry, *path)),
            // Undecoded input is odd, so any ledger entry counts.
            None => !entries.is_empty(),
        };
        if !is_noted {
            let (path, kind) =
                at.map_or((String::new(), "unread"), |(path, kind)| (path.to_string(), kind));
            let ledger: Vec<_> = entries.iter().map(LedgerEntry::to_json).collect();
            let message = format!("{} is lost; ledger: {ledger:?}", canary::canary(*number));
            breaches.push(Breach::new(Law::NoSilentLoss, kind, path, message));
        }
    }
}

/// The canaries of a body with their locations.
pub(super) fn canaries_in(dialect: &dyn Dialect, body: &Bytes) -> Vec<PlacedCanary> {
    let mut found = Vec::new();
    if let Ok(doc) = JsonDoc::from_bytes(body.clone(), JsonLimits::default()) {
        let conversation = dialect.decode_request(&doc, &mut Ledger::default());
        for piece in pieces(&conversation).iter().filter(|piece| piece.is_content()) {
            let at = Some((piece.path, piece.kind));
            let canaries = canary::find_canaries(piece.contents.as_bytes());
            found.extend(canaries.map(|number| PlacedCanary { number, at }));
        }
    }
    for number in canary::find_canaries(body) {
        if !found.iter().any(|canary| canary.number == number) {
            found.push(PlacedCanary { number, at: None });
        }
    }
    found
}
