//! Rules that are true for any target.

pub mod unanswered_call;
