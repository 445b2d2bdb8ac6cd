//! The canonical conversation. No wire names, no IO, no failure.
//!
//! - [`Conversation`]: system, turns, tools, settings of one request, as the client wrote them.
//! - [`Verbatim`]: a value that remembers its text in the dialect it came from, until it is edited.
//! - [`Event`]: one step of a streamed reply; [`Fold`] makes a [`Reply`] of them, [`unfold`] the way back.
//! - [`Ledger`]: everything that was changed or left out on the way.
//! - [`Lessons`]: what was learned of a target from what it refused.
//! - [`Failure`]: what went wrong, who is to blame, and whether to try again.

mod block;
mod calls;
mod conversation;
mod event;
mod extras;
mod failure;
mod fold;
mod id;
mod keys;
mod ledger;
mod lessons;
mod recalled;
mod reply;
mod restored;
mod settings;
mod target;
mod told;
mod tool;
mod verbatim;

pub use block::{
    Args, Block, Body, Cache, Citation, Form, Media, MediaKind, Origin, Seal, Source, Thinking,
    ToolCall, ToolResult,
};
pub use calls::Calls;
pub use conversation::{Conversation, Role, TopField, Turn};
pub use event::{Delta, Event};
pub use extras::Extras;
pub use failure::{Blame, Failure, FailureKind, Retry};
pub use fold::{Fold, unfold, unfold_block};
pub use id::{derive_id, derive_own_id, is_own_id};
pub use keys::Keys;
pub use ledger::{Entry, Ledger, Place, Section};
pub use lessons::{EmptyText, Habit, ImageLimit, Lesson, Lessons, NoLesson, RefusedField};
pub use recalled::Recalled;
pub use reply::{Reply, Stop, StopReason, Usage};
pub use restored::Restored;
pub use settings::{Choice, Format, Reasoning, ReasoningMode, Settings};
pub use target::{DialectId, Exchange, Target};
pub use told::Told;
pub use tool::{Tool, ToolKind};
pub use verbatim::Verbatim;
