//! The tool choice.

use super::profile::{Thinking, profile, thinking};
use crate::rule::{items, string};
use crate::{Evidence, Findings, Request, Rule};

fn is_forced(request: &Request<'_>) -> bool {
    matches!(string(&request.body["tool_choice"], "type"), "any" | "tool")
}

fn thinking_forced(request: &Request<'_>, findings: &mut Findings) {
    if is_forced(request) && thinking(request) == Thinking::Manual {
        findings.add("tool_choice", THINKING);
    }
}

fn unforceable(request: &Request<'_>, findings: &mut Findings) {
    if is_forced(request) && !profile(request.model).forced_tools {
        findings.add("tool_choice", UNFORCEABLE);
    }
}

fn toolless(request: &Request<'_>, findings: &mut Findings) {
    if is_forced(request) && items(request.body, "tools").is_empty() {
        findings.add("tool_choice", TOOLLESS);
    }
}

const THINKING: &str = "Thinking may not be enabled when tool_choice forces tool use.";
const UNFORCEABLE: &str =
    "tool_choice: type \"tool\" and \"any\" are not supported for this model.";
const TOOLLESS: &str = "tool_choice may only be specified while providing tools.";

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "forced-while-thinking",
        status: 400,
        when: "A call is forced while thinking has a budget.",
        words: THINKING,
        evidence: Evidence::Seen,
        source: "C1; mastra#7507",
        check: thinking_forced,
    },
    Rule {
        name: "forced-choice",
        status: 400,
        when: "A call is forced on a model that cannot be forced.",
        words: UNFORCEABLE,
        evidence: Evidence::Documented,
        source: "C2; documentation 70299584175, live probe 70157424708",
        check: unforceable,
    },
    Rule {
        name: "choice-without-tools",
        status: 400,
        when: "A call is forced, but there are no tools; auto and none are accepted.",
        words: TOOLLESS,
        evidence: Evidence::Quoted,
        source: "C3; an emulator, 70877361319",
        check: toolless,
    },
];
