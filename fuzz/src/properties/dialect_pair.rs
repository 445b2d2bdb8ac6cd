//! Selects the pair of dialects that a property is checked with.

use interlingua::{DIALECTS, Dialect, ReplyContext};

/// The source and the target dialect.
pub(super) struct DialectPair {
    pub(super) from: &'static dyn Dialect,
    pub(super) to: &'static dyn Dialect,
}

impl DialectPair {
    /// Every byte selects a pair, and every pair has a byte. The same dialect on both sides is
    /// selected about as often as all others together, because its guarantees are the strongest.
    pub(super) fn from_byte(choice: u8) -> Self {
        let choice = usize::from(choice);
        let (from, to) = (choice % DIALECTS.len(), choice / DIALECTS.len() % (2 * DIALECTS.len()));
        Self { from: DIALECTS[from], to: DIALECTS.get(to).copied().unwrap_or(DIALECTS[from]) }
    }

    pub(super) fn is_same(&self) -> bool {
        self.from.id() == self.to.id()
    }
}

/// The context that a gateway has for a reply.
pub(super) fn exchange() -> ReplyContext {
    ReplyContext {
        client_model: Some("asked-for".into()),
        fallback_id: Some("reply-1".into()),
        created_unix_secs: 1_700_000_000,
        ..ReplyContext::default()
    }
}
