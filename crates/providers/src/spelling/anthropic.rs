//! How other servers of the Messages API differ from Anthropic's.

use crate::facts::facts;

facts! {
/// The quirks of one server. A quirk is a field here; no code compares flavor names.
#[derive(Clone, Copy, Debug)]
pub struct Flavor {
    /// The server accepts thinking without a signature, and rejects foreign signatures.
    pub allows_unsigned_thinking: bool,
}
}

/// The dialect as its vendor defines it.
pub(crate) const ANTHROPIC: Flavor = Flavor { allows_unsigned_thinking: false };
