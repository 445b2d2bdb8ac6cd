//! Dialect-neutral types for LLM requests, replies, stream events and errors, without I/O.
//!
//! - [`Conversation`]: system messages, turns, tools and settings of one request.
//! - [`Verbatim`]: a value with the text that it was decoded from, until it is edited.
//! - [`StreamEvent`]: one event of a streamed reply. [`ReplyAccumulator`] folds events into a
//!   [`Reply`], [`unfold`] splits a reply into events.
//! - [`Sequencer`]: puts what a reader decodes from frames in the order of these events.
//! - [`Ledger`]: every change and every loss that a translation made.
//! - [`Lessons`]: limits of a target that were learned from its rejections.
//! - [`ApiError`]: the error of an LLM API, with its origin and advice on retries.

#![deny(missing_docs)]

mod accumulator;
mod api_error;
mod block;
mod conversation;
mod conversation_patch;
mod decoding_notes;
mod dialect_id;
mod event;
mod extras;
mod id;
mod key_renamer;
mod ledger;
mod lessons;
mod reply;
mod reply_context;
mod sequencer;
mod settings;
mod spelling;
mod tool;
mod tool_call_index;
mod verbatim;

pub use accumulator::{ReplyAccumulator, for_each_event, push_block_events, unfold};
pub use api_error::{ApiError, ApiErrorKind, ErrorOrigin, RetryAdvice};
pub use block::{
    Block, BlockContent, CacheBreakpoint, Citation, Media, MediaKind, MediaSource, Reasoning,
    ReasoningForm, Seal, SealOrigin, ToolArgs, ToolCall, ToolResult,
};
pub use conversation::{Conversation, Role, TopLevelField, Turn};
pub use conversation_patch::{ConversationPatch, GuardAnswer, RestoredTurn};
pub use decoding_notes::DecodingNotes;
pub use dialect_id::DialectId;
pub use event::{Delta, StreamEvent};
pub use extras::Extras;
pub use id::{derive_checksummed_id, derive_id, is_checksummed_id};
pub use key_renamer::KeyRenamer;
pub use ledger::{Ledger, LedgerEntry, LedgerPath, LedgerSection};
pub use lessons::{
    EmptyTextHandling, ImageLimit, Lesson, Lessons, ParseLessonError, ReasoningConstraint,
    RejectedField,
};
pub use reply::{Reply, Stop, StopReason, Usage};
pub use reply_context::{ReplyContext, TakenIds};
pub use sequencer::{OrderFault, Sequencer, SlotNumber};
pub use settings::{ReasoningMode, ReasoningSettings, ResponseFormat, Settings, ToolChoice};
pub use spelling::{Spelling, SpellingSet, WrittenForm};
pub use tool::{Tool, ToolKind};
pub use tool_call_index::ToolCallIndex;
pub use verbatim::Verbatim;
