//! Decodes and encodes complete replies.

mod decode;
mod encode;

pub(super) use decode::{ADOPTED_CALLS_NOTE, decode, decode_choice_stop};
pub(super) use encode::{encode, reply_id, reply_model, write_annotation};
