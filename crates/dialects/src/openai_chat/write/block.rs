//! State of the block that is currently written to a stream.

use interlingua_model::{Block, Seal};
use interlingua_wire::JsonStringBuilder;

#[derive(Debug)]
pub(super) enum OpenBlock {
    Nothing,
    Text {
        seal: Option<Box<Seal>>,
    },
    Refusal,
    /// Buffered, because its seal arrives last and its reasoning detail repeats the text.
    Thinking(Box<Block>, JsonStringBuilder),
    /// Streamed as a reasoning detail: `reasoning_content` alone does not mark a summary.
    ThinkingSummary(Box<Block>),
    ToolCall {
        freeform: bool,
        /// No arguments were written yet.
        has_no_args: bool,
    },
    Closed {
        was_text: bool,
    },
}
