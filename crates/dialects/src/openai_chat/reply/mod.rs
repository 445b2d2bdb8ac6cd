//! Whole replies, both ways.

mod decode;
mod encode;

pub(super) use decode::{decode, ending};
pub(super) use encode::{annotate, encode, id, model};
