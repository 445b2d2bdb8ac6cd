//! Parameters that a model or server knows and does not take.

use serde_json::Value;

use super::flavor::INVENTOR;
use super::params::{field, given, reasons};
use super::profile::{Profile, Trait};
use super::words::{Words, words};
use crate::rule::Findings;
use crate::{Evidence, Request, Rule};

pub(super) const REASONING_PARAMETER: Rule = Rule {
    name: "reasoning-parameter",
    status: 400,
    when: "A model that reasons in this request gets a top_p or penalty other than its default, a logit_bias or log probabilities; or one of the o-series, parallel_tool_calls.",
    words: UNSUPPORTED.lines,
    evidence: Evidence::Seen,
    source: "chatbox#2627, nextai-translator#1781, langchain4j#3258 with Microsoft's list (also of logprobs); llama_index#20865, tensorzero#2805, semantic-kernel#10365 (parallel_tool_calls); defaults are taken: zenn.dev/headwaters/articles/a5468c45ec2e52",
    check: reasoning_parameter,
};
const UNSUPPORTED: Words = words! {
    INVENTOR => "Unsupported parameter: '{name}' is not supported with this model.",
};

fn reasoning_parameter(request: &Request<'_>, findings: &mut Findings) {
    let thinks = reasons(request);
    let serial = Profile::of(request).has(Trait::ParallelRefused);
    for (name, is_default) in SAMPLING {
        if thinks && given(request, name).is_some_and(|value| !is_default(value)) {
            refuse_parameter(request, findings, name);
        }
    }
    if serial && given(request, "parallel_tool_calls").is_some() {
        refuse_parameter(request, findings, "parallel_tool_calls");
    }
}

fn refuse_parameter(request: &Request<'_>, findings: &mut Findings, name: &str) {
    let fills = [("name", name)];
    UNSUPPORTED.refuse(request, findings, &field(name, &fills, "unsupported_parameter"));
}

fn is_one(value: &Value) -> bool {
    value.as_f64() == Some(1.0)
}

fn is_nought(value: &Value) -> bool {
    value.as_f64() == Some(0.0)
}

/// What goes with reasoning only as it is when nobody says it.
type Default = fn(&Value) -> bool;
const SAMPLING: &[(&str, Default)] = &[
    ("top_p", is_one),
    ("presence_penalty", is_nought),
    ("frequency_penalty", is_nought),
    ("logit_bias", |_| false),
    ("logprobs", |value| *value != Value::Bool(true)),
    ("top_logprobs", is_nought),
];
