//! Generation settings: all request fields except model, messages, system and tools.

mod decode;
mod encode;

pub(super) use decode::{decode_setting, is_known_field, known_subfields};
pub(super) use encode::{encode_edited_setting, encode_settings};

/// Every field that is decoded into the settings, in the order it is written.
pub(super) const SETTING_KEYS: &[&str] = &[
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
    SETTING_KEYS.contains(&key)
}
