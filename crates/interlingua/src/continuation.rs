//! Continues a reply that the provider paused, by sending the request again with the partial turn.

use bytes::Bytes;
use interlingua_dialects::{Dialect, note};
use interlingua_model::{Ledger, LedgerPath, Turn};
use interlingua_providers::Target;

use crate::parse::parse_object;
use crate::reply::DecodedReply;

/// Appends the partial turn to the request that was sent; `None` if the request cannot be parsed.
pub fn continuation_request(
    sent: Bytes,
    partial: &Turn,
    to: &dyn Dialect,
    target: &Target,
) -> Option<Bytes> {
    let mut ledger = Ledger::default();
    let body = parse_object(sent).ok()?;
    let mut conversation = to.decode_request(&body, &mut ledger);
    conversation.edit().turns.push(partial.clone().into());
    Some(to.encode_request(&conversation, target, &mut ledger))
}

impl DecodedReply {
    /// Appends the reply with which the provider continued this one.
    pub fn append_continuation(&mut self, next: Self) {
        self.reply.edit().append_continuation(next.reply.into_value());
        self.ledger.record_change(note::PAUSED_TURN, LedgerPath::REPLY, CONTINUED_NOTE);
        self.ledger.append(next.ledger);
        self.findings.extend(next.findings);
    }
}

pub(crate) const CONTINUED_NOTE: &str = "the provider paused and was asked to continue";
