//! Replaces an effort that the model does not know by the nearest one that it knows.
//!
//! A lower effort is preferred to a higher one. Where the model accepts no effort at all, it is
//! removed. Some models do not accept function tools together with an effort: there the tools stay.
//!
//! ## Why
//! > Unsupported value: 'xhigh' is not supported with the 'gpt-5' model. Supported values are:
//! > 'minimal', 'low', 'medium', and 'high'.
//!
//! > This model does not support the effort parameter.
//!
//! > Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions.
//!
//! ## Example
//! ```text
//! before   effort: xhigh     a model with low, medium and high
//! after    effort: high
//! ```

use interlingua_model::{LedgerPath, ReasoningMode, ToolKind};
use interlingua_providers::profile::reasoning::EffortWithTools;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::values::effort;

pub(super) fn apply(work: &mut Work<'_>) {
    fix_with_tools(work);
    let reasoning = &work.profile.reasoning;
    let Some(effort) = requested_effort(work) else { return };
    let effort = effort.unescape().into_owned();
    let is_known = reasoning.efforts.is_none_or(|efforts| efforts.contains(&effort.as_str()));
    // An effort that was decoded from a number has no name.
    let is_number =
        effort.is_empty() && work.is_same_dialect() && reasoning.exclusive_measure.is_some();
    if !is_known && !is_number {
        let nearest = effort::nearest_effort(&effort, reasoning.efforts.unwrap_or_default());
        set_effort(work, nearest);
        match nearest {
            Some(nearest) => {
                let message = format!(
                    "the effort `{effort}` is sent as `{nearest}`: the model does not know it"
                );
                work.record_change(LedgerPath::SETTINGS, message);
            }
            None => {
                work.record_loss(
                    LedgerPath::SETTINGS,
                    format!("left out the effort `{effort}`: the model accepts none"),
                );
            }
        }
    }
    let is_off = matches!(
        reasoning_request(&work.conversation().settings),
        ReasoningRequest::Off | ReasoningRequest::BetweenTools
    );
    if is_off && reasoning.limits_effort_when_off && (effort == "xhigh" || effort == "max") {
        set_effort(work, Some("high"));
        let message = format!("the effort `{effort}` is sent as `high`: it requires reasoning");
        work.record_change(LedgerPath::SETTINGS, message);
    }
}

fn requested_effort(work: &Work<'_>) -> Option<JsonString> {
    work.conversation().settings.reasoning.as_ref()?.effort.clone()
}

fn set_effort(work: &mut Work<'_>, effort: Option<&'static str>) {
    let reasoning = work.edit_settings().reasoning.get_or_insert_default();
    reasoning.effort = effort.map(JsonString::from_static);
}

fn fix_with_tools(work: &mut Work<'_>) {
    let support = work.profile.reasoning.effort_with_tools;
    let has_functions = || {
        let is_function = |kind: &ToolKind| matches!(kind, ToolKind::Function { .. });
        work.conversation().tools.iter().any(|tool| is_function(&tool.kind))
    };
    if support == EffortWithTools::Any || !has_functions() {
        return;
    }
    let settings = &work.conversation().settings;
    let is_off = reasoning_request(settings) == ReasoningRequest::Off;
    let effort = requested_effort(work);
    match support {
        EffortWithTools::NoEffort if !is_off && effort.is_some() => {
            set_effort(work, None);
            work.record_loss(
                LedgerPath::SETTINGS,
                "left out the effort: the target cannot combine it with functions",
            );
        }
        EffortWithTools::EffortNone if !is_off => {
            let reasoning = work.edit_settings().reasoning.get_or_insert_default();
            reasoning.effort = None;
            reasoning.budget_tokens = None;
            reasoning.mode = Some(ReasoningMode::Off);
            let message =
                "the effort is sent as `none`: the target cannot combine another with functions";
            work.record_change(LedgerPath::SETTINGS, message);
        }
        EffortWithTools::Any | EffortWithTools::NoEffort | EffortWithTools::EffortNone => {}
    }
}
