//! How servers spell a dialect, where they differ from its vendor.

pub mod anthropic;
pub mod openai_chat;
