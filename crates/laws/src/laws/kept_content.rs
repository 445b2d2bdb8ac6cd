//! Finds content of real requests, which have no canaries, that their translation lacks.

use interlingua::{JsonDoc, JsonLimits, Ledger};

use super::pieces::{ContainedStrings, covers_loss_at, pieces};
use super::sent_request::translate;
use crate::sample::SampleRequest;
use crate::targets::Destination;

/// Kinds and contents of the pieces that are not in the translation: texts, arguments and data in any case, and
/// others without a ledger entry of their loss.
pub(crate) fn find_lost_content(
    request: &SampleRequest,
    destination: &Destination,
) -> Vec<(&'static str, String)> {
    let limits = JsonLimits::default();
    let Ok(doc) = JsonDoc::from_bytes(request.bytes.clone(), limits) else { return Vec::new() };
    let Ok(sent) = translate(&request.bytes, request.dialect, destination) else {
        return Vec::new();
    };
    if sent.body == request.bytes {
        return Vec::new();
    }
    let conversation = request.dialect.decode_request(&doc, &mut Ledger::default());
    let mut strings = ContainedStrings::default();
    strings.add(&String::from_utf8_lossy(&sent.body));
    let mut lost = Vec::new();
    for piece in pieces(&conversation).iter().filter(|piece| piece.is_content()) {
        let entries = &sent.ledger.entries;
        let mut of_piece = entries.iter().filter(|entry| covers_loss_at(entry, piece.path));
        let may_be_lost = !MUST_BE_KEPT.contains(&piece.kind);
        if !(strings.has_piece(piece) || may_be_lost && of_piece.next().is_some()) {
            lost.push((piece.kind, format!("{}: {:?}", piece.path, piece.contents)));
        }
    }
    lost
}

/// Kinds of content that every dialect has a place for.
const MUST_BE_KEPT: &[&str] = &["text", "arguments", "data"];
