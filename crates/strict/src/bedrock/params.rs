//! How a model is asked for, additional fields, betas, and how long the prompt is.

use serde_json::Value;

use super::profile::{STRANGE, needs_profile, profile};
use super::underlying::{ADDITIONAL, Underlying};
use crate::rule::{items, string};
use crate::{Evidence, Findings, Request, Rule};

fn additional<'r>(request: &Request<'r>) -> &'r Value {
    request.body.get(ADDITIONAL).unwrap_or(&Value::Null)
}

fn on_demand(request: &Request<'_>, findings: &mut Findings) {
    let model = request.model;
    if needs_profile(model) {
        let words = format!(
            "Invocation of model ID {model} with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile that contains this model."
        );
        findings.add("modelId", words);
    }
}

fn extraneous(request: &Request<'_>, findings: &mut Findings) {
    let Some(known) = profile(request.model).fields else { return };
    for key in additional(request).as_object().into_iter().flat_map(|fields| fields.keys()) {
        if !known.contains(&key.as_str()) {
            let words = format!(
                "Malformed input request: #: extraneous key [{key}] is not permitted, please reformat your input and try again."
            );
            findings.add(format!("{ADDITIONAL}.{key}"), words);
        }
    }
}

fn strange(request: &Request<'_>, findings: &mut Findings) {
    let Some((refused, line)) = profile(request.model).strange else { return };
    let words = STRANGE.lines().nth(line).unwrap_or_default();
    for (key, value) in additional(request).as_object().into_iter().flatten() {
        let is_number =
            value.is_number() || value.as_str().is_some_and(|v| v.parse::<f64>().is_ok());
        let is_said = is_number
            || MODES.contains(&string(value, "type"))
            || value.get("budget_tokens").is_some_and(Value::is_number);
        if refused.contains(&key.as_str()) && is_said {
            let column = request.body.to_string().len().to_string();
            let words = words.replace("{key}", key).replace("{column}", &column);
            findings.add(format!("{ADDITIONAL}.{key}"), words);
        }
    }
}

/// How Claude is told to think.
const MODES: &[&str] = &["enabled", "disabled", "adaptive", "between_tools"];

fn betas(request: &Request<'_>, findings: &mut Findings) {
    for (at, beta) in items(additional(request), "anthropic_beta").iter().enumerate() {
        let elsewhere = |beta: &str| ELSEWHERE.iter().any(|name| beta.starts_with(name));
        if beta.as_str().is_none_or(|beta| !is_dated(beta) || elsewhere(beta)) {
            findings.add(format!("{ADDITIONAL}.anthropic_beta.{at}"), "invalid beta flag");
        }
    }
}

/// Whether it ends in a date, as all do.
fn is_dated(beta: &str) -> bool {
    let date = |c: char| c.is_ascii_digit() || c == '-';
    let bare = beta.trim_end_matches(date);
    let digits = beta[bare.len()..].chars().filter(char::is_ascii_digit).count();
    !bare.is_empty() && digits >= 8
}

fn too_long(request: &Request<'_>, findings: &mut Findings) {
    let underlying = Underlying::shared(request, findings);
    let Some(underlying) = underlying.as_ref() else { return };
    if let Some((path, _)) = underlying.violations(request, "prompt-too-long").into_iter().next() {
        findings.add(path, "Input is too long for requested model.");
    }
}

/// Betas of what there is not on Bedrock.
const ELSEWHERE: &[&str] = &[
    "advanced-tool-use-",
    "code-execution-",
    "files-api-",
    "mcp-client-",
    "message-batches-",
    "message-threads-",
    "oauth-",
    "web-fetch-",
];

pub(super) const RULES: [Rule; 5] = [
    Rule {
        name: "on-demand",
        status: 400,
        when: "A base model id is asked for, and the model is invoked only through an inference profile.",
        words: "Invocation of model ID {model} with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
        evidence: Evidence::Documented,
        source: "§6.1; public logs 22751118878, 56718114008, which models those are is ours",
        check: on_demand,
    },
    Rule {
        name: "extraneous-field",
        status: 400,
        when: "An additional field is unknown to a model whose fields are checked by a schema.",
        words: "Malformed input request: #: extraneous key [{key}] is not permitted, please reformat your input and try again.",
        evidence: Evidence::Seen,
        source: "B11; public code 61520100575, 53854027447, which models those are is ours",
        check: extraneous,
    },
    Rule {
        name: "strange-field",
        status: 400,
        when: "An additional field is one of Claude's, and the model one of OpenAI's or DeepSeek-R1.",
        words: STRANGE,
        evidence: Evidence::Seen,
        source: "litellm#13959, #33401; kortix-ai/suna PR#6893, the words of GPT-5 are ours, and that other fields of Claude's are refused as `thinking` is",
        check: strange,
    },
    Rule {
        name: "invalid-beta",
        status: 400,
        when: "A beta in the additional fields is none, or one of what there is not on Bedrock.",
        words: "invalid beta flag",
        evidence: Evidence::Seen,
        source: "B10; public code 63480181135, litellm#16726, the list is ours",
        check: betas,
    },
    Rule {
        name: "prompt-too-long",
        status: 400,
        when: "The prompt has more tokens than the model takes (estimated).",
        words: "Input is too long for requested model.",
        evidence: Evidence::Documented,
        source: "B12; error page of Claude Code",
        check: too_long,
    },
];
