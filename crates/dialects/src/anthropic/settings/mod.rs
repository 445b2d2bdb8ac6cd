//! The fields that say how the reply is to be made.

mod decode;
mod encode;

pub(super) use decode::{decode, held_inside, is_known};
pub(super) use encode::{encode_all, encode_edited};

/// Every field whose meaning the settings hold, in the order they are written.
pub(super) const KEYS: &[&str] = &[
    "max_tokens",
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "stream",
    "service_tier",
    "metadata",
    "tool_choice",
    "thinking",
    "output_config",
    "output_format",
];

pub(super) fn is_setting(key: &str) -> bool {
    KEYS.contains(&key)
}
