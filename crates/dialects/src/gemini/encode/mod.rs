//! Encodes turns, blocks, tools and settings.

pub(super) mod block;
pub(super) mod context;
pub(super) mod fields;
mod media;
pub(super) mod settings;
pub(super) mod thinking_config;
pub(super) mod tool;
mod tool_result;
pub(super) mod turn;
