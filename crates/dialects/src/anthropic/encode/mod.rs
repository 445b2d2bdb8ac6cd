//! Encodes turns, blocks, tools and settings.

pub(super) mod block;
pub(super) mod context;
pub(super) mod fields;
mod media;
pub(super) mod settings;
pub(super) mod tool;
pub(super) mod turn;
