//! State of the block that is currently written to a stream.

use interlingua_wire::JsonString;

use crate::common::tool_args::ArgsForwarder;

#[derive(Debug)]
pub(super) enum OpenBlock {
    Nothing,
    /// The block cannot be expressed in this dialect.
    Dropped,
    Text,
    /// A text block without text so far. One that only carries a foreign seal is never written.
    EmptyText {
        has_seal: bool,
    },
    ToolUse(ArgsForwarder),
    /// Free text that is streamed as the one string of an object.
    FreeformToolUse,
    /// Started when there is text or a signature to write.
    Thinking {
        is_written: bool,
        seal: Option<JsonString>,
    },
    /// Written completely by its start event.
    Complete,
}
