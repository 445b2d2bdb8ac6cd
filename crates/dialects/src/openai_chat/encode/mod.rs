//! Encodes turns, blocks, tools and settings.

mod assistant;
mod block;
pub(super) mod context;
pub(super) mod media;
pub(super) mod setting_groups;
pub(super) mod settings;
pub(super) mod tool;
pub(super) mod tool_call;
mod turn;
