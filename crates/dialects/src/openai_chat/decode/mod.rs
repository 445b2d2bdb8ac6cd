//! Decodes turns, blocks, tools and settings.

pub(super) mod block;
pub(super) mod call_pairing;
mod fast_path;
pub(super) mod fields;
mod media;
pub(super) mod message_fields;
pub(super) mod settings;
pub(super) mod tool;
pub(super) mod tool_call;
pub(super) mod turn;
