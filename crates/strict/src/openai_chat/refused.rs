//! Parameters that a model or server knows and does not take.

use serde_json::Value;

use super::flavor::INVENTOR;
use super::params::{field, given, reasons};
use super::profile::{Profile, Trait};
use super::words::{Refusal, Words, words};
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

pub(super) const GROQ_PARAMETER: Rule = Rule {
    name: "groq-parameter",
    status: 400,
    when: "There are log probabilities or a logit_bias; or a model that does not reason gets reasoning_effort.",
    words: NOT_HERE.lines,
    evidence: Evidence::Seen,
    source: "groq-python#25, console.groq.com/docs/openai; OmniRoute PR#3277 (reasoning_effort)",
    check: groq_parameter,
};
const NOT_HERE: Words = words! { &["groq"] => "`{name}` is not supported with this model" };

pub(super) const GROQ_EFFORT: Rule = Rule {
    name: "groq-effort",
    status: 400,
    when: "Qwen gets an effort other than `none` or `default`; gpt-oss, one other than `low`, `medium` or `high`.",
    words: ONE_OF.lines,
    evidence: Evidence::Seen,
    source: "pi#1745, modelparams.dev PR#114; llm-zoomcamp#183 (gpt-oss)",
    check: groq_effort,
};
const ONE_OF: Words = words! { &["groq"] => "`reasoning_effort` must be one of {known}" };

fn groq_parameter(request: &Request<'_>, findings: &mut Findings) {
    let unasked = !Profile::of(request).has(Trait::TakesEffort);
    let effort = unasked.then_some("reasoning_effort");
    for name in ["logprobs", "top_logprobs", "logit_bias"].into_iter().chain(effort) {
        if given(request, name).is_some() {
            let fills = [("name", name)];
            let refusal = Refusal { path: name.into(), fills: &fills, ..Refusal::default() };
            NOT_HERE.refuse(request, findings, &refusal);
        }
    }
}

fn groq_effort(request: &Request<'_>, findings: &mut Findings) {
    let name = "reasoning_effort";
    let said = given(request, name).and_then(Value::as_str);
    let known = Profile::of(request).efforts.unwrap_or_default();
    let Some((last, first)) = known.split_last() else { return };
    if said.is_none_or(|said| known.contains(&said)) {
        return;
    }
    let first: Vec<_> = first.iter().map(|one| format!("`{one}`")).collect();
    let comma = if first.len() > 1 { "," } else { "" };
    let known = format!("{}{comma} or `{last}`", first.join(", "));
    let refusal = Refusal { path: name.into(), fills: &[("known", &known)], ..Refusal::default() };
    ONE_OF.refuse(request, findings, &refusal);
}

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
