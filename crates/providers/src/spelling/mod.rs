//! How servers spell a dialect, where they differ from its vendor.

pub mod anthropic;
pub mod openai_chat;

use interlingua_model::DialectId;

/// The names of a dialect's flavors. The first is the dialect as its vendor defines it, if it is listed.
pub fn flavors(dialect: DialectId) -> &'static [&'static str] {
    match dialect.0 {
        "anthropic" => anthropic::NAMES,
        "openai-chat" => openai_chat::NAMES,
        "openai-responses" => &["openai", "azure", "codex", "relay", "llama.cpp"],
        "gemini" => &["ai-studio", "vertex"],
        _ => &[],
    }
}
