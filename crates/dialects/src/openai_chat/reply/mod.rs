//! Whole replies, both ways.

mod decode;
mod encode;

pub(super) use decode::{ADOPTED, decode, ending};
pub(super) use encode::{annotate, encode, id, model};
