//! Tools and the choice among them.

use serde_json::Value;

use super::view;
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "tool-count",
        status: 400,
        when: "There are more than 128 tools.",
        words: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {count} instead.",
        evidence: Evidence::Seen,
        source: "better-chatbot#197, hexstrike#29",
        check: tool_count,
    },
    Rule {
        name: "tool-duplicate",
        status: 400,
        when: "Two tools have one name.",
        words: "Invalid '{path}': duplicate tool name '{name}'. Tool names must be unique.",
        evidence: Evidence::Inferred,
        source: "a call names its tool by its name alone",
        check: tool_duplicate,
    },
    Rule {
        name: "tool-choice-without-tools",
        status: 400,
        when: "A tool must be called, and there is none.",
        words: "Tool choice 'required' must be specified with 'tools' parameter.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: tool_choice_without_tools,
    },
    Rule {
        name: "tool-choice-unknown",
        status: 400,
        when: "The tool that must be called, or one of those that may be, is not among the tools.",
        words: "Tool choice '{name}' not found in 'tools' parameter.",
        evidence: Evidence::Seen,
        source: "several public repositories",
        check: tool_choice_unknown,
    },
];

fn tool_count(request: &Request<'_>, findings: &mut Findings) {
    let count = items(request.body, "tools").len();
    if count > 128 {
        let message = format!(
            "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length {count} instead."
        );
        findings.add_with("tools", message, Some("tools"), Some("array_above_max_length"));
    }
}

/// A tool in a namespace may be called as one outside it.
fn tool_duplicate(request: &Request<'_>, findings: &mut Findings) {
    let named = |tool: &Value| ["function", "custom"].contains(&string(tool, "type"));
    let tools = view::tools(request.body);
    let space = |path: &str| path.rsplit_once('[').map(|(space, _)| space.to_owned());
    for (at, (path, tool)) in tools.iter().enumerate().filter(|(_, (_, tool))| named(tool)) {
        let name = string(tool, "name");
        let mut earlier = tools[..at].iter().filter(|(_, tool)| named(tool));
        if earlier.any(|(other, tool)| string(tool, "name") == name && space(other) == space(path))
        {
            let path = format!("{path}.name");
            let message = format!(
                "Invalid '{path}': duplicate tool name '{name}'. Tool names must be unique."
            );
            findings.add_with(view::dotted(&path), message, Some(&path), Some("invalid_value"));
        }
    }
}

fn tool_choice_without_tools(request: &Request<'_>, findings: &mut Findings) {
    let required = string(request.body, "tool_choice") == "required";
    if required && !view::has_state(request.body) && view::tools(request.body).is_empty() {
        let words = "Tool choice 'required' must be specified with 'tools' parameter.";
        findings.add_with("tool_choice", words, Some("tool_choice"), None);
    }
}

fn tool_choice_unknown(request: &Request<'_>, findings: &mut Findings) {
    let Some(choice) = request.body.field("tool_choice").filter(|choice| choice.is_object()) else {
        return;
    };
    if request.body.field("prompt").is_some() {
        return;
    }
    let tools = view::tools(request.body);
    let chosen = match string(choice, "type") {
        "allowed_tools" => items(choice, "tools"),
        _ => std::slice::from_ref(choice),
    };
    for one in chosen {
        let kind = string(one, "type");
        let by_name = ["function", "custom", "namespace"].contains(&kind);
        let key = if kind == "mcp" { "server_label" } else { "name" };
        let there = tools.iter().any(|(_, tool)| {
            let alike = string(tool, key) == string(one, key);
            string(tool, "type") == kind && (alike || !by_name && kind != "mcp")
        });
        if !there {
            let name = if by_name { string(one, "name") } else { kind };
            let message = format!("Tool choice '{name}' not found in 'tools' parameter.");
            findings.add_with("tool_choice", message, Some("tool_choice"), None);
        }
    }
}
