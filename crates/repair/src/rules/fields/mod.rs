//! Rules about fields and blocks that a target does not know, and about their spelling.

mod foreign_block;
mod lone_surrogate;
mod null_field;
mod only_last;
mod refused_field;
mod string_content;
mod string_input;
mod unknown_block;
mod unknown_field;

use crate::engine::Feature;
use crate::engine::rule::{
    ConversationRule, EncodedBodyRule, RawBodyRule, RuleKind, fit, two_part_rule,
};

pub(super) const RULES: &[ConversationRule] = &[
    // Later rules treat what becomes text here as text.
    fit("foreign-block", foreign_block::apply)
        .requires(Feature::ForeignBlocks)
        .after(&["restored-reasoning"]),
    two_part_rule("unknown-field", unknown_field::apply_body, unknown_field::apply)
        .after(&["odd-field"]),
    fit("unknown-block", unknown_block::apply).reruns(),
    fit("only-last", only_last::apply).requires(Feature::ForeignBlocks).reruns(),
    fit("null-field", null_field::apply).reruns().after(&["missing-content"]),
    fit("string-input", string_input::apply).reruns().after(&["no-messages"]),
    fit("string-content", string_content::apply).reruns().after(&["item-id"]),
];

pub(super) const RAW_BODY_RULES: &[RawBodyRule] =
    &[RawBodyRule { name: "lone-surrogate", kind: RuleKind::Mend, apply: lone_surrogate::apply }];

/// Rules for lessons.
pub(super) const ENCODED_BODY_RULES: &[EncodedBodyRule] =
    &[EncodedBodyRule { name: "refused-field", kind: RuleKind::Fit, apply: refused_field::apply }];
