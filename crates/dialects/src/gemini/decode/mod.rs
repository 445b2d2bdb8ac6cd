//! Decodes turns, blocks, tools and settings.

pub(super) mod block;
pub(super) mod call_pairing;
mod fields;
pub(super) mod media;
pub(super) mod settings;
pub(super) mod tool;
pub(super) mod turn;
