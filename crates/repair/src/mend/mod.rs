//! Rules for every target.

pub mod duplicate_call;
pub mod duplicate_result;
pub mod foreign_pair;
pub mod guard_answer;
pub mod lone_surrogate;
pub mod orphan_result;
pub mod restored_reasoning;
pub mod scattered_result;
pub mod unanswered_call;
pub mod unnamed_result;
pub mod wrong_side;
