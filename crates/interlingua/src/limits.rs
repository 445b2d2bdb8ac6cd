//! Limits for a provider's reply.

use interlingua_model::{ApiError, ApiErrorKind, Turn};
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, JsonString};

/// Limits for a provider's reply. A whole reply that exceeds one is an error; a stream that exceeds
/// one ends with an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyLimits {
    /// Maximum size of one event of a stream in bytes.
    pub max_event_bytes: usize,
    /// Maximum number of lines of one event.
    pub max_event_lines: usize,
    /// Maximum size of the arguments of one tool call in bytes.
    pub max_argument_bytes: usize,
    /// Maximum number of blocks and citations. Each of them takes up to 3 KB while it is an event,
    /// a block of the reply and part of the output.
    pub max_blocks: usize,
    /// Maximum size of the whole stream in bytes.
    pub max_reply_bytes: usize,
    /// Maximum size of what precedes the first content of a stream, such as comments and pings.
    pub max_preface_bytes: usize,
}

impl ReplyLimits {
    /// Maximum size of the stream so far.
    pub(super) fn max_bytes(&self, has_content: bool) -> usize {
        let preface = if has_content { usize::MAX } else { self.max_preface_bytes };
        self.max_reply_bytes.min(preface)
    }

    /// Checks the lists of a reply, or of one event, before they are decoded.
    pub(crate) fn check_lists(&self, body: &JsonDoc, list_keys: &[&str]) -> Result<(), ApiError> {
        // The number of all JSON values bounds the number of elements: most bodies are not
        // searched.
        let is_over = body.value_count() > self.max_blocks
            && count_elements(body.root(), list_keys) > self.max_blocks;
        if is_over { Err(self.blocks_error()) } else { Ok(()) }
    }

    /// As [`ReplyLimits::check_lists`], for a frame that is not parsed yet.
    pub(crate) fn check_frame(&self, frame: &Frame, list_keys: &[&str]) -> Result<(), ApiError> {
        let min_bytes = self.max_blocks.saturating_mul(MIN_ELEMENT_BYTES);
        let Some(data) = frame.data.as_ref().filter(|data| data.len() > min_bytes) else {
            return Ok(());
        };
        match JsonDoc::parse(data.clone(), JsonLimits::default()) {
            Ok(body) => self.check_lists(&body, list_keys),
            // The reader handles it.
            Err(_) => Ok(()),
        }
    }

    pub(crate) fn check_arguments(&self, turn: &Turn) -> Result<(), ApiError> {
        let is_over = turn.blocks.iter().any(|block| block.args_len() > self.max_argument_bytes);
        if is_over { Err(self.arguments_error()) } else { Ok(()) }
    }

    pub(crate) fn blocks_error(&self) -> ApiError {
        limit_error(&format!("the reply has more than {} blocks", self.max_blocks))
    }

    pub(crate) fn arguments_error(&self) -> ApiError {
        let max = self.max_argument_bytes;
        limit_error(&format!("the arguments of a call have more than {max} bytes"))
    }
}

impl Default for ReplyLimits {
    fn default() -> Self {
        Self {
            max_event_bytes: JsonLimits::default().max_bytes,
            max_event_lines: 65_536,
            max_argument_bytes: usize::MAX,
            max_blocks: 10_000,
            max_reply_bytes: usize::MAX,
            max_preface_bytes: usize::MAX,
        }
    }
}

/// The error of a provider whose reply exceeds a limit.
pub(crate) fn limit_error(message: &str) -> ApiError {
    ApiError { status: 502, ..ApiError::new(ApiErrorKind::ServerError, JsonString::new(message)) }
}

/// Number of the elements of all lists below these keys.
fn count_elements(node: JsonNode<'_>, keys: &[&str]) -> usize {
    let fields = node.fields().filter(|field| keys.iter().any(|key| field.key_is(key)));
    let in_fields = fields.map(|field| count_elements(field.value, keys));
    let in_list = node.items().map(|item| 1 + count_elements(item, keys));
    in_fields.chain(in_list).sum()
}

/// An element has at least one byte and a comma.
const MIN_ELEMENT_BYTES: usize = 2;
