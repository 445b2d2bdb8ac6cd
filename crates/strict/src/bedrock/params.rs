//! Rules about model ids, additional fields, betas and the prompt's length.

use serde_json::Value;

use super::anthropic_request::{ADDITIONAL_FIELDS_KEY, AnthropicRequest};
use super::profile::{STRANGE_FIELD_ERRORS, needs_inference_profile, profile};
use crate::json::{array_field, str_field};
use crate::{CheckContext, Request};

fn additional_fields<'r>(request: &Request<'r>) -> &'r Value {
    request.body.get(ADDITIONAL_FIELDS_KEY).unwrap_or(&Value::Null)
}

pub(super) fn on_demand(request: &Request<'_>, cx: &mut CheckContext) {
    let model = request.model;
    if needs_inference_profile(model) {
        cx.reject_filled("modelId", &[("model", &model)]);
    }
}

pub(super) fn extraneous_field(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(known_fields) = profile(request.model).known_fields else { return };
    for key in additional_fields(request).as_object().into_iter().flat_map(|fields| fields.keys()) {
        if !known_fields.contains(&key.as_str()) {
            cx.reject_filled(format!("{ADDITIONAL_FIELDS_KEY}.{key}"), &[("key", &key)]);
        }
    }
}

pub(super) fn strange_field(request: &Request<'_>, cx: &mut CheckContext) {
    let Some((rejected, line)) = profile(request.model).rejected_fields else { return };
    let template = STRANGE_FIELD_ERRORS.lines().nth(line).unwrap_or_default();
    for (key, value) in additional_fields(request).as_object().into_iter().flatten() {
        let is_number =
            value.is_number() || value.as_str().is_some_and(|v| v.parse::<f64>().is_ok());
        let is_valid_setting = is_number
            || THINKING_TYPES.contains(&str_field(value, "type"))
            || value.get("budget_tokens").is_some_and(Value::is_number);
        if rejected.contains(&key.as_str()) && is_valid_setting {
            let column = request.body.to_string().len().to_string();
            let template = template.replace("{key}", key).replace("{column}", &column);
            cx.reject(format!("{ADDITIONAL_FIELDS_KEY}.{key}"), template);
        }
    }
}

/// Claude's thinking types.
const THINKING_TYPES: &[&str] = &["enabled", "disabled", "adaptive", "between_tools"];

pub(super) fn invalid_beta(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, beta) in array_field(additional_fields(request), "anthropic_beta").iter().enumerate() {
        let is_unsupported =
            |beta: &str| UNSUPPORTED_BETA_PREFIXES.iter().any(|name| beta.starts_with(name));
        if beta.as_str().is_none_or(|beta| !has_date(beta) || is_unsupported(beta)) {
            cx.reject(format!("{ADDITIONAL_FIELDS_KEY}.anthropic_beta.{at}"), "invalid beta flag");
        }
    }
}

/// Whether a beta name ends with a date, as all do.
fn has_date(beta: &str) -> bool {
    let is_date_char = |c: char| c.is_ascii_digit() || c == '-';
    let name = beta.trim_end_matches(is_date_char);
    let digits = beta[name.len()..].chars().filter(char::is_ascii_digit).count();
    !name.is_empty() && digits >= 8
}

pub(super) fn prompt_too_long(request: &Request<'_>, cx: &mut CheckContext) {
    let converted = AnthropicRequest::memoized(request, cx);
    let Some(converted) = converted.as_ref() else { return };
    if let Some((path, _)) = converted.violations(request, "prompt-too-long").into_iter().next() {
        cx.reject(path, "Input is too long for requested model.");
    }
}

/// Betas of features that Bedrock does not have.
const UNSUPPORTED_BETA_PREFIXES: &[&str] = &[
    "advanced-tool-use-",
    "code-execution-",
    "files-api-",
    "mcp-client-",
    "message-batches-",
    "message-threads-",
    "oauth-",
    "web-fetch-",
];
