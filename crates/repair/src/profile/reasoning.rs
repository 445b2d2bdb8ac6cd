//! How the settings of a request configure reasoning.

use interlingua_model::{DialectId, ReasoningMode, ReasoningSettings, Settings};
use interlingua_providers::profile::reasoning::ReasoningProfile;

use crate::values::number;

/// How a request configures reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReasoningRequest {
    Unspecified,
    Off,
    BetweenTools,
    Budget,
    Adaptive,
}

/// Whether the model reasons before it answers, as far as is known.
pub(crate) fn is_reasoning_enabled(profile: &ReasoningProfile, settings: &Settings) -> bool {
    match reasoning_request(settings) {
        _ if profile.never_reasons => false,
        _ if profile.always_reasons => true,
        _ if profile.only_switch_disables => {
            let mode = settings.reasoning.as_ref().and_then(|reasoning| reasoning.mode);
            mode != Some(ReasoningMode::Off)
        }
        ReasoningRequest::Off | ReasoningRequest::BetweenTools => false,
        ReasoningRequest::Budget | ReasoningRequest::Adaptive => true,
        ReasoningRequest::Unspecified => {
            let effort =
                settings.reasoning.as_ref().and_then(|reasoning| reasoning.effort.as_ref());
            profile.reasons_by_default || profile.effort_enables && effort.is_some()
        }
    }
}

/// Whether an effort does not enable reasoning in a dialect, which has a separate switch.
pub(crate) fn is_effort_separate(dialect: DialectId) -> bool {
    SEPARATE_EFFORT_DIALECTS.contains(&dialect.0)
}

/// How the settings configure reasoning, from mode, budget and effort together.
pub(crate) fn reasoning_request(settings: &Settings) -> ReasoningRequest {
    let Some(ReasoningSettings { mode, effort, budget_tokens: budget, .. }) = &settings.reasoning
    else {
        return ReasoningRequest::Unspecified;
    };
    let is_none = effort.as_ref().is_some_and(|effort| effort == "none");
    let budget = budget.as_ref().map(number::parse);
    match mode {
        Some(ReasoningMode::Off) => ReasoningRequest::Off,
        Some(ReasoningMode::BetweenTools) => ReasoningRequest::BetweenTools,
        None if is_none => ReasoningRequest::Off,
        _ if budget == Some(Some(0.0)) => ReasoningRequest::Off,
        Some(ReasoningMode::Adaptive) => ReasoningRequest::Adaptive,
        _ if budget.flatten().is_some() => ReasoningRequest::Budget,
        Some(ReasoningMode::On) => ReasoningRequest::Adaptive,
        None if budget.is_some() => ReasoningRequest::Adaptive,
        None => ReasoningRequest::Unspecified,
    }
}

const SEPARATE_EFFORT_DIALECTS: &[&str] = &["anthropic", "bedrock"];
