//! Sampling, stop sequences, the container, and a pre-warming request.

use serde_json::Value;

use super::profile::{Sampling, Thinking, profile, thinking};
use super::{headers, view};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

fn given<'v>(body: &'v Value, key: &str) -> Option<&'v Value> {
    body.field(key).filter(|value| !value.is_null())
}

fn number(body: &Value, key: &str) -> Option<f64> {
    body.field(key).and_then(Value::as_f64)
}

fn range(request: &Request<'_>, findings: &mut Findings) {
    for (key, least, most) in RANGES {
        let Some(value) = number(request.body, key) else { continue };
        let words = if value < *least {
            format!("{key}: Input should be greater than or equal to {least}")
        } else if most.is_some_and(|most| value > most) {
            format!("{key}: Input should be less than or equal to {}", most.unwrap_or_default())
        } else {
            continue;
        };
        findings.add(*key, words);
    }
}

fn removed(request: &Request<'_>, findings: &mut Findings) {
    if headers::is_new(request) {
        for key in SAMPLING.iter().filter(|key| given(request.body, key).is_some()) {
            findings.add(*key, format!("{key}: Extra inputs are not permitted"));
        }
    }
}

fn deprecated(request: &Request<'_>, findings: &mut Findings) {
    if profile(request.model).sampling != Sampling::Fixed {
        return;
    }
    for key in SAMPLING {
        // Only the default is accepted: one, for those that have a default.
        let default = *key != "top_k" && number(request.body, key) == Some(1.0);
        if given(request.body, key).is_some() && !default {
            findings.add(*key, format!("`{key}` is deprecated for this model."));
        }
    }
}

fn while_thinking(request: &Request<'_>, findings: &mut Findings) {
    let thinks = matches!(thinking(request), Thinking::Manual | Thinking::Adaptive);
    if !thinks || profile(request.model).sampling == Sampling::Fixed {
        return;
    }
    let body = request.body;
    if number(body, "temperature").is_some_and(|temperature| (temperature - 1.0).abs() > 0.0) {
        findings.add(
            "temperature",
            "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
        );
    }
    if number(body, "top_p").is_some_and(|top_p| top_p < 0.95) {
        let words =
            "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.";
        findings.add("top_p", words);
    }
    if given(body, "top_k").is_some() {
        findings.add("top_k", "`top_k` must be unset when thinking is enabled.");
    }
}

fn both(request: &Request<'_>, findings: &mut Findings) {
    let is_given = |key| given(request.body, key).is_some();
    if profile(request.model).sampling == Sampling::NotBoth
        && is_given("temperature")
        && is_given("top_p")
    {
        findings.add(
            "top_p",
            "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        );
    }
}

fn stops(request: &Request<'_>, findings: &mut Findings) {
    for (at, stop) in items(request.body, "stop_sequences").iter().enumerate() {
        if stop.as_str().is_some_and(view::is_blank) {
            findings.add(
                format!("stop_sequences.{at}"),
                "stop_sequences: each stop sequence must contain non-whitespace",
            );
        }
    }
}

fn container(request: &Request<'_>, findings: &mut Findings) {
    let executes = |tool: &Value| string(tool, "type").starts_with("code_execution_");
    let none = !items(request.body, "tools").iter().any(executes);
    if none && given(request.body, "container").is_some() {
        findings.add(
            "container",
            "Container identifier can only be provided when using the code execution tool",
        );
    }
}

/// No output is asked for, so nothing that only concerns the output may be.
fn prewarm(request: &Request<'_>, findings: &mut Findings) {
    let body = request.body;
    if body.field("max_tokens").and_then(view::whole) != Some(0) {
        return;
    }
    let forced = matches!(string(&body["tool_choice"], "type"), "any" | "tool");
    let formatted = body.pointer("/output_config/format").is_some_and(|format| !format.is_null());
    let conflicts = [
        ("stream", body.field("stream") == Some(&Value::Bool(true))),
        ("thinking", thinking(request) == Thinking::Manual),
        ("output_config.format", formatted),
        ("tool_choice", forced),
    ];
    for (key, _) in conflicts.into_iter().filter(|(_, conflict)| *conflict) {
        findings.add(key, format!("max_tokens: 0 is not supported together with `{key}`."));
    }
}

const SAMPLING: &[&str] = &["temperature", "top_p", "top_k"];

/// The least and the most of a number.
const RANGES: &[(&str, f64, Option<f64>)] = &[
    ("max_tokens", 0.0, None),
    ("temperature", 0.0, Some(1.0)),
    ("top_p", 0.0, Some(1.0)),
    ("top_k", 0.0, None),
];

fn task_budget(request: &Request<'_>, findings: &mut Findings) {
    let total = request.body.pointer("/output_config/task_budget/total").and_then(view::whole);
    if total.is_some_and(|total| total < TASK) {
        let path = "output_config.task_budget.total";
        let words = format!("{path}: Input should be greater than or equal to {TASK}");
        findings.add(path, words);
    }
}

fn fallbacks(request: &Request<'_>, findings: &mut Findings) {
    let count = items(request.body, "fallbacks").len();
    if count > FALLBACKS {
        let words = format!(
            "fallbacks: List should have at most {FALLBACKS} items after validation, not {count}"
        );
        findings.add("fallbacks", words);
    }
}

/// An email address tells who the user is.
fn mailed(request: &Request<'_>, findings: &mut Findings) {
    let user = request.body.pointer("/metadata/user_id").and_then(Value::as_str);
    if user.is_some_and(has_mail) {
        findings.add("metadata.user_id", MAILED);
    }
}

/// Whether something in it is written as `name@host.tld` is.
fn has_mail(id: &str) -> bool {
    id.match_indices('@').any(|(at, _)| {
        let named = id[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "._%+-".contains(c));
        let host = id[at + 1..].split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-');
        let host = host.into_iter().next().unwrap_or_default().as_bytes();
        let is_end = |part: &[u8]| {
            part[0] == b'.' && part[1].is_ascii_alphabetic() && part[2].is_ascii_alphabetic()
        };
        named && host.windows(3).skip(1).any(is_end)
    })
}

const MAILED: &str = "metadata.user_id: user_id appears to contain an email address. Please send a uuid or hash value instead.";

/// Tokens of the smallest budget of a task.
const TASK: i64 = 20_000;
const FALLBACKS: usize = 3;

pub(super) const RULES: [Rule; 11] = [
    Rule {
        name: "mail-address",
        status: 400,
        when: "The id of the user contains an email address.",
        words: MAILED,
        evidence: Evidence::Seen,
        source: "https://github.com/BerriAI/litellm/issues/10106, whose log ends in the last word",
        check: mailed,
    },
    Rule {
        name: "small-task-budget",
        status: 400,
        when: "The budget of a task is below 20,000 tokens.",
        words: "output_config.task_budget.total: Input should be greater than or equal to 20000",
        evidence: Evidence::Inferred,
        source: "an emulator; the form of K10",
        check: task_budget,
    },
    Rule {
        name: "too-many-fallbacks",
        status: 400,
        when: "There are more than 3 fallbacks.",
        words: "fallbacks: List should have at most 3 items after validation, not {count}",
        evidence: Evidence::Inferred,
        source: "documentation of fallbacks",
        check: fallbacks,
    },
    Rule {
        name: "removed-sampling",
        status: 400,
        when: "A sampling parameter is given under API version 2026-10-21, even with its default.",
        words: "{parameter}: Extra inputs are not permitted",
        evidence: Evidence::Inferred,
        source: "P1; migration guide to 2026-10-21",
        check: removed,
    },
    Rule {
        name: "out-of-range",
        status: 400,
        when: "A number is smaller or larger than it can be.",
        words: "{parameter}: Input should be greater than or equal to {least}\n{parameter}: Input should be less than or equal to {most}",
        evidence: Evidence::Inferred,
        source: "the form of K10",
        check: range,
    },
    Rule {
        name: "deprecated-sampling",
        status: 400,
        when: "A sampling parameter is not at its default on a model from 4.7 on.",
        words: "`{parameter}` is deprecated for this model.",
        evidence: Evidence::Seen,
        source: "P2; public code 59992224329, 70722467669",
        check: deprecated,
    },
    Rule {
        name: "sampling-while-thinking",
        status: 400,
        when: "Sampling is changed while the model thinks: only temperature 1 and a top_p from 0.95 on are accepted.",
        words: "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.\n`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.\n`top_k` must be unset when thinking is enabled.",
        evidence: Evidence::Seen,
        source: "P3; public code 1876376807, 58250608308; the last two wordings are ours",
        check: while_thinking,
    },
    Rule {
        name: "temperature-and-top-p",
        status: 400,
        when: "Both temperature and top_p are given to a 4.5 or 4.6 model.",
        words: "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        evidence: Evidence::Seen,
        source: "P4; live probe 60887066190",
        check: both,
    },
    Rule {
        name: "blank-stop-sequence",
        status: 400,
        when: "A stop sequence is empty or blank.",
        words: "stop_sequences: each stop sequence must contain non-whitespace",
        evidence: Evidence::Seen,
        source: "P6; public code 70476276490",
        check: stops,
    },
    Rule {
        name: "container-without-tool",
        status: 400,
        when: "A container is given, but no tool that executes code.",
        words: "Container identifier can only be provided when using the code execution tool",
        evidence: Evidence::Seen,
        source: "X3; live probe 69439831363",
        check: container,
    },
    Rule {
        name: "prewarm-conflict",
        status: 400,
        when: "No output is asked for (max_tokens 0), together with something that concerns the output.",
        words: "max_tokens: 0 is not supported together with `{parameter}`.",
        evidence: Evidence::Inferred,
        source: "documentation of cache pre-warming",
        check: prewarm,
    },
];
