//! How much the model may think: the kind of thinking, its budget, and the effort.

use serde_json::Value;

use super::profile::{Disabled, Profile, Thinking, profile, thinking};
use super::shape::either;
use super::view::whole;
use crate::rule::{Fields as _, string};
use crate::{Evidence, Findings, Request, Rule};

fn asks(request: &Request<'_>, kind: &str) -> bool {
    string(&request.body["thinking"], "type") == kind
}

fn budget(request: &Request<'_>) -> Option<i64> {
    let budget = || request.body.pointer("/thinking/budget_tokens").and_then(whole);
    asks(request, "enabled").then(budget).flatten()
}

fn effort<'v>(request: &Request<'v>) -> Option<&'v str> {
    request.body.pointer("/output_config/effort").and_then(Value::as_str)
}

/// Refuses a kind of thinking that the model does not have.
fn kind(
    request: &Request<'_>,
    findings: &mut Findings,
    kind: &str,
    lacks: fn(&Profile) -> bool,
    words: &str,
) {
    if asks(request, kind) && lacks(profile(request.model)) {
        findings.add("thinking.type", words);
    }
}

fn small_budget(request: &Request<'_>, findings: &mut Findings) {
    if budget(request).is_some_and(|budget| budget < 1024) {
        findings.add("thinking.enabled.budget_tokens", SMALL_BUDGET);
    }
}

fn large_budget(request: &Request<'_>, findings: &mut Findings) {
    let interleaved = request.betas.iter().any(|beta| beta.starts_with("interleaved-thinking-"));
    let most = request.body.field("max_tokens").and_then(whole);
    if let (Some(budget), Some(most)) = (budget(request), most)
        && budget >= most
        && !interleaved
    {
        findings.add("max_tokens", LARGE_BUDGET);
    }
}

fn disabled(request: &Request<'_>, findings: &mut Findings) {
    let words = match profile(request.model).disabled {
        Disabled::Refused => DISABLED,
        Disabled::RefusedForEffort => DISABLED_FOR_EFFORT,
        Disabled::Accepted | Disabled::BetweenTools => return,
    };
    if asks(request, "disabled") {
        findings.add("thinking.type", words);
    }
}

fn restless(request: &Request<'_>, findings: &mut Findings) {
    let off = matches!(thinking(request), Thinking::Off | Thinking::BetweenTools);
    let calm = profile(request.model).calm_when_off;
    if let Some(effort @ ("xhigh" | "max")) = effort(request)
        && off
        && calm
    {
        let kind = string(&request.body["thinking"], "type");
        findings.add(
            "output_config.effort",
            format!("output_config.effort: '{effort}' is not supported with thinking type '{kind}' on this model. Use 'high' or lower."),
        );
    }
}

fn no_effort(request: &Request<'_>, findings: &mut Findings) {
    if effort(request).is_some() && profile(request.model).efforts.is_empty() {
        findings.add("output_config.effort", NO_EFFORT);
    }
}

fn other_effort(request: &Request<'_>, findings: &mut Findings) {
    let efforts = profile(request.model).efforts;
    if let Some(effort) = effort(request)
        && !efforts.is_empty()
        && !efforts.contains(&effort)
    {
        let words = format!("output_config.effort: Input should be {}", either(efforts));
        findings.add("output_config.effort", words);
    }
}

const SMALL_BUDGET: &str =
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
const LARGE_BUDGET: &str = "`max_tokens` must be greater than `thinking.budget_tokens`.";
const MANUAL: &str = "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.";
const ADAPTIVE: &str = "adaptive thinking is not supported on this model";
const DISABLED: &str = "\"thinking.type.disabled\" is not supported for this model. Thinking defaults to adaptive mode when not specified; use \"thinking.type.enabled\" with \"budget_tokens\" for extended thinking.";
const DISABLED_FOR_EFFORT: &str = "\"thinking.type.disabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.";
const SAY_BETWEEN: &str = "To turn thinking off on this model, send \"thinking\": {\"type\": \"between_tools\"} instead of {\"type\": \"disabled\"}. The model does not think before responding. The short updates it writes between tool calls come back as thinking blocks.";
const BETWEEN: &str = "\"thinking.type.between_tools\" is not supported for this model.";
const NO_EFFORT: &str = "This model does not support the effort parameter.";

pub(super) const RULES: [Rule; 10] = [
    Rule {
        name: "small-budget",
        status: 400,
        when: "The budget of thinking is below 1024 tokens.",
        words: SMALL_BUDGET,
        evidence: Evidence::Quoted,
        source: "K10; public code 48906976895",
        check: small_budget,
    },
    Rule {
        name: "large-budget",
        status: 400,
        when: "The budget of thinking is not below max_tokens, and thinking is not interleaved.",
        words: LARGE_BUDGET,
        evidence: Evidence::Seen,
        source: "K11; public code 62535024032",
        check: large_budget,
    },
    Rule {
        name: "manual-thinking",
        status: 400,
        when: "A budget of thinking is given to a model from 4.7 on.",
        words: MANUAL,
        evidence: Evidence::Documented,
        source: "K12; documentation of errors",
        check: |request, findings| kind(request, findings, "enabled", |row| !row.manual, MANUAL),
    },
    Rule {
        name: "adaptive-thinking",
        status: 400,
        when: "Adaptive thinking is asked of a model up to 4.5.",
        words: ADAPTIVE,
        evidence: Evidence::Documented,
        source: "K13; documentation of errors",
        check: |request, findings| {
            kind(request, findings, "adaptive", |row| !row.adaptive, ADAPTIVE);
        },
    },
    Rule {
        name: "disabled-thinking",
        status: 400,
        when: "Thinking is turned off on a model that always thinks.",
        words: "\"thinking.type.disabled\" is not supported for this model. Thinking defaults to adaptive mode when not specified; use \"thinking.type.enabled\" with \"budget_tokens\" for extended thinking.\n\"thinking.type.disabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
        evidence: Evidence::Documented,
        source: "K14; documentation of errors, dev.to 2026-10-06",
        check: disabled,
    },
    Rule {
        name: "thinking-between-tools",
        status: 400,
        when: "Thinking is turned off on a model that has thinking between tools for it.",
        words: SAY_BETWEEN,
        evidence: Evidence::Documented,
        source: "K15; documentation 70299584175",
        check: |request, findings| {
            let lacks = |row: &Profile| row.disabled == Disabled::BetweenTools;
            kind(request, findings, "disabled", lacks, SAY_BETWEEN);
        },
    },
    Rule {
        name: "no-thinking-between-tools",
        status: 400,
        when: "Thinking between tools is asked of a model that does not have it.",
        words: BETWEEN,
        evidence: Evidence::Inferred,
        source: "documentation of model capabilities, the form of K12",
        check: |request, findings| {
            let lacks = |row: &Profile| row.disabled != Disabled::BetweenTools;
            kind(request, findings, "between_tools", lacks, BETWEEN);
        },
    },
    Rule {
        name: "effort-without-thinking",
        status: 400,
        when: "The highest efforts are asked for while thinking is off.",
        words: "output_config.effort: '{effort}' is not supported with thinking type '{type}' on this model. Use 'high' or lower.",
        evidence: Evidence::Inferred,
        source: "K16; documentation of effort",
        check: restless,
    },
    Rule {
        name: "no-effort",
        status: 400,
        when: "An effort is given to a model that has none.",
        words: NO_EFFORT,
        evidence: Evidence::Seen,
        source: "P5; public code 71555746565",
        check: no_effort,
    },
    Rule {
        name: "unknown-effort",
        status: 400,
        when: "The effort is one that the model does not have.",
        words: "output_config.effort: Input should be {efforts}",
        evidence: Evidence::Inferred,
        source: "documentation of effort",
        check: other_effort,
    },
];
