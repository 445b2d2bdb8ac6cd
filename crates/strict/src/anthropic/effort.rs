//! Rules about thinking and effort: the thinking mode, its budget, and the effort level.

use serde_json::Value;

use super::profile::{DisabledThinking, Profile, ThinkingMode, profile, thinking_mode};
use super::shape::quoted_or_list;
use super::view::as_integer;
use crate::json::{JsonExt as _, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

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
    message: &str,
) {
    if has_thinking_type(request, kind) && is_unsupported(profile(request.model)) {
        cx.reject("thinking.type", message);
    }
}

fn small_budget(request: &Request<'_>, cx: &mut CheckContext) {
    if thinking_budget(request).is_some_and(|budget| budget < 1024) {
        cx.reject("thinking.enabled.budget_tokens", SMALL_BUDGET_ERROR);
    }
}

fn large_budget(request: &Request<'_>, cx: &mut CheckContext) {
    let is_interleaved = request.betas.iter().any(|beta| beta.starts_with("interleaved-thinking-"));
    let max_tokens = request.body.field("max_tokens").and_then(as_integer);
    if let (Some(budget), Some(max_tokens)) = (thinking_budget(request), max_tokens)
        && budget >= max_tokens
        && !is_interleaved
    {
        cx.reject("max_tokens", LARGE_BUDGET_ERROR);
    }
}

fn disabled_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let message = match profile(request.model).disabled_thinking {
        DisabledThinking::RejectedForBudget => DISABLED_THINKING_ERROR,
        DisabledThinking::RejectedForEffort => DISABLED_THINKING_FOR_EFFORT_ERROR,
        DisabledThinking::Accepted | DisabledThinking::RejectedForBetweenTools => return,
    };
    if has_thinking_type(request, "disabled") {
        cx.reject("thinking.type", message);
    }
}

fn effort_without_thinking(request: &Request<'_>, cx: &mut CheckContext) {
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

fn no_effort(request: &Request<'_>, cx: &mut CheckContext) {
    if effort(request).is_some() && profile(request.model).efforts.is_empty() {
        cx.reject("output_config.effort", NO_EFFORT_ERROR);
    }
}

fn unknown_effort(request: &Request<'_>, cx: &mut CheckContext) {
    let efforts = profile(request.model).efforts;
    if let Some(effort) = effort(request)
        && !efforts.is_empty()
        && !efforts.contains(&effort)
    {
        let message = format!("output_config.effort: Input should be {}", quoted_or_list(efforts));
        cx.reject("output_config.effort", message);
    }
}

const SMALL_BUDGET_ERROR: &str =
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
const LARGE_BUDGET_ERROR: &str = "`max_tokens` must be greater than `thinking.budget_tokens`.";
const MANUAL_THINKING_ERROR: &str = "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.";
const ADAPTIVE_THINKING_ERROR: &str = "adaptive thinking is not supported on this model";
const DISABLED_THINKING_ERROR: &str = "\"thinking.type.disabled\" is not supported for this model. Thinking defaults to adaptive mode when not specified; use \"thinking.type.enabled\" with \"budget_tokens\" for extended thinking.";
const DISABLED_THINKING_FOR_EFFORT_ERROR: &str = "\"thinking.type.disabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.";
const THINKING_BETWEEN_TOOLS_ERROR: &str = "To turn thinking off on this model, send \"thinking\": {\"type\": \"between_tools\"} instead of {\"type\": \"disabled\"}. The model does not think before responding. The short updates it writes between tool calls come back as thinking blocks.";
const NO_THINKING_BETWEEN_TOOLS_ERROR: &str =
    "\"thinking.type.between_tools\" is not supported for this model.";
const NO_EFFORT_ERROR: &str = "This model does not support the effort parameter.";

pub(super) const RULES: [Rule; 10] = [
    Rule {
        name: "small-budget",
        status: 400,
        condition: "The thinking budget is below 1024 tokens.",
        error_message: SMALL_BUDGET_ERROR,
        evidence: Evidence::Quoted,
        source: "K10; public code 48906976895",
        check: small_budget,
    },
    Rule {
        name: "large-budget",
        status: 400,
        condition: "The thinking budget is not below max_tokens, and thinking is not interleaved.",
        error_message: LARGE_BUDGET_ERROR,
        evidence: Evidence::Observed,
        source: "K11; public code 62535024032",
        check: large_budget,
    },
    Rule {
        name: "manual-thinking",
        status: 400,
        condition: "A thinking budget is set for a model from 4.7 on.",
        error_message: MANUAL_THINKING_ERROR,
        evidence: Evidence::Documented,
        source: "K12; documentation of errors",
        check: |request, cx| {
            reject_thinking_type(
                request,
                cx,
                "enabled",
                |row| !row.manual_thinking,
                MANUAL_THINKING_ERROR,
            );
        },
    },
    Rule {
        name: "adaptive-thinking",
        status: 400,
        condition: "Adaptive thinking is requested from a model up to 4.5.",
        error_message: ADAPTIVE_THINKING_ERROR,
        evidence: Evidence::Documented,
        source: "K13; documentation of errors",
        check: |request, cx| {
            reject_thinking_type(
                request,
                cx,
                "adaptive",
                |row| !row.adaptive_thinking,
                ADAPTIVE_THINKING_ERROR,
            );
        },
    },
    Rule {
        name: "disabled-thinking",
        status: 400,
        condition: "Thinking is disabled on a model that always thinks.",
        error_message: "\"thinking.type.disabled\" is not supported for this model. Thinking defaults to adaptive mode when not specified; use \"thinking.type.enabled\" with \"budget_tokens\" for extended thinking.\n\"thinking.type.disabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
        evidence: Evidence::Documented,
        source: "K14; documentation of errors, dev.to 2026-10-06",
        check: disabled_thinking,
    },
    Rule {
        name: "thinking-between-tools",
        status: 400,
        condition: "Thinking is disabled on a model that has thinking between tools instead.",
        error_message: THINKING_BETWEEN_TOOLS_ERROR,
        evidence: Evidence::Documented,
        source: "K15; documentation 70299584175",
        check: |request, cx| {
            let is_rejected =
                |row: &Profile| row.disabled_thinking == DisabledThinking::RejectedForBetweenTools;
            reject_thinking_type(
                request,
                cx,
                "disabled",
                is_rejected,
                THINKING_BETWEEN_TOOLS_ERROR,
            );
        },
    },
    Rule {
        name: "no-thinking-between-tools",
        status: 400,
        condition: "Thinking between tools is requested from a model that does not support it.",
        error_message: NO_THINKING_BETWEEN_TOOLS_ERROR,
        evidence: Evidence::Inferred,
        source: "documentation of model capabilities, the form of K12",
        check: |request, cx| {
            let is_rejected =
                |row: &Profile| row.disabled_thinking != DisabledThinking::RejectedForBetweenTools;
            reject_thinking_type(
                request,
                cx,
                "between_tools",
                is_rejected,
                NO_THINKING_BETWEEN_TOOLS_ERROR,
            );
        },
    },
    Rule {
        name: "effort-without-thinking",
        status: 400,
        condition: "One of the highest efforts is requested while thinking is off.",
        error_message: "output_config.effort: '{effort}' is not supported with thinking type '{type}' on this model. Use 'high' or lower.",
        evidence: Evidence::Inferred,
        source: "K16; documentation of effort",
        check: effort_without_thinking,
    },
    Rule {
        name: "no-effort",
        status: 400,
        condition: "An effort is set for a model without effort levels.",
        error_message: NO_EFFORT_ERROR,
        evidence: Evidence::Observed,
        source: "P5; public code 71555746565",
        check: no_effort,
    },
    Rule {
        name: "unknown-effort",
        status: 400,
        condition: "The model does not support this effort level.",
        error_message: "output_config.effort: Input should be {efforts}",
        evidence: Evidence::Inferred,
        source: "documentation of effort",
        check: unknown_effort,
    },
];
