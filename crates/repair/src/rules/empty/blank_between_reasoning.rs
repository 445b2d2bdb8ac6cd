//! Sends an empty text between two reasoning blocks as a blank.
//!
//! A model that reasons in several steps writes a blank text between them, and its signatures
//! depend on that position: without the text, the reasoning after it is in another position.
//! Clients trim the text to an empty one, which is rejected, or remove it, which is rejected as
//! well. A blank is accepted at present. Providers have changed this before: where one rejects the
//! blank, the text is removed, stays as it is, or is removed with the reasoning around it, as that
//! provider was seen to accept. Where the reasoning around the blank was removed, the blank is
//! removed too.
//!
//! ## Why
//! > messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant message
//! > cannot be modified. These blocks must remain as they were in the original response.
//!
//! > messages: text content blocks must be non-empty
//!
//! ## Example
//! ```text
//! before   assistant: reasoning, "", reasoning, "the answer"
//! after    assistant: reasoning, " ", reasoning, "the answer"
//! ```

use crate::edit::empty_texts::fix_between_reasoning;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    fix_between_reasoning(work);
}
