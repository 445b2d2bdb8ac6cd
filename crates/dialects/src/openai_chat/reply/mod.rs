//! Whole replies, both ways.

mod decode;
mod encode;

pub(super) use decode::decode;
pub(super) use encode::{annotate, encode, id, model};
