//! What decoding a request could not read exactly, before it is in the ledger.

use crate::{Ledger, LedgerPath};

/// Values of a request whose text says something else than what decoding made of it, such as a
/// message without a role. They are not in the ledger yet, because not all of them are changes: a
/// lenient target gets the value as the client wrote it.
#[derive(Clone, Debug, Default)]
pub struct DecodingNotes(Ledger);

impl DecodingNotes {
    /// Where decoders record what they note.
    pub fn recorder(&mut self) -> &mut Ledger {
        &mut self.0
    }

    /// Whether everything was read exactly.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The paths of the values, also of those without an entry of their own.
    pub fn paths(&self) -> impl Iterator<Item = LedgerPath> {
        self.0.paths()
    }

    /// Drops the notes about values that stay as the client wrote them.
    pub fn retain(&mut self, keep: impl Fn(LedgerPath) -> bool) {
        self.0.retain(keep);
    }

    /// The notes as changes and losses of the translation.
    pub fn into_ledger(self) -> Ledger {
        self.0
    }
}
