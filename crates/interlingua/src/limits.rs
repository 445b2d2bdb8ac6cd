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
    /// Maximum size of the whole stream in bytes.
    pub max_reply_bytes: usize,
    /// Maximum size of what precedes the first content, such as comments and pings.
    pub max_preface_bytes: usize,
}

impl StreamLimits {
    /// Maximum size of the stream so far.
    pub(crate) fn max_bytes(&self, has_content: bool) -> usize {
        let preface = if has_content { usize::MAX } else { self.max_preface_bytes };
        self.max_reply_bytes.min(preface)
    }
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            max_event_bytes: JsonLimits::default().max_bytes,
            max_event_lines: 65_536,
            max_argument_bytes: usize::MAX,
            max_reply_bytes: usize::MAX,
            max_preface_bytes: usize::MAX,
        }
    }
}
