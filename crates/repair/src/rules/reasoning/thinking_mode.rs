//! Requests reasoning in the way that the model supports: by a budget, by an effort, or not at all.
//!
//! Each generation of models has its own way, and rejects that of the others. A budget becomes an
//! effort and the other way round; reasoning is not turned off for a model that always reasons.
//!
//! ## Why
//! > "thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and
//! > "output_config.effort" to control thinking behavior.
//!
//! > adaptive thinking is not supported on this model
//!
//! > Budget 0 is invalid. This model only works in thinking mode.
//!
//! > Failed to deserialize the JSON body into the target type: thinking: unknown field thinking,
//! > expected one of messages, model, store, reasoning_effort, …
//!
//! > Thinking level MINIMAL is not supported for this model.
//!
//! ## Example
//! ```text
//! before   thinking: a budget of 20000     model: one that decides itself
//! after    thinking: adaptive, effort high
//! ```

use interlingua_model::{LedgerPath, ReasoningMode, ReasoningSettings};
use interlingua_providers::profile::reasoning::{BudgetSupport, OffMode, ReasoningMeasure};
use interlingua_providers::profile::settings::NumberFormat;
use interlingua_wire::{JsonString, RawJson};

use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, is_effort_separate, reasoning_request};
use crate::values::{effort, number};

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(reasoning) = &work.conversation().settings.reasoning else { return };
    let profile = &work.profile.reasoning;
    let is_default = *reasoning == ReasoningSettings::default();
    if is_default && !work.is_same_dialect() {
        work.edit_settings().reasoning = None;
        return;
    }
    if !profile.configurable {
        if is_default && work.is_same_dialect() {
            return;
        }
        if !is_default {
            work.record_loss(
                LedgerPath::SETTINGS,
                "left out the reasoning settings: the model has none",
            );
        }
        work.edit_settings().reasoning = None;
        return;
    }
    let only_effort =
        profile.effort_only || profile.effort_only_cross_dialect && !work.is_same_dialect();
    if only_effort && reasoning.effort.as_ref().is_some_and(|effort| effort == "none") {
        work.record_change(
            LedgerPath::SETTINGS,
            "left out the reasoning settings: the model accepts only an effort",
        );
        work.edit_settings().reasoning = None;
        return;
    }
    if only_effort
        && (reasoning.mode.is_some()
            || reasoning.budget_tokens.is_some()
            || reasoning.display.is_some())
    {
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out the reasoning mode and budget: the model accepts only an effort",
        );
        let reasoning = edit_reasoning(work);
        *reasoning =
            ReasoningSettings { effort: reasoning.effort.take(), ..ReasoningSettings::default() };
    }
    match reasoning_request(&work.conversation().settings) {
        ReasoningRequest::Unspecified => handle_unspecified(work),
        ReasoningRequest::Off => handle_off(work),
        ReasoningRequest::BetweenTools => handle_between_tools(work),
        ReasoningRequest::Budget => handle_budget(work),
        ReasoningRequest::Adaptive => handle_adaptive(work),
    }
    drop_second_measure(work);
}

fn edit_reasoning<'a>(work: &'a mut Work<'_>) -> &'a mut ReasoningSettings {
    work.edit_settings().reasoning.get_or_insert_default()
}

/// In other dialects an effort or a display setting enables reasoning by itself.
fn handle_unspecified(work: &mut Work<'_>) {
    let profile = &work.profile.reasoning;
    let Some(reasoning) = &work.conversation().settings.reasoning else { return };
    if profile.any_setting_enables && !work.is_same_dialect() {
        edit_reasoning(work).mode = Some(ReasoningMode::On);
        return work.record_change(
            LedgerPath::SETTINGS,
            "turned reasoning on: the model has only on and off",
        );
    }
    if work.is_same_dialect() || !profile.checks_placement {
        return;
    }
    let has_effort = reasoning.effort.is_some();
    let is_displayed = reasoning
        .display
        .as_ref()
        .is_some_and(|display| !HIDDEN_DISPLAYS.iter().any(|hidden| display == hidden));
    // Without an explicit request, the model would not reason at all.
    let needs_mode = has_effort
        && !profile.reasons_by_default
        && !is_effort_separate(work.conversation().dialect);
    if profile.adaptive && is_displayed {
        edit_reasoning(work).mode = Some(ReasoningMode::Adaptive);
        work.record_change(
            LedgerPath::SETTINGS,
            "turned reasoning on: a display setting requires it",
        );
    } else if profile.adaptive && needs_mode {
        edit_reasoning(work).mode = Some(ReasoningMode::Adaptive);
        work.record_change(
            LedgerPath::SETTINGS,
            "turned adaptive reasoning on: an effort requires it",
        );
    } else if needs_mode || has_effort && profile.efforts.is_some_and(<[_]>::is_empty) {
        handle_adaptive(work);
    } else if is_displayed && !profile.adaptive {
        edit_reasoning(work).display = None;
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out the reasoning display: reasoning is not requested",
        );
    }
}

fn handle_off(work: &mut Work<'_>) {
    let profile = &work.profile.reasoning;
    normalize_off(work);
    match profile.off_mode {
        OffMode::Supported => {}
        OffMode::Unsupported => {
            let reasoning = edit_reasoning(work);
            reasoning.mode = None;
            reasoning.budget_tokens = None;
            if reasoning.effort.as_ref().is_some_and(|effort| effort == "none") {
                reasoning.effort = None;
            }
            work.record_change(
                LedgerPath::SETTINGS,
                "left out the reasoning settings: reasoning cannot be turned off",
            );
        }
        OffMode::BetweenTools => {
            let reasoning = edit_reasoning(work);
            reasoning.mode = Some(ReasoningMode::BetweenTools);
            reasoning.budget_tokens = None;
            work.record_change(
                LedgerPath::SETTINGS,
                "reasoning is on only between tool calls: it cannot be turned off",
            );
        }
        OffMode::EffortNone => {
            let effort = work.conversation().settings.reasoning.as_ref();
            let effort = effort.and_then(|reasoning| reasoning.effort.as_ref());
            if effort.is_some_and(|effort| *effort != "none") {
                edit_reasoning(work).effort = None;
                work.record_loss(LedgerPath::SETTINGS, "left out the effort: reasoning is off");
            }
            let Some(efforts) = profile.efforts.filter(|efforts| !efforts.contains(&"none")) else {
                return;
            };
            let Some(least) = efforts.first() else { return };
            let reasoning = edit_reasoning(work);
            reasoning.mode = None;
            reasoning.budget_tokens = None;
            reasoning.effort = Some(JsonString::from_static(least));
            let message = format!("reasoning cannot be turned off: the effort is `{least}`");
            work.record_change(LedgerPath::SETTINGS, message);
        }
        OffMode::LowestEffort => {
            let reasoning = edit_reasoning(work);
            reasoning.budget_tokens = None;
            reasoning.mode = None;
            reasoning.effort = None;
            // The display is not requested either.
            if let BudgetSupport::Range { min: least, .. } = profile.budget {
                reasoning.budget_tokens = Some(RawJson::number(least));
            } else {
                let least = profile.efforts.and_then(|efforts| efforts.first()).unwrap_or(&"low");
                reasoning.effort = Some(JsonString::from_static(least));
            }
            work.record_change(
                LedgerPath::SETTINGS,
                "reasoning cannot be turned off: the minimum is requested",
            );
        }
    }
}

/// Rewrites a budget of zero as reasoning turned off.
fn normalize_off(work: &mut Work<'_>) {
    let Some(reasoning) = &work.conversation().settings.reasoning else { return };
    let accepts_any_budget = work.profile.reasoning.budget == BudgetSupport::Any;
    let is_accepted = work.is_same_dialect()
        && (work.profile.settings.number_format == NumberFormat::AllowStrings
            || accepts_any_budget);
    if reasoning.budget_tokens.is_some() && !reasoning.is_off() && !is_accepted {
        let reasoning = edit_reasoning(work);
        reasoning.mode = Some(ReasoningMode::Off);
        reasoning.budget_tokens = None;
        work.record_change(
            LedgerPath::SETTINGS,
            "a reasoning budget of zero is sent as reasoning turned off",
        );
    }
}

fn handle_between_tools(work: &mut Work<'_>) {
    let is_supported = work.profile.reasoning.off_mode == OffMode::BetweenTools;
    if !is_supported && !work.profile.settings.ignores_between_tools {
        edit_reasoning(work).mode = Some(ReasoningMode::Off);
        work.record_change(
            LedgerPath::SETTINGS,
            "reasoning is off: the model does not support it between tool calls",
        );
        handle_off(work);
    }
}

fn handle_budget(work: &mut Work<'_>) {
    let profile = &work.profile.reasoning;
    if !matches!(profile.budget, BudgetSupport::Unsupported | BudgetSupport::EffortInstead) {
        return;
    }
    let reasoning = edit_reasoning(work);
    let tokens =
        reasoning.budget_tokens.take().as_ref().and_then(number::parse).map_or(0, number::to_count);
    reasoning.mode = profile.adaptive.then_some(ReasoningMode::Adaptive);
    let effort = effort::effort_for_budget(tokens);
    if reasoning.effort.is_none() && profile.efforts.is_none_or(|efforts| !efforts.is_empty()) {
        reasoning.effort = Some(JsonString::from_static(effort));
        let message =
            format!("the reasoning budget of {tokens} tokens is sent as the effort `{effort}`");
        work.record_change(LedgerPath::SETTINGS, message);
    } else {
        let message =
            format!("left out the reasoning budget of {tokens} tokens: the model decides");
        work.record_change(LedgerPath::SETTINGS, message);
    }
}

fn handle_adaptive(work: &mut Work<'_>) {
    let profile = &work.profile.reasoning;
    let Some(reasoning) = &work.conversation().settings.reasoning else { return };
    if profile.adaptive {
        // Where any budget is accepted, reasoning without a budget is accepted as it is.
        if reasoning.mode != Some(ReasoningMode::Adaptive) && profile.budget != BudgetSupport::Any {
            let reasoning = edit_reasoning(work);
            reasoning.mode = Some(ReasoningMode::Adaptive);
            reasoning.budget_tokens = None;
            work.record_change(
                LedgerPath::SETTINGS,
                "reasoning without a budget is sent as adaptive",
            );
        } else if reasoning.budget_tokens.is_some() && profile.checks_placement {
            edit_reasoning(work).budget_tokens = None;
            work.record_loss(LedgerPath::SETTINGS, "left out the budget of adaptive reasoning");
        }
        return;
    }
    let tokens = effort::budget_for_effort(reasoning.effort.as_ref());
    let reasoning = edit_reasoning(work);
    reasoning.mode = Some(ReasoningMode::On);
    reasoning.budget_tokens = Some(RawJson::number(tokens));
    if profile.efforts.is_some_and(<[_]>::is_empty) {
        reasoning.effort = None;
    }
    let message = format!("adaptive reasoning is sent as a budget of {tokens} tokens");
    work.record_change(LedgerPath::SETTINGS, message);
}

/// Where a budget and an effort exclude each other, removes or converts one of them.
fn drop_second_measure(work: &mut Work<'_>) {
    let Some(reasoning) = &work.conversation().settings.reasoning else { return };
    let Some(effort) = &reasoning.effort else { return };
    // A mode without a budget counts as one only where it is sent verbatim.
    let has_budget =
        reasoning.budget_tokens.is_some() || work.is_same_dialect() && reasoning.mode.is_some();
    let effort = effort.clone();
    match work.profile.reasoning.exclusive_measure {
        None => {}
        Some(ReasoningMeasure::Effort) if !has_budget => {}
        Some(ReasoningMeasure::Effort) => {
            let reasoning = edit_reasoning(work);
            reasoning.budget_tokens = None;
            reasoning.mode = None;
            let message = format!(
                "left out the reasoning budget: the model accepts only the effort `{effort}`"
            );
            work.record_loss(LedgerPath::SETTINGS, message);
        }
        Some(ReasoningMeasure::Budget) if has_budget => {
            edit_reasoning(work).effort = None;
            let message = format!("left out the effort `{effort}`: the reasoning budget sets it");
            work.record_loss(LedgerPath::SETTINGS, message);
        }
        Some(ReasoningMeasure::Budget) => {
            let tokens = effort::budget_for_effort(Some(&effort));
            let reasoning = edit_reasoning(work);
            reasoning.effort = None;
            reasoning.mode = Some(ReasoningMode::On);
            reasoning.budget_tokens = Some(RawJson::number(tokens));
            let message =
                format!("the effort `{effort}` is sent as a reasoning budget of {tokens} tokens");
            work.record_change(LedgerPath::SETTINGS, message);
        }
    }
}

/// Display values that hide the reasoning.
const HIDDEN_DISPLAYS: &[&str] = &["omitted", "none", "off", "false", "hidden", "exclude"];
