//! How much of a provider's stream is taken.

use interlingua_wire::Limits;

/// How much of a provider's stream is taken before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Bytes of one event.
    pub event: usize,
    /// Lines of one event.
    pub lines: usize,
    /// Bytes of the arguments of one call.
    pub arguments: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self { event: Limits::default().bytes, lines: 65_536, arguments: usize::MAX }
    }
}
