//! A turn that its provider pauses: with what was said so far sent back as it is, it goes on.

use bytes::Bytes;
use interlingua_dialects::{Dialect, note};
use interlingua_model::{Ledger, Place, Target, Turn};

use crate::{ReadReply, read_object};

/// A request that was sent, with what was said so far behind it; none if it cannot be read.
pub fn go_on(sent: Bytes, said: &Turn, to: &dyn Dialect, target: &Target) -> Option<Bytes> {
    let mut ledger = Ledger::default();
    let body = read_object(sent).ok()?;
    let mut conversation = to.decode_request(&body, &mut ledger);
    conversation.edit().turns.push(said.clone().into());
    Some(to.encode_request(&conversation, target, &mut ledger))
}

impl ReadReply {
    /// What its provider said when it went on.
    pub fn goes_on(&mut self, next: Self) {
        self.reply.edit().goes_on(next.reply.into_value());
        self.ledger.change(note::PAUSED_TURN, Place::REPLY, WENT_ON);
        self.ledger.entries.extend(next.ledger.entries);
        self.findings.extend(next.findings);
    }
}

pub(crate) const WENT_ON: &str = "the provider paused, and went on when it was asked to";
