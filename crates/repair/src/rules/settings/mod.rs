//! Rules about the settings of a request, apart from tools and reasoning.

mod answer_format;
mod answer_schema;
mod conflicting_field;
mod fixed_setting;
mod json_word;
mod max_tokens;
mod metadata_size;
mod odd_field;
mod odd_setting;
mod respelled_setting;
mod sampling;
mod stop_sequences;
mod unknown_beta;
mod unknown_word;

use crate::engine::rule::{ConversationRule, fit, settings_rule};

pub(super) const RULES: &[ConversationRule] = &[
    settings_rule("respelled-setting", respelled_setting::apply).after(&["freeform-call"]),
    settings_rule("odd-field", odd_field::apply).after(&["cache-unknown"]),
    settings_rule("odd-setting", odd_setting::apply),
    settings_rule("fixed-setting", fixed_setting::apply).after(&["unknown-effort"]),
    fit("answer-format", answer_format::apply).after(&["forced-while-thinking"]),
    settings_rule("max-tokens", max_tokens::apply),
    settings_rule("stop-sequences", stop_sequences::apply).after(&["thinking-budget"]),
    settings_rule("unknown-word", unknown_word::apply),
    settings_rule("metadata-size", metadata_size::apply),
    settings_rule("unknown-beta", unknown_beta::apply),
    settings_rule("answer-schema", answer_schema::apply).after(&["property-name"]),
    // Depends on the final conversation, and on whether the model reasons.
    settings_rule("conflicting-field", conflicting_field::apply).after(&["missing-thinking"]),
    settings_rule("sampling", sampling::apply),
    // Depends on whether any other rule changed the request.
    fit("json-word", json_word::apply).after(&["cache-lifetime"]),
];
