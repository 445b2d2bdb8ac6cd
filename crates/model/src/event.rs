//! Events of a streamed reply, in no dialect.

use interlingua_wire::{JsonString, RawJson};

use crate::{ApiError, Block, Citation, DialectId, Seal, Stop, Usage};

/// One event of a streamed reply. A valid stream is `Start, (BlockStart Delta* BlockEnd)*, Stop |
/// Error` with usage in between: blocks are numbered from 0 without gaps, one is open at a time,
/// usage comes before the stop, and nothing follows the stop.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEvent {
    Start {
        id: Option<JsonString>,
        model: Option<JsonString>,
    },
    /// A block begins. Deltas append to the content that it already has.
    BlockStart {
        index: u32,
        block: Box<Block>,
    },
    Delta {
        index: u32,
        delta: Delta,
    },
    BlockEnd {
        index: u32,
    },
    /// Token totals so far; a later count replaces an earlier one.
    Usage(Usage),
    Stop(Stop),
    Error(Box<ApiError>),
    /// A heartbeat.
    Ping,
    /// An event that only one dialect understands.
    Foreign {
        dialect: DialectId,
        kind: JsonString,
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
    Citation(Box<Citation>),
}
