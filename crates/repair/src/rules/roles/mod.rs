//! Rules about roles, their order and the instructions.

mod account_label;
mod alternation;
mod developer_role;
mod ends_with_assistant;
mod missing_instructions;
mod missing_role;
mod no_messages;
mod opening_call;
mod system_placement;
mod trailing_whitespace;
mod user_after_results;
mod user_first;
mod words_after_call;
mod words_with_calls;

use crate::engine::rule::{ConversationRule, fit};

pub(super) const RULES: &[ConversationRule] = &[
    fit("account-label", account_label::apply),
    fit("developer-role", developer_role::apply).after(&["null-field"]),
    fit("missing-role", missing_role::apply).reruns(),
    fit("system-placement", system_placement::apply).reruns(),
    fit("missing-instructions", missing_instructions::apply).reruns(),
    fit("no-messages", no_messages::apply).reruns(),
    fit("alternation", alternation::apply).reruns(),
    fit("words-after-call", words_after_call::apply).reruns(),
    fit("words-with-calls", words_with_calls::apply).reruns(),
    fit("user-after-results", user_after_results::apply).reruns(),
    fit("user-first", user_first::apply).reruns(),
    fit("ends-with-assistant", ends_with_assistant::apply).reruns(),
    fit("trailing-whitespace", trailing_whitespace::apply).reruns(),
    fit("opening-call", opening_call::apply).reruns(),
];
