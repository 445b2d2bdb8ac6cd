//! Edits that several rules share.

pub(crate) mod cache_marks;
pub(crate) mod call_seal;
pub(crate) mod empty_reasoning;
pub(crate) mod empty_texts;
pub(crate) mod insert_results;
pub(crate) mod lone_reasoning;
pub(crate) mod media;
pub(crate) mod misplaced_reasoning;
pub(crate) mod missing_results;
pub(crate) mod reasoning_settings;
pub(crate) mod remove_reasoning;
pub(crate) mod rounds;
pub(crate) mod tool_choice;
