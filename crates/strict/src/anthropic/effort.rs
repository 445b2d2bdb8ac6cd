//! Rules about thinking and effort: the thinking mode, its budget, and the effort level.

use serde_json::Value;

use super::profile::{DisabledThinking, Profile, ThinkingMode, profile, thinking_mode};
use super::shape::quoted_or_list;
use super::view::as_integer;
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, Request};

fn has_thinking_type(request: &Request<'_>, kind: &str) -> bool {
    str_field(&request.body["thinking"], "type") == kind
}

fn thinking_budget(request: &Request<'_>) -> Option<i64> {
    let budget = || request.body.pointer("/thinking/budget_tokens").and_then(as_integer);
    has_thinking_type(request, "enabled").then(budget).flatten()
}

fn effort<'v>(request: &Request<'v>) -> Option<&'v str> {
    request.body.pointer("/output_config/effort").and_then(Value::as_str)
}

/// Rejects a thinking type that the model does not support.
fn reject_thinking_type(
    request: &Request<'_>,
    cx: &mut CheckContext,
    kind: &str,
    is_unsupported: fn(&Profile) -> bool,
) {
    if has_thinking_type(request, kind) && is_unsupported(profile(request.model)) {
        cx.reject("thinking.type", cx.message());
    }
}

pub(super) fn small_budget(request: &Request<'_>, cx: &mut CheckContext) {
    if thinking_budget(request).is_some_and(|budget| budget < 1024) {
        cx.reject("thinking.enabled.budget_tokens", cx.message());
    }
}

pub(super) fn large_budget(request: &Request<'_>, cx: &mut CheckContext) {
    let is_interleaved = request.betas.iter().any(|beta| beta.starts_with("interleaved-thinking-"));
    let max_tokens = request.body.field("max_tokens").and_then(as_integer);
    if let (Some(budget), Some(max_tokens)) = (thinking_budget(request), max_tokens)
        && budget >= max_tokens
        && !is_interleaved
    {
        cx.reject("max_tokens", cx.message());
    }
}

pub(super) fn disabled_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let message = match profile(request.model).disabled_thinking {
        DisabledThinking::RejectedForBudget => cx.case("disabled-thinking"),
        DisabledThinking::RejectedForEffort => cx.case("disabled-thinking-for-effort"),
        DisabledThinking::Accepted | DisabledThinking::RejectedForBetweenTools => return,
    };
    if has_thinking_type(request, "disabled") {
        cx.reject("thinking.type", message);
    }
}

pub(super) fn effort_without_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let is_off = matches!(thinking_mode(request), ThinkingMode::Off | ThinkingMode::BetweenTools);
    let caps_effort = profile(request.model).caps_effort_when_off;
    if let Some(effort @ ("xhigh" | "max")) = effort(request)
        && is_off
        && caps_effort
    {
        let kind = str_field(&request.body["thinking"], "type");
        cx.reject(
            "output_config.effort",
            format!("output_config.effort: '{effort}' is not supported with thinking type '{kind}' on this model. Use 'high' or lower."),
        );
    }
}

pub(super) fn no_effort(request: &Request<'_>, cx: &mut CheckContext) {
    if effort(request).is_some() && profile(request.model).efforts.is_empty() {
        cx.reject("output_config.effort", cx.message());
    }
}

pub(super) fn unknown_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let efforts = profile(request.model).efforts;
    if let Some(effort) = effort(request)
        && !efforts.is_empty()
        && !efforts.contains(&effort)
    {
        cx.reject_filled("output_config.effort", &[("efforts", &quoted_or_list(efforts))]);
    }
}

pub(super) fn manual_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    reject_thinking_type(request, cx, "enabled", |row| !row.manual_thinking);
}

pub(super) fn adaptive_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    reject_thinking_type(request, cx, "adaptive", |row| !row.adaptive_thinking);
}

pub(super) fn thinking_between_tools(request: &Request<'_>, cx: &mut CheckContext) {
    reject_thinking_type(request, cx, "disabled", |row| {
        row.disabled_thinking == DisabledThinking::RejectedForBetweenTools
    });
}

pub(super) fn no_thinking_between_tools(request: &Request<'_>, cx: &mut CheckContext) {
    reject_thinking_type(request, cx, "between_tools", |row| {
        row.disabled_thinking != DisabledThinking::RejectedForBetweenTools
    });
}
