//! Rules about texts, results and turns without content.

mod aborted_turn;
mod blank_between_reasoning;
mod empty_calls;
mod empty_result;
mod empty_system;
mod empty_text;
mod empty_turn;
mod missing_content;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit};

pub(super) const RULES: &[ConversationRule] = &[
    fit("empty-calls", empty_calls::apply).requires(Feature::Extras).after(&["result-order"]),
    // Rules about fields and blocks may leave something empty.
    fit("aborted-turn", aborted_turn::apply)
        .requires(Feature::TurnWithoutContent)
        .reruns()
        .after(&["only-last"]),
    fit("empty-text", empty_text::apply).requires(Feature::BlankText).reruns(),
    fit("empty-result", empty_result::apply).requires(Feature::BlankText).reruns(),
    fit("blank-between-reasoning", blank_between_reasoning::apply)
        .requires(Feature::BlankText)
        .reruns()
        .after(&["missing-reasoning"]),
    fit("empty-turn", empty_turn::apply).requires(Feature::TurnWithoutContent).reruns(),
    fit("missing-content", missing_content::apply).reruns(),
    fit("empty-system", empty_system::apply).reruns().after(&["system-placement"]),
];
