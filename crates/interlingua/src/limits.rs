//! Limits for a provider's stream.

use interlingua_wire::JsonLimits;

/// Limits for a provider's stream; a stream that exceeds one ends with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLimits {
    /// Maximum size of one event in bytes.
    pub max_event_bytes: usize,
    /// Maximum number of lines of one event.
    pub max_event_lines: usize,
    /// Maximum size of the arguments of one tool call in bytes.
    pub max_argument_bytes: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            max_event_bytes: JsonLimits::default().max_bytes,
            max_event_lines: 65_536,
            max_argument_bytes: usize::MAX,
        }
    }
}
