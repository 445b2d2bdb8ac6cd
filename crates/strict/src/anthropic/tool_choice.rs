//! Rules about `tool_choice`.

use super::profile::{ThinkingMode, profile, thinking_mode};
use crate::json::{array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

fn is_forced(request: &Request<'_>) -> bool {
    matches!(str_field(&request.body["tool_choice"], "type"), "any" | "tool")
}

fn forced_while_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    if is_forced(request) && thinking_mode(request) == ThinkingMode::Manual {
        cx.reject("tool_choice", FORCED_WHILE_THINKING_ERROR);
    }
}

fn forced_choice(request: &Request<'_>, cx: &mut CheckContext) {
    if is_forced(request) && !profile(request.model).forced_tool_choice {
        cx.reject("tool_choice", FORCED_CHOICE_ERROR);
    }
}

fn choice_without_tools(request: &Request<'_>, cx: &mut CheckContext) {
    if is_forced(request) && array_field(request.body, "tools").is_empty() {
        cx.reject("tool_choice", CHOICE_WITHOUT_TOOLS_ERROR);
    }
}

const FORCED_WHILE_THINKING_ERROR: &str =
    "Thinking may not be enabled when tool_choice forces tool use.";
const FORCED_CHOICE_ERROR: &str =
    "tool_choice: type \"tool\" and \"any\" are not supported for this model.";
const CHOICE_WITHOUT_TOOLS_ERROR: &str = "tool_choice may only be specified while providing tools.";

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "forced-while-thinking",
        status: 400,
        condition: "A tool call is forced while thinking has a budget.",
        error_message: FORCED_WHILE_THINKING_ERROR,
        evidence: Evidence::Observed,
        source: "C1; mastra#7507",
        check: forced_while_thinking,
    },
    Rule {
        name: "forced-choice",
        status: 400,
        condition: "A tool call is forced on a model that does not support forced calls.",
        error_message: FORCED_CHOICE_ERROR,
        evidence: Evidence::Documented,
        source: "C2; documentation 70299584175, live probe 70157424708",
        check: forced_choice,
    },
    Rule {
        name: "choice-without-tools",
        status: 400,
        condition: "A tool call is forced, but there are no tools; auto and none are accepted.",
        error_message: CHOICE_WITHOUT_TOOLS_ERROR,
        evidence: Evidence::Quoted,
        source: "C3; an emulator, 70877361319",
        check: choice_without_tools,
    },
];
