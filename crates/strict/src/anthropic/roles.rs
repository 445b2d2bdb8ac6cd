//! Who speaks when.

use serde_json::Value;

use super::profile::{Thinking, profile, thinking};
use super::view::{self, messages};
use crate::rule::{Fields as _, items, string};
use crate::{Evidence, Findings, Request, Rule};

fn none(request: &Request<'_>, findings: &mut Findings) {
    if request.body.field("messages").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        findings.add("messages", NONE);
    }
}

/// The messages that hold instructions; one that only directs may stand anywhere.
fn instructions(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    messages(body).iter().enumerate().filter(|(_, message)| string(message, "role") == "system")
}

pub(super) fn is_directive(message: &Value) -> bool {
    string(message, "role") == "system"
        && message.field("content").and_then(Value::as_array).is_some_and(Vec::is_empty)
        && message.field("output_config").is_some()
}

fn unsupported(request: &Request<'_>, findings: &mut Findings) {
    let words = match request.switches.system_messages {
        Some(true) => return,
        Some(false) => UNEXPECTED,
        None if profile(request.model).system_messages => return,
        None => UNSUPPORTED,
    };
    for (at, _) in instructions(request.body) {
        findings.add(format!("messages.{at}.role"), words);
    }
}

fn misplaced(request: &Request<'_>, findings: &mut Findings, place: Place) {
    let all = messages(request.body);
    let speaks = |message: &&Value| string(message, "role") != "system";
    for (at, _) in instructions(request.body).filter(|(_, message)| !is_directive(message)) {
        let before = all[..at].iter().rev().find(speaks);
        let after = all[at + 1..].iter().find(speaks);
        let wrong = match place {
            Place::First => before.is_none(),
            Place::Before => before.is_some_and(|message| !may_be_instructed(message)),
            Place::After => after.is_some_and(|message| string(message, "role") != "assistant"),
        };
        if wrong {
            let path = format!("messages.{at}");
            let words = format!("{path}: {}", place.words());
            findings.add(path, words);
        }
    }
}

/// A user's message, or an assistant's that ends in what a server tool answered.
fn may_be_instructed(message: &Value) -> bool {
    let last = view::blocks_of(message, 0).last();
    string(message, "role") == "user" || last.is_some_and(|block| block.is_server_result())
}

#[derive(Clone, Copy)]
enum Place {
    First,
    Before,
    After,
}

impl Place {
    fn words(self) -> &'static str {
        match self {
            Self::First => FIRST,
            Self::Before => BEFORE,
            Self::After => AFTER,
        }
    }
}

fn user_first(request: &Request<'_>, findings: &mut Findings) {
    let first = messages(request.body).first().map(|message| string(message, "role"));
    if request.switches.alternation == Some(true) && first == Some("assistant") {
        findings.add("messages.0.role", USER_FIRST);
    }
}

fn alternate(request: &Request<'_>, findings: &mut Findings) {
    if request.switches.alternation != Some(true) {
        return;
    }
    let all = messages(request.body);
    for (at, pair) in all.windows(2).enumerate() {
        let role = string(&pair[0], "role");
        if role == string(&pair[1], "role") && role != "system" {
            let words = format!(
                "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row"
            );
            findings.add(format!("messages.{}.role", at + 1), words);
        }
    }
}

/// The place of the assistant's words at the end, if the model is to go on with them. A turn that a
/// server tool interrupted goes on in any case.
pub(super) fn prefilled(body: &Value) -> Option<usize> {
    let all = messages(body);
    let at = all.iter().rposition(|message| string(message, "role") != "system")?;
    let paused = view::blocks_of(&all[at], at)
        .last()
        .is_some_and(|block| block.is("server_tool_use") || block.is_server_result());
    (string(&all[at], "role") == "assistant" && !paused).then_some(at)
}

/// Whether the conversation may end with the assistant's words.
pub(super) fn prefills(request: &Request<'_>) -> bool {
    request.switches.prefill.unwrap_or(profile(request.model).prefill)
}

fn prefill(request: &Request<'_>, findings: &mut Findings) {
    if let Some(at) = prefilled(request.body).filter(|_| !prefills(request)) {
        findings.add(format!("messages.{at}"), PREFILL);
    }
}

fn prefill_thinking(request: &Request<'_>, findings: &mut Findings) {
    let thinks = matches!(thinking(request), Thinking::Manual | Thinking::Adaptive);
    if let Some(at) = prefilled(request.body).filter(|_| thinks && prefills(request)) {
        let calls = items(&messages(request.body)[at], "content")
            .iter()
            .any(|block| string(block, "type") == "tool_use");
        // A call without a result has an answer of its own.
        if !calls {
            findings.add(format!("messages.{at}"), PREFILL_THINKING);
        }
    }
}

const NONE: &str = "messages: at least one message is required";
const UNEXPECTED: &str = "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.";
const UNSUPPORTED: &str = "role 'system' is not supported on this model";
const FIRST: &str = "use the top-level 'system' parameter for the initial system prompt; the directive-only form (content: [] with output_config) is accepted at any position";
const BEFORE: &str = "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; the directive-only form (content: [] with output_config) is accepted at any position";
const AFTER: &str = "role 'system' must precede an 'assistant' message or end the array; the directive-only form (content: [] with output_config) is accepted at any position";
const USER_FIRST: &str = "messages: first message must use the \"user\" role";
const PREFILL: &str = "This model does not support assistant message prefill. The conversation must end with a user message.";
const PREFILL_THINKING: &str =
    "Prefilling assistant messages is not supported when `thinking` is enabled.";

pub(super) const RULES: [Rule; 9] = [
    Rule {
        name: "no-messages",
        status: 400,
        when: "There is no message.",
        words: NONE,
        evidence: Evidence::Quoted,
        source: "E6; public code 69018460521, a live probe saw the refusal",
        check: none,
    },
    Rule {
        name: "system-role",
        status: 400,
        when: "Instructions stand among the messages, but the model takes none there (switch system_messages).",
        words: "role 'system' is not supported on this model\nmessages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.",
        evidence: Evidence::Seen,
        source: "S1; public code 59081579365, 66368718313",
        check: unsupported,
    },
    Rule {
        name: "system-first",
        status: 400,
        when: "The conversation begins with instructions.",
        words: "messages.{n}: use the top-level 'system' parameter for the initial system prompt; the directive-only form (content: [] with output_config) is accepted at any position",
        evidence: Evidence::Seen,
        source: "S2a; public code 60088232995, live probe 58022668595",
        check: |request, findings| misplaced(request, findings, Place::First),
    },
    Rule {
        name: "system-after-assistant",
        status: 400,
        when: "Instructions follow the assistant's words.",
        words: "messages.{n}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; the directive-only form (content: [] with output_config) is accepted at any position",
        evidence: Evidence::Seen,
        source: "S2b; live probe 69439831363",
        check: |request, findings| misplaced(request, findings, Place::Before),
    },
    Rule {
        name: "system-before-user",
        status: 400,
        when: "The user's words follow instructions.",
        words: "messages.{n}: role 'system' must precede an 'assistant' message or end the array; the directive-only form (content: [] with output_config) is accepted at any position",
        evidence: Evidence::Seen,
        source: "S2c; live probes 69439831363, 71076783717",
        check: |request, findings| misplaced(request, findings, Place::After),
    },
    Rule {
        name: "assistant-first",
        status: 400,
        when: "The assistant speaks first (only with the switch alternation).",
        words: USER_FIRST,
        evidence: Evidence::Seen,
        source: "S3; public code 1912132180, accepted since 2026-09",
        check: user_first,
    },
    Rule {
        name: "roles-alternate",
        status: 400,
        when: "One speaker has two messages in a row (only with the switch alternation).",
        words: "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row",
        evidence: Evidence::Quoted,
        source: "S4; public code 54712894057, accepted since 2026-09",
        check: alternate,
    },
    Rule {
        name: "prefill",
        status: 400,
        when: "The conversation ends with the assistant's words on a model from 4.6 on (switch prefill).",
        words: PREFILL,
        evidence: Evidence::Documented,
        source: "S5; documentation of errors",
        check: prefill,
    },
    Rule {
        name: "prefill-while-thinking",
        status: 400,
        when: "The conversation ends with the assistant's words while the model thinks.",
        words: PREFILL_THINKING,
        evidence: Evidence::Inferred,
        source: "S6; documentation of thinking",
        check: prefill_thinking,
    },
];
