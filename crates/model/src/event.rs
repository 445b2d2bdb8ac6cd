//! One step of a streamed reply.

use interlingua_wire::{Json, Text};

use crate::{Block, Citation, DialectId, Failure, Seal, Stop, Usage};

/// A lawful stream is `Start, (Open Delta* Close)*, Stop | Fail` with usage in between: blocks are
/// numbered densely from 0, one is open at a time, usage comes before the stop, and nothing after it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Start {
        id: Option<Text>,
        model: Option<Text>,
    },
    /// A block begins. What it holds already is its beginning; deltas add to it.
    Open {
        index: u32,
        block: Box<Block>,
    },
    Delta {
        index: u32,
        delta: Delta,
    },
    Close {
        index: u32,
    },
    /// Totals so far; a later count replaces an earlier one.
    Usage(Usage),
    Stop(Stop),
    Fail(Box<Failure>),
    /// The provider is still there.
    Ping,
    /// A step only its own dialect understands.
    Foreign {
        dialect: DialectId,
        kind: Text,
        json: Json,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// More text of a text, refusal or thinking block.
    Text(Text),
    /// More of the text of a call's arguments.
    Args(Text),
    /// The block's seal, whole.
    Seal(Box<Seal>),
    Citation(Box<Citation>),
}
