//! Texts that repairs insert.

/// Text of an empty user turn.
pub(crate) const EMPTY_MESSAGE: &str = "(empty message)";

/// Text of a user turn that only continues the conversation.
pub(crate) const CONTINUE: &str = "Continue.";

pub(crate) const BLANK_LINE: &str = "\n\n";

/// Text for the model in place of the result.
pub(crate) const UNKNOWN_OUTCOME: &str = "Interrupted: no result was recorded. The tool may or may not \
                                   have completed: outcome unknown, verify before repeating it.";
