//! Events of a streamed reply, in no dialect.

use interlingua_wire::{JsonString, RawJson};

use crate::{ApiError, Block, Citation, DialectId, Seal, Stop, Usage};

/// One event of a streamed reply. A valid stream is `Start, (BlockStart Delta* BlockEnd)*, Stop |
/// Error` with usage in between: blocks are numbered from 0 without gaps, one is open at a time,
/// usage comes before the stop, and nothing follows the stop.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    /// The reply begins.
    Start {
        /// The reply's id.
        id: Option<JsonString>,
        /// The model that replies.
        model: Option<JsonString>,
    },
    /// A block begins. Deltas append to the content that it already has.
    BlockStart {
        /// The block's number, from 0.
        index: u32,
        /// The block with the content that it begins with.
        block: Box<Block>,
    },
    /// The open block grows.
    Delta {
        /// The number of the open block.
        index: u32,
        /// What is appended to it.
        delta: Delta,
    },
    /// The block is complete.
    BlockEnd {
        /// The number of the open block.
        index: u32,
    },
    /// Token totals so far; a later count replaces an earlier one.
    Usage(Usage),
    /// The reply is complete.
    Stop(Stop),
    /// The reply failed.
    Error(Box<ApiError>),
    /// A heartbeat.
    Ping,
    /// An event that only one dialect understands.
    Foreign {
        /// The dialect that understands the event.
        dialect: DialectId,
        /// The event's type in that dialect.
        kind: JsonString,
        /// The whole event.
        json: RawJson,
    },
}

/// An addition to the open block.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// Text of a text, refusal or reasoning block.
    Text(JsonString),
    /// Text of a tool call's arguments.
    Args(JsonString),
    /// The complete seal of the block.
    Seal(Box<Seal>),
    /// The source of a passage of the text.
    Citation(Box<Citation>),
}
