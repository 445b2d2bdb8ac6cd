//! Rules about tool definitions and `tool_choice`.

use std::collections::HashSet;

use serde_json::Value;

use super::error_messages::{ErrorMessages, ViolationDetails, error_messages, reject};
use super::flavor::FIRST_PARTY;
use super::profile::{ModelFlag, Profile};
use super::view::{bracket_path, call_name, messages};
use crate::check_context::CheckContext;
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{Evidence, Request, Rule};

pub(super) const TOOL_TYPE: Rule = Rule {
    name: "tool-type",
    status: 400,
    condition: "A tool's type is neither function nor custom (openai, azure).",
    error_message: TOOL_TYPE_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "API reference; worded as for other fields",
    check: tool_type,
};
const TOOL_TYPE_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid value: '{type}'. Supported values are: 'function' and 'custom'.",
};

pub(super) const TOOL_NAME_PATTERN: Rule = Rule {
    name: "tool-name-pattern",
    status: 400,
    condition: "The name of a tool or of a called tool has other characters than letters, digits, `_` and `-`.",
    error_message: TOOL_NAME_PATTERN_ERRORS.all,
    evidence: Evidence::Observed,
    source: "xiaozhi#268, mcp-use#90, swagger-mcp#13",
    check: tool_name_pattern,
};
const TOOL_NAME_PATTERN_ERRORS: ErrorMessages = error_messages! {
    CHECKS_NAME_PATTERN => "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    &["dotted"] => "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_\\.-]+$'.",
};

pub(super) const TOOL_NAME_LENGTH: Rule = Rule {
    name: "tool-name-length",
    status: 400,
    condition: "The name of a tool or of a called tool has more than 64 characters.",
    error_message: TOOL_NAME_LENGTH_ERRORS.all,
    evidence: Evidence::Observed,
    source: "ida-pro-mcp#129; DashScope",
    check: tool_name_length,
};
const TOOL_NAME_LENGTH_ERRORS: ErrorMessages = error_messages! {
    &["openai", "azure", "openrouter", "deepseek", "generic"] => "Invalid '{at}': string too long. Expected a string with maximum length 64, but got a string with length {count} instead.",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64.",
};

pub(super) const TOOL_DESCRIPTION_LENGTH: Rule = Rule {
    name: "tool-description-length",
    status: 400,
    condition: "A tool description has more than 1024 characters, on older models.",
    error_message: TOOL_DESCRIPTION_LENGTH_ERRORS.all,
    evidence: Evidence::Observed,
    source: "5ire#33",
    check: tool_description_length,
};
const TOOL_DESCRIPTION_LENGTH_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid '{at}': string too long. Expected a string with maximum length {limit}, but got a string with length {count} instead.",
};

pub(super) const TOOL_DUPLICATE: Rule = Rule {
    name: "tool-duplicate",
    status: 400,
    condition: "Two tools have the same name (deepseek).",
    error_message: TOOL_DUPLICATE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "Clawith#251, openhanako#789",
    check: tool_duplicate,
};
const TOOL_DUPLICATE_ERRORS: ErrorMessages =
    error_messages! { &["deepseek"] => "Tool names must be unique." };

pub(super) const CEREBRAS_MIXED_STRICT: Rule = Rule {
    name: "cerebras-mixed-strict",
    status: 422,
    condition: "Some tools are strict and others are not. The default is not strict.",
    error_message: CEREBRAS_MIXED_STRICT_ERRORS.all,
    evidence: Evidence::Observed,
    source: "Roo-Code#10334, kilocode PR#5193, kilocode PR#5204",
    check: cerebras_mixed_strict,
};
const CEREBRAS_MIXED_STRICT_ERRORS: ErrorMessages = error_messages! {
    &["cerebras"] => "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
};

pub(super) const NAMED_CHOICE: Rule = Rule {
    name: "named-choice",
    status: 400,
    condition: "The tool_choice names a tool, on LM Studio.",
    error_message: NAMED_CHOICE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "lmstudio-bug-tracker#670",
    check: named_choice,
};
const NAMED_CHOICE_ERRORS: ErrorMessages = error_messages! {
    &["lm-studio", "generic"] => "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
};

pub(super) const UNKNOWN_CHOICE: Rule = Rule {
    name: "unknown-choice",
    status: 400,
    condition: "The tool_choice names a function that is not among the tools (openai, azure, vllm).",
    error_message: UNKNOWN_CHOICE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "public code 58141549477 (a probe); vLLM source, sglang PR#28862",
    check: unknown_choice,
};
const UNKNOWN_CHOICE_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Invalid value for 'tool_choice': no function named '{name}' was specified in the 'tools' parameter.",
    &["vllm"] => "The tool specified in `tool_choice` does not match any of the specified `tools`",
};

pub(super) const CHOICE_SHAPE: Rule = Rule {
    name: "choice-shape",
    status: 400,
    condition: "The tool_choice is an object without a function, such as that of another API.",
    error_message: CHOICE_SHAPE_ERRORS.all,
    evidence: Evidence::Observed,
    source: "public code 60248967179, 61511184616 (OpenAI); vLLM source; public code 69559623803 (DashScope, a probe); pi#5154 (Z.ai)",
    check: choice_shape,
};
const CHOICE_SHAPE_ERRORS: ErrorMessages = error_messages! {
    FIRST_PARTY => "Missing required parameter: '{at}'.",
    &["vllm", "qwen"] => "Expected field `function` in `tool_choice`. Correct usage: `{\"type\": \"function\", \"function\": {\"name\": \"my_function\"}}`",
    &["glm"] => "Invalid API parameter, please check the documentation.",
};

pub(super) const MOONSHOT_REQUIRED_CHOICE: Rule = Rule {
    name: "moonshot-required-choice",
    status: 400,
    condition: "The tool_choice is required, on an older Kimi model.",
    error_message: MOONSHOT_REQUIRED_CHOICE_ERRORS.all,
    evidence: Evidence::Inferred,
    source: "litellm source",
    check: moonshot_required_choice,
};
const MOONSHOT_REQUIRED_CHOICE_ERRORS: ErrorMessages = error_messages! {
    &["moonshot"] => "tool_choice 'required' is not supported for this model",
};

/// Flavors that check the characters of tool names.
pub(super) const CHECKS_NAME_PATTERN: &[&str] =
    &["openai", "azure", "openrouter", "deepseek", "generic"];

/// All tool names with their paths: first of tools, then of calls.
pub(super) fn tool_names<'v>(request: &Request<'v>) -> Vec<(String, &'v str)> {
    let mut names = Vec::new();
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let kind = if tool.field("custom").is_some() { "custom" } else { "function" };
        let name = tool.get(kind).map_or("", |tool| str_field(tool, "name"));
        names.push((format!("tools.{at}.{kind}.name"), name));
    }
    for message in messages(request) {
        for (at, call) in message.tool_calls().iter().enumerate() {
            let kind = if call.field("custom").is_some() { "custom" } else { "function" };
            names.push((
                message.field_path(&format!("tool_calls.{at}.{kind}.name")),
                call_name(call),
            ));
        }
    }
    names
}

fn tool_type(request: &Request<'_>, cx: &mut CheckContext) {
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let kind = tool.field("type").and_then(Value::as_str);
        if let Some(kind) = kind.filter(|kind| !["function", "custom"].contains(kind)) {
            let path = format!("tools.{at}.type");
            let param = bracket_path(&path);
            let details = ViolationDetails {
                path,
                placeholders: &[("type", kind)],
                param: Some(&param),
                code: Some("invalid_value"),
            };
            TOOL_TYPE_ERRORS.reject(request, cx, &details);
        }
    }
}

fn tool_name_pattern(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(template) = TOOL_NAME_PATTERN_ERRORS.for_request(request) else { return };
    let allows_dots = request.flavor == "azure" && request.model.starts_with("o4");
    let template = if allows_dots {
        TOOL_NAME_PATTERN_ERRORS.for_responder("dotted").unwrap_or(template)
    } else {
        template
    };
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || allows_dots && c == '.';
    for (path, name) in tool_names(request) {
        if name.is_empty() && is_name_missing(request, &path)
            || !name.is_empty() && name.chars().all(is_allowed)
        {
            continue;
        }
        let at = bracket_path(&path);
        let details = ViolationDetails {
            path,
            placeholders: &[("at", &at)],
            param: Some(&at),
            code: Some("invalid_value"),
        };
        reject(template, request, cx, &details);
    }
}

/// A missing name violates another rule.
fn is_name_missing(request: &Request<'_>, path: &str) -> bool {
    let pointer = format!("/{}", path.replace('.', "/"));
    request.body.pointer(&pointer).and_then(Value::as_str).is_none()
}

fn tool_name_length(request: &Request<'_>, cx: &mut CheckContext) {
    for (path, name) in tool_names(request) {
        let count = name.chars().count();
        if count > 64 {
            let (at, count) = (bracket_path(&path), count.to_string());
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            TOOL_NAME_LENGTH_ERRORS.reject(request, cx, &details);
        }
    }
}

fn tool_description_length(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(limit) = Profile::for_request(request).max_description_length else { return };
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let description = tool.field("function").map_or("", |tool| str_field(tool, "description"));
        let count = description.chars().count();
        if count > limit {
            let path = format!("tools.{at}.function.description");
            let (at, limit, count) = (bracket_path(&path), limit.to_string(), count.to_string());
            let details = ViolationDetails {
                path,
                placeholders: &[("at", &at), ("limit", &limit), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            TOOL_DESCRIPTION_LENGTH_ERRORS.reject(request, cx, &details);
        }
    }
}

fn tool_duplicate(request: &Request<'_>, cx: &mut CheckContext) {
    let name = |tool: &Value| {
        let inner = tool.get("function").or_else(|| tool.get("custom")).unwrap_or(&Value::Null);
        str_field(inner, "name").to_owned()
    };
    let mut seen = HashSet::new();
    for (at, tool) in array_field(request.body, "tools").iter().enumerate() {
        let name = name(tool);
        if !name.is_empty() && !seen.insert(name) {
            let details =
                ViolationDetails { path: format!("tools.{at}"), ..ViolationDetails::default() };
            TOOL_DUPLICATE_ERRORS.reject(request, cx, &details);
        }
    }
}

fn cerebras_mixed_strict(request: &Request<'_>, cx: &mut CheckContext) {
    let functions =
        array_field(request.body, "tools").iter().filter_map(|tool| tool.field("function"));
    let strict: Vec<bool> =
        functions.map(|tool| tool.field("strict") == Some(&Value::Bool(true))).collect();
    if strict.contains(&true) && strict.contains(&false) {
        CEREBRAS_MIXED_STRICT_ERRORS.reject(
            request,
            cx,
            &ViolationDetails { path: "tools".into(), ..ViolationDetails::default() },
        );
    }
}

fn named_choice(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("tool_choice").is_some_and(Value::is_object) {
        let details =
            ViolationDetails { path: "tool_choice".into(), ..ViolationDetails::default() };
        NAMED_CHOICE_ERRORS.reject(request, cx, &details);
    }
}

fn unknown_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(choice) = request.body.field("tool_choice") else { return };
    // Some clients write the name next to the type.
    let is_bare = choice.field("custom").is_none() && str_field(choice, "type") != "allowed_tools";
    let bare_choice = Some(choice).filter(|_| is_bare);
    let Some(chosen) = choice.field("function").or(bare_choice) else { return };
    let name = str_field(chosen, "name");
    let tools = array_field(request.body, "tools");
    let is_named = |tool: &Value| {
        ["function", "custom"]
            .iter()
            .any(|kind| tool.field(kind).is_some_and(|inner| str_field(inner, "name") == name))
    };
    if !name.is_empty() && !tools.is_empty() && !tools.iter().any(is_named) {
        let details = ViolationDetails {
            path: "tool_choice".into(),
            placeholders: &[("name", name)],
            param: Some("tool_choice"),
            code: None,
        };
        UNKNOWN_CHOICE_ERRORS.reject(request, cx, &details);
    }
}

fn choice_shape(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(choice) = request.body.field("tool_choice").filter(|value| value.is_object()) else {
        return;
    };
    let is_first_party = FIRST_PARTY.contains(&request.flavor);
    if is_first_party && ["allowed_tools", "custom"].contains(&str_field(choice, "type")) {
        return;
    }
    let function = choice.field("function").filter(|function| function.is_object());
    let at = match function {
        None => "tool_choice.function",
        Some(function) if function.field("name").is_none() => "tool_choice.function.name",
        Some(_) => return,
    };
    let details = ViolationDetails {
        path: at.into(),
        placeholders: &[("at", at)],
        param: Some(at),
        code: Some("missing_required_parameter"),
    };
    CHOICE_SHAPE_ERRORS.reject(request, cx, &details);
}

fn moonshot_required_choice(request: &Request<'_>, cx: &mut CheckContext) {
    let required = str_field(request.body, "tool_choice") == "required";
    if required && Profile::for_request(request).has(ModelFlag::NoRequiredToolChoice) {
        let details =
            ViolationDetails { path: "tool_choice".into(), ..ViolationDetails::default() };
        MOONSHOT_REQUIRED_CHOICE_ERRORS.reject(request, cx, &details);
    }
}
