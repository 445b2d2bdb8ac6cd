//! Claude, in the Messages API and behind Bedrock.

use super::generation::{Generation, generation};
use crate::prelude::*;

const BOTH: &[&str] = &["anthropic", "bedrock"];

/// The newest first; an unknown model is taken for the newest.
pub(super) const GENERATIONS: &[Generation] = &[
    generation(
        &[
            "*fable-5-2!",
            "*mythos-5-2!",
            "*fable-5-1!",
            "*mythos-5-1!",
            "*opus-5-5*",
            "*mythos-preview*",
        ],
        &[],
    ),
    generation(
        &["*sonnet-5-5*"],
        &[(BOTH, |p| {
            p.reasoning.off_mode = OffMode::BetweenTools;
            p.reasoning.limits_effort_when_off = true;
        })],
    ),
    generation(
        &["*haiku-5-5*", "*opus-5*"],
        &[(BOTH, |p| {
            optional_reasoning(p);
            p.reasoning.limits_effort_when_off = true;
        })],
    ),
    generation(&["*fable-5*", "*mythos-5*"], &[(BOTH, forced_calls)]),
    generation(
        &["*sonnet-5*"],
        &[(BOTH, |p| {
            optional_reasoning(p);
            p.roles.instruction_placement = InstructionPlacement::SeparateField;
        })],
    ),
    generation(
        &["*opus-4-8*"],
        &[(BOTH, |p| {
            forced_calls(p);
            p.reasoning = reasoning::OPUS_4_7;
        })],
    ),
    generation(
        &["*opus-4-7*"],
        &[(BOTH, |p| {
            forced_calls(p);
            p.reasoning = reasoning::OPUS_4_7;
            p.roles.instruction_placement = InstructionPlacement::SeparateField;
        })],
    ),
    generation(
        &["*opus-4-6*", "*sonnet-4-6*"],
        &[(BOTH, |p| {
            temperature_or_top_p(p);
            p.reasoning = ReasoningProfile {
                budget: reasoning::CLAUDE_BUDGET,
                efforts: Some(&["low", "medium", "high", "max"]),
                must_come_first: true,
                ..reasoning::OPUS_4_7
            };
            p.roles.instruction_placement = InstructionPlacement::SeparateField;
        })],
    ),
    generation(
        &["*opus-4-5*"],
        &[(BOTH, |p| {
            claude_4(p, 64_000);
            temperature_or_top_p(p);
            p.reasoning.efforts = Some(&["low", "medium", "high"]);
        })],
    ),
    generation(
        &["*sonnet-4-5*", "*haiku-4-5*"],
        &[(BOTH, |p| {
            claude_4(p, 64_000);
            temperature_or_top_p(p);
        })],
    ),
    generation(&["*opus-4*", "*4-opus*"], &[(BOTH, |p| before_4_5(p, 32_000))]),
    generation(&["*sonnet-4*", "*4-sonnet*", "*3-7-sonnet*"], &[(BOTH, |p| before_4_5(p, 64_000))]),
    generation(
        &["*3-5-sonnet*", "*3-5-haiku*", "*claude-3-5*"],
        &[(BOTH, |p| before_4_5(p, 8_192))],
    ),
    generation(&["*claude-3-*"], &[(BOTH, |p| before_4_5(p, 4_096))]),
];

/// A call can be forced, unless the model reasons with a budget.
fn forced_calls(p: &mut Profile) {
    p.settings.tool_choice.forced_call = ForcedCall::NotWithBudget;
}

fn optional_reasoning(p: &mut Profile) {
    forced_calls(p);
    p.reasoning.off_mode = OffMode::Supported;
}

/// Temperature and `top_p` can be set, but not both.
fn temperature_or_top_p(p: &mut Profile) {
    sampling(p);
    p.settings.temperature_with_top_p = false;
}

fn sampling(p: &mut Profile) {
    forced_calls(p);
    p.settings.sampling = settings::CLAUDE_BASE.sampling;
    p.settings.sampling_while_reasoning = settings::CLAUDE_BASE.sampling_while_reasoning;
}

/// "Requests which include `tool_use` or `tool_result` blocks must define tools."
fn before_4_5(p: &mut Profile, max_tokens: u64) {
    claude_4(p, max_tokens);
    p.tools.history_needs_tools = true;
}

/// Generations up to 4.5, with prefill and a context of 200,000 tokens.
fn claude_4(p: &mut Profile, max_tokens: u64) {
    sampling(p);
    p.settings.max_tokens.max = max_tokens;
    p.reasoning = reasoning::CLAUDE_4_5;
    p.roles.instruction_placement = InstructionPlacement::SeparateField;
    p.roles.last_role = LastRole::PrefillUnlessReasoning;
    p.roles.allows_empty_last_assistant = true;
    p.media.max_images = Some(100);
    p.media.max_pdf_pages = Some(100);
}
