//! Names and descriptions of tools, and who may be made to call one.

use serde_json::Value;

use super::flavor::INVENTOR;
use super::profile::{Profile, Trait};
use super::view::{bracketed, call_name, messages};
use super::words::{Refusal, Words, refuse, words};
use crate::rule::{Fields as _, Findings, items, string};
use crate::{Evidence, Request, Rule};

pub(super) const TOOL_TYPE: Rule = Rule {
    name: "tool-type",
    status: 400,
    when: "A tool is neither a function nor a custom one (openai, azure).",
    words: KIND.lines,
    evidence: Evidence::Inferred,
    source: "API reference; the words are those of other fields",
    check: tool_type,
};
const KIND: Words = words! {
    INVENTOR => "Invalid value: '{type}'. Supported values are: 'function' and 'custom'.",
};

pub(super) const TOOL_NAME_PATTERN: Rule = Rule {
    name: "tool-name-pattern",
    status: 400,
    when: "The name of a tool, or of a called one, has other characters than letters, digits, `_` and `-`.",
    words: PATTERN.lines,
    evidence: Evidence::Seen,
    source: "xiaozhi#268, mcp-use#90, swagger-mcp#13",
    check: tool_name_pattern,
};
const PATTERN: Words = words! {
    NAME_PATTERN => "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    &["dotted"] => "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_\\.-]+$'.",
};

pub(super) const TOOL_NAME_LENGTH: Rule = Rule {
    name: "tool-name-length",
    status: 400,
    when: "The name of a tool, or of a called one, has more than 64 characters.",
    words: LENGTH.lines,
    evidence: Evidence::Seen,
    source: "ida-pro-mcp#129; DashScope",
    check: tool_name_length,
};
const LENGTH: Words = words! {
    &["openai", "azure", "openrouter", "deepseek", "generic"] => "Invalid '{at}': string too long. Expected a string with maximum length 64, but got a string with length {count} instead.",
    &["qwen"] => "<400> InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64.",
};

pub(super) const TOOL_DESCRIPTION_LENGTH: Rule = Rule {
    name: "tool-description-length",
    status: 400,
    when: "An older model gets a tool whose description has more than 1024 characters.",
    words: DESCRIPTION.lines,
    evidence: Evidence::Seen,
    source: "5ire#33",
    check: tool_description_length,
};
const DESCRIPTION: Words = words! {
    INVENTOR => "Invalid '{at}': string too long. Expected a string with maximum length {limit}, but got a string with length {count} instead.",
};

pub(super) const TOOL_DUPLICATE: Rule = Rule {
    name: "tool-duplicate",
    status: 400,
    when: "Two tools have one name (deepseek).",
    words: DUPLICATE.lines,
    evidence: Evidence::Seen,
    source: "Clawith#251, openhanako#789",
    check: tool_duplicate,
};
const DUPLICATE: Words = words! { &["deepseek"] => "Tool names must be unique." };

pub(super) const CEREBRAS_MIXED_STRICT: Rule = Rule {
    name: "cerebras-mixed-strict",
    status: 422,
    when: "Some tools are strict and others are not. One that does not say so is not.",
    words: MIXED.lines,
    evidence: Evidence::Seen,
    source: "Roo-Code#10334, kilocode PR#5193, kilocode PR#5204",
    check: cerebras_mixed_strict,
};
const MIXED: Words = words! {
    &["cerebras"] => "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'",
};

pub(super) const NAMED_CHOICE: Rule = Rule {
    name: "named-choice",
    status: 400,
    when: "LM Studio gets a tool_choice that names a tool.",
    words: NAMED.lines,
    evidence: Evidence::Seen,
    source: "lmstudio-bug-tracker#670",
    check: named_choice,
};
const NAMED: Words = words! {
    &["lm-studio", "generic"] => "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
};

pub(super) const UNKNOWN_CHOICE: Rule = Rule {
    name: "unknown-choice",
    status: 400,
    when: "The tool_choice names a function that is not among the tools (openai, azure, vllm).",
    words: UNKNOWN.lines,
    evidence: Evidence::Seen,
    source: "public code 58141549477 (a probe); vLLM source, sglang PR#28862",
    check: unknown_choice,
};
const UNKNOWN: Words = words! {
    INVENTOR => "Invalid value for 'tool_choice': no function named '{name}' was specified in the 'tools' parameter.",
    &["vllm"] => "The tool specified in `tool_choice` does not match any of the specified `tools`",
};

pub(super) const CHOICE_SHAPE: Rule = Rule {
    name: "choice-shape",
    status: 400,
    when: "The tool_choice is an object that has no function, such as that of another API.",
    words: SHAPE.lines,
    evidence: Evidence::Seen,
    source: "public code 60248967179, 61511184616 (OpenAI); vLLM source; public code 69559623803 (DashScope, a probe); pi#5154 (Z.ai)",
    check: choice_shape,
};
const SHAPE: Words = words! {
    INVENTOR => "Missing required parameter: '{at}'.",
    &["vllm", "qwen"] => "Expected field `function` in `tool_choice`. Correct usage: `{\"type\": \"function\", \"function\": {\"name\": \"my_function\"}}`",
    &["glm"] => "Invalid API parameter, please check the documentation.",
};

pub(super) const MOONSHOT_REQUIRED_CHOICE: Rule = Rule {
    name: "moonshot-required-choice",
    status: 400,
    when: "An older Kimi model is made to call some tool.",
    words: REQUIRED.lines,
    evidence: Evidence::Inferred,
    source: "litellm source",
    check: moonshot_required_choice,
};
const REQUIRED: Words = words! {
    &["moonshot"] => "tool_choice 'required' is not supported for this model",
};

/// Who looks at the characters of a name.
pub(super) const NAME_PATTERN: &[&str] = &["openai", "azure", "openrouter", "deepseek", "generic"];

/// Every name of a tool, with its path: in the tools, then in the calls.
pub(super) fn names<'v>(request: &Request<'v>) -> Vec<(String, &'v str)> {
    let mut names = Vec::new();
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let kind = if tool.field("custom").is_some() { "custom" } else { "function" };
        let name = tool.get(kind).map_or("", |tool| string(tool, "name"));
        names.push((format!("tools.{at}.{kind}.name"), name));
    }
    for message in messages(request) {
        for (at, call) in message.calls().iter().enumerate() {
            let kind = if call.field("custom").is_some() { "custom" } else { "function" };
            names.push((message.at(&format!("tool_calls.{at}.{kind}.name")), call_name(call)));
        }
    }
    names
}

fn tool_type(request: &Request<'_>, findings: &mut Findings) {
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let kind = tool.field("type").and_then(Value::as_str);
        if let Some(kind) = kind.filter(|kind| !["function", "custom"].contains(kind)) {
            let path = format!("tools.{at}.type");
            let param = bracketed(&path);
            let refusal = Refusal {
                path,
                fills: &[("type", kind)],
                param: Some(&param),
                code: Some("invalid_value"),
            };
            KIND.refuse(request, findings, &refusal);
        }
    }
}

fn tool_name_pattern(request: &Request<'_>, findings: &mut Findings) {
    let Some(words) = PATTERN.of(request) else { return };
    let dotted = request.flavor == "azure" && request.model.starts_with("o4");
    let words = if dotted { PATTERN.by("dotted").unwrap_or(words) } else { words };
    let known = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || dotted && c == '.';
    for (path, name) in names(request) {
        if name.is_empty() && missing(request, &path) || !name.is_empty() && name.chars().all(known)
        {
            continue;
        }
        let at = bracketed(&path);
        let refusal =
            Refusal { path, fills: &[("at", &at)], param: Some(&at), code: Some("invalid_value") };
        refuse(words, request, findings, &refusal);
    }
}

/// A name that is not there at all is refused by another rule.
fn missing(request: &Request<'_>, path: &str) -> bool {
    let pointer = format!("/{}", path.replace('.', "/"));
    request.body.pointer(&pointer).and_then(Value::as_str).is_none()
}

fn tool_name_length(request: &Request<'_>, findings: &mut Findings) {
    for (path, name) in names(request) {
        let count = name.chars().count();
        if count > 64 {
            let (at, count) = (bracketed(&path), count.to_string());
            let refusal = Refusal {
                path,
                fills: &[("at", &at), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            LENGTH.refuse(request, findings, &refusal);
        }
    }
}

fn tool_description_length(request: &Request<'_>, findings: &mut Findings) {
    let Some(limit) = Profile::of(request).description_length else { return };
    for (at, tool) in items(request.body, "tools").iter().enumerate() {
        let description = tool.field("function").map_or("", |tool| string(tool, "description"));
        let count = description.chars().count();
        if count > limit {
            let path = format!("tools.{at}.function.description");
            let (at, limit, count) = (bracketed(&path), limit.to_string(), count.to_string());
            let refusal = Refusal {
                path,
                fills: &[("at", &at), ("limit", &limit), ("count", &count)],
                param: Some(&at),
                code: Some("string_above_max_length"),
            };
            DESCRIPTION.refuse(request, findings, &refusal);
        }
    }
}

fn tool_duplicate(request: &Request<'_>, findings: &mut Findings) {
    let name = |tool: &Value| {
        let inner = tool.get("function").or_else(|| tool.get("custom")).unwrap_or(&Value::Null);
        string(inner, "name").to_owned()
    };
    let tools = items(request.body, "tools");
    for (at, tool) in tools.iter().enumerate() {
        let same = |other: &Value| !name(tool).is_empty() && name(other) == name(tool);
        if tools[..at].iter().any(same) {
            let refusal = Refusal { path: format!("tools.{at}"), ..Refusal::default() };
            DUPLICATE.refuse(request, findings, &refusal);
        }
    }
}

fn cerebras_mixed_strict(request: &Request<'_>, findings: &mut Findings) {
    let functions = items(request.body, "tools").iter().filter_map(|tool| tool.field("function"));
    let strict: Vec<bool> =
        functions.map(|tool| tool.field("strict") == Some(&Value::Bool(true))).collect();
    if strict.contains(&true) && strict.contains(&false) {
        MIXED.refuse(request, findings, &Refusal { path: "tools".into(), ..Refusal::default() });
    }
}

fn named_choice(request: &Request<'_>, findings: &mut Findings) {
    if request.body.field("tool_choice").is_some_and(Value::is_object) {
        let refusal = Refusal { path: "tool_choice".into(), ..Refusal::default() };
        NAMED.refuse(request, findings, &refusal);
    }
}

fn unknown_choice(request: &Request<'_>, findings: &mut Findings) {
    let Some(choice) = request.body.field("tool_choice") else { return };
    // Some write the name where the type stands.
    let is_bare = choice.field("custom").is_none() && string(choice, "type") != "allowed_tools";
    let bare = Some(choice).filter(|_| is_bare);
    let Some(chosen) = choice.field("function").or(bare) else { return };
    let name = string(chosen, "name");
    let tools = items(request.body, "tools");
    let is_named = |tool: &Value| {
        ["function", "custom"]
            .iter()
            .any(|kind| tool.field(kind).is_some_and(|inner| string(inner, "name") == name))
    };
    if !name.is_empty() && !tools.is_empty() && !tools.iter().any(is_named) {
        let refusal = Refusal {
            path: "tool_choice".into(),
            fills: &[("name", name)],
            param: Some("tool_choice"),
            code: None,
        };
        UNKNOWN.refuse(request, findings, &refusal);
    }
}

fn choice_shape(request: &Request<'_>, findings: &mut Findings) {
    let Some(choice) = request.body.field("tool_choice").filter(|one| one.is_object()) else {
        return;
    };
    let inventor = INVENTOR.contains(&request.flavor);
    if inventor && ["allowed_tools", "custom"].contains(&string(choice, "type")) {
        return;
    }
    let function = choice.field("function").filter(|function| function.is_object());
    let at = match function {
        None => "tool_choice.function",
        Some(function) if function.field("name").is_none() => "tool_choice.function.name",
        Some(_) => return,
    };
    let refusal = Refusal {
        path: at.into(),
        fills: &[("at", at)],
        param: Some(at),
        code: Some("missing_required_parameter"),
    };
    SHAPE.refuse(request, findings, &refusal);
}

fn moonshot_required_choice(request: &Request<'_>, findings: &mut Findings) {
    let required = string(request.body, "tool_choice") == "required";
    if required && Profile::of(request).has(Trait::NoRequiredChoice) {
        let refusal = Refusal { path: "tool_choice".into(), ..Refusal::default() };
        REQUIRED.refuse(request, findings, &refusal);
    }
}
