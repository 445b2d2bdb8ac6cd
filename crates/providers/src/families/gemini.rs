//! Gemini, in AI Studio and Vertex.

use super::generation::{Generation, generation};
use crate::prelude::*;

const GEMINI: &[&str] = &["gemini"];

/// The newest first; an unknown model is taken for the newest.
pub(super) const GENERATIONS: &[Generation] = &[
    generation(
        &["*gemini-3-pro-image*", "*gemini-3.1-flash-image*", "*gemini-3.1-pro-image*"],
        &[(GEMINI, |p| p.reasoning.call_sealing = CallSealing::NotRequired)],
    ),
    generation(&["*gemini-3.7-flash-lite*", "*gemini-3.8-flash-lite*"], &[]),
    generation(
        &["*gemini-3.1-pro*", "*gemini-3.7-flash*", "*gemini-3.8-flash*"],
        &[(GEMINI, |p| {
            p.reasoning.efforts = Some(&["low", "medium", "high", reasoning::UNSPECIFIED]);
        })],
    ),
    generation(
        &["*gemini-3-pro*"],
        &[(GEMINI, |p| p.reasoning.efforts = Some(&["low", "high", reasoning::UNSPECIFIED]))],
    ),
    generation(
        &["*gemini-2.5-pro*"],
        &[(GEMINI, |p| {
            gemini_2(p);
            p.reasoning.off_mode = OffMode::LowestEffort;
            p.reasoning.budget = reasoning::budget_range(128, 32_768);
        })],
    ),
    generation(
        &["*gemini-2.5-flash-lite*"],
        &[(GEMINI, |p| {
            gemini_2(p);
            p.reasoning.budget = reasoning::budget_range(512, 24_576);
        })],
    ),
    generation(
        &["*gemini-2.5*computer-use*"],
        &[(GEMINI, |p| {
            gemini_2(p);
            p.media = media_parts::GEMINI;
        })],
    ),
    generation(&["*gemini-2.5*"], &[(GEMINI, gemini_2)]),
    generation(
        &["*flash-thinking*"],
        &[(GEMINI, |p| {
            gemini_2(p);
            p.reasoning.budget = BudgetSupport::Any;
        })],
    ),
    generation(
        &["*gemini-2*", "*gemini-1*", "*gemini-pro-vision*", "*gemini-exp*", "*learnlm*"],
        &[(GEMINI, |p| {
            gemini_2(p);
            p.reasoning.configurable = false;
            p.reasoning.budget = BudgetSupport::Any;
        })],
    ),
    generation(
        &["*gemma*"],
        &[(GEMINI, |p| {
            p.reasoning.call_sealing = CallSealing::NotRequired;
            p.reasoning.off_mode = OffMode::Supported;
        })],
    ),
];

/// Models that accept either the provider's own tools or functions, and no media in results.
fn gemini_2(p: &mut Profile) {
    p.media = media_parts::OLD_GEMINI;
    p.settings.response_format = settings_gemini::GEMINI_FORMAT;
    p.tools.hosted_tool_mixing = HostedToolMixing::Never;
    p.reasoning = reasoning::GEMINI_2;
}
