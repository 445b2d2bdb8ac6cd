//! Rules about reasoning blocks, their seals and the settings of reasoning.

mod forced_while_thinking;
mod foreign_seal;
mod lone_reasoning;
mod misplaced_thinking;
mod missing_reasoning;
mod missing_signature;
mod missing_thinking;
mod refused_seal;
mod restored_reasoning;
mod sealed_reasoning;
mod strange_reasoning;
mod thinking_budget;
mod thinking_mode;
mod unkept_item;
mod unknown_effort;
mod unsigned_thinking;

use crate::engine::Feature;
use crate::engine::rule::{ConversationRule, fit, mend, settings_rule};

pub(super) const RULES: &[ConversationRule] = &[
    // The paths of stored blocks are those of the client's body.
    mend("restored-reasoning", restored_reasoning::apply),
    fit("unkept-item", unkept_item::apply),
    settings_rule("thinking-mode", thinking_mode::apply).after(&["odd-setting"]),
    settings_rule("unknown-effort", unknown_effort::apply),
    settings_rule("forced-while-thinking", forced_while_thinking::apply),
    settings_rule("thinking-budget", thinking_budget::apply),
    fit("refused-seal", refused_seal::apply).requires(Feature::ReasoningOrSeal),
    fit("foreign-seal", foreign_seal::apply).requires(Feature::ReasoningOrSeal),
    fit("unsigned-thinking", unsigned_thinking::apply)
        .requires(Feature::UnsealedReasoning)
        .reruns(),
    fit("misplaced-thinking", misplaced_thinking::apply)
        .requires(Feature::MisplacedReasoning)
        .reruns(),
    fit("sealed-reasoning", sealed_reasoning::apply),
    fit("lone-reasoning", lone_reasoning::apply).requires(Feature::ReasoningBlock).reruns(),
    fit("strange-reasoning", strange_reasoning::apply).reruns(),
    fit("missing-reasoning", missing_reasoning::apply),
    // Which calls need a signature depends on where the current turn begins.
    fit("missing-signature", missing_signature::apply).reruns().after(&["opening-call"]),
    // Depends on the final conversation.
    fit("missing-thinking", missing_thinking::apply).after(&["string-content"]),
];
