//! Rules about the order of roles, and about the blocks that each role may send.

use serde_json::Value;

use super::blocks::SINGLE_ROLE_BLOCKS;
use super::profile::{ThinkingMode, profile, thinking_mode};
use super::view::{self, Block, messages};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Evidence, Request, Rule};

fn no_messages(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("messages").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        cx.reject("messages", NO_MESSAGES_ERROR);
    }
}

/// Messages with role system and their index.
fn system_messages(body: &Value) -> impl Iterator<Item = (usize, &Value)> {
    messages(body).iter().enumerate().filter(|(_, message)| str_field(message, "role") == "system")
}

pub(super) fn is_directive(message: &Value) -> bool {
    str_field(message, "role") == "system"
        && message.field("content").and_then(Value::as_array).is_some_and(Vec::is_empty)
        && message.field("output_config").is_some()
}

fn system_role(request: &Request<'_>, cx: &mut CheckContext) {
    let message = match request.switches.system_messages {
        Some(true) => return,
        Some(false) => UNEXPECTED_SYSTEM_ERROR,
        None if profile(request.model).system_messages => return,
        None => UNSUPPORTED_SYSTEM_ERROR,
    };
    for (at, _) in system_messages(request.body) {
        cx.reject(format!("messages.{at}.role"), message);
    }
}

fn reject_misplaced_system(request: &Request<'_>, cx: &mut CheckContext, position: SystemPosition) {
    let all_messages = messages(request.body);
    let is_not_system = |message: &&Value| str_field(message, "role") != "system";
    for (at, _) in system_messages(request.body).filter(|(_, message)| !is_directive(message)) {
        let previous = all_messages[..at].iter().rev().find(is_not_system);
        let next = all_messages[at + 1..].iter().find(is_not_system);
        let is_misplaced = match position {
            SystemPosition::First => previous.is_none(),
            SystemPosition::Before => previous.is_some_and(|message| !may_precede_system(message)),
            SystemPosition::After => {
                next.is_some_and(|message| str_field(message, "role") != "assistant")
            }
        };
        if is_misplaced {
            let path = format!("messages.{at}");
            let error_message = format!("{path}: {}", position.error_message());
            cx.reject(path, error_message);
        }
    }
}

/// Whether this is a user message, or an assistant message that ends in a server tool's result.
fn may_precede_system(message: &Value) -> bool {
    let last = view::message_blocks(message, 0).last();
    str_field(message, "role") == "user" || last.is_some_and(|block| block.is_server_result())
}

#[derive(Clone, Copy)]
enum SystemPosition {
    First,
    Before,
    After,
}

impl SystemPosition {
    fn error_message(self) -> &'static str {
        match self {
            Self::First => SYSTEM_FIRST_ERROR,
            Self::Before => SYSTEM_AFTER_ASSISTANT_ERROR,
            Self::After => SYSTEM_BEFORE_USER_ERROR,
        }
    }
}

fn assistant_first(request: &Request<'_>, cx: &mut CheckContext) {
    let first = messages(request.body).first().map(|message| str_field(message, "role"));
    if request.switches.alternation == Some(true) && first == Some("assistant") {
        cx.reject("messages.0.role", ASSISTANT_FIRST_ERROR);
    }
}

fn roles_alternate(request: &Request<'_>, cx: &mut CheckContext) {
    if request.switches.alternation != Some(true) {
        return;
    }
    let all = messages(request.body);
    for (at, pair) in all.windows(2).enumerate() {
        let role = str_field(&pair[0], "role");
        if role == str_field(&pair[1], "role") && role != "system" {
            let message = format!(
                "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row"
            );
            cx.reject(format!("messages.{}.role", at + 1), message);
        }
    }
}

/// The index of a final assistant message that the model is to continue. A turn that was paused by
/// a server tool is not a prefill.
pub(super) fn prefill_index(body: &Value) -> Option<usize> {
    let all = messages(body);
    let at = all.iter().rposition(|message| str_field(message, "role") != "system")?;
    let is_paused = view::message_blocks(&all[at], at)
        .last()
        .is_some_and(|block| block.is_type("server_tool_use") || block.is_server_result());
    (str_field(&all[at], "role") == "assistant" && !is_paused).then_some(at)
}

/// Whether the conversation may end with an assistant message.
pub(super) fn allows_prefill(request: &Request<'_>) -> bool {
    request.switches.prefill.unwrap_or(profile(request.model).prefill)
}

fn prefill(request: &Request<'_>, cx: &mut CheckContext) {
    if let Some(at) = prefill_index(request.body).filter(|_| !allows_prefill(request)) {
        cx.reject(format!("messages.{at}"), PREFILL_ERROR);
    }
}

fn prefill_while_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let is_thinking =
        matches!(thinking_mode(request), ThinkingMode::Manual | ThinkingMode::Adaptive);
    if let Some(at) = prefill_index(request.body).filter(|_| is_thinking && allows_prefill(request))
    {
        let has_calls = array_field(&messages(request.body)[at], "content")
            .iter()
            .any(|block| str_field(block, "type") == "tool_use");
        // A call without a result violates another rule.
        if !has_calls {
            cx.reject(format!("messages.{at}"), PREFILL_WHILE_THINKING_ERROR);
        }
    }
}

const NO_MESSAGES_ERROR: &str = "messages: at least one message is required";
const UNEXPECTED_SYSTEM_ERROR: &str = "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.";
const UNSUPPORTED_SYSTEM_ERROR: &str = "role 'system' is not supported on this model";
const SYSTEM_FIRST_ERROR: &str = "use the top-level 'system' parameter for the initial system prompt; the directive-only form (content: [] with output_config) is accepted at any position";
const SYSTEM_AFTER_ASSISTANT_ERROR: &str = "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; the directive-only form (content: [] with output_config) is accepted at any position";
const SYSTEM_BEFORE_USER_ERROR: &str = "role 'system' must precede an 'assistant' message or end the array; the directive-only form (content: [] with output_config) is accepted at any position";
const ASSISTANT_FIRST_ERROR: &str = "messages: first message must use the \"user\" role";
const PREFILL_ERROR: &str = "This model does not support assistant message prefill. The conversation must end with a user message.";
const PREFILL_WHILE_THINKING_ERROR: &str =
    "Prefilling assistant messages is not supported when `thinking` is enabled.";

/// Rejects blocks of a type outside messages of `role`.
fn reject_outside_role(request: &Request<'_>, cx: &mut CheckContext, kind: &str, role: &str) {
    view::blocks(request.body)
        .filter(|block| block.is_type(kind))
        .for_each(|block| reject_wrong_role(&block, cx, role));
}

fn reject_wrong_role(block: &Block<'_>, cx: &mut CheckContext, role: &str) {
    if block.role != role && block.role != "system" {
        let (at, kind) = (block.message_index, block.block_type());
        let message = format!("messages.{at}: `{kind}` blocks can only be in `{role}` messages");
        cx.reject(block.path(), message);
    }
}

fn thinking_from_user(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        if block.is_thinking() && block.role == "user" {
            let message = format!(
                "messages.{}.content: thinking blocks may only be in `assistant` messages",
                block.message_index
            );
            cx.reject(block.path(), message);
        }
    }
}

fn block_from_other_side(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        if let Some((role, _)) =
            SINGLE_ROLE_BLOCKS.iter().find(|(_, kinds)| kinds.contains(&block.block_type()))
        {
            reject_wrong_role(&block, cx, role);
        }
    }
}

pub(super) const RULES: [Rule; 13] = [
    Rule {
        name: "no-messages",
        status: 400,
        condition: "There are no messages.",
        error_message: NO_MESSAGES_ERROR,
        evidence: Evidence::Quoted,
        source: "E6; public code 69018460521, a live probe was rejected",
        check: no_messages,
    },
    Rule {
        name: "system-role",
        status: 400,
        condition: "The messages contain a system message, which the model does not support (switch system_messages).",
        error_message: "role 'system' is not supported on this model\nmessages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.",
        evidence: Evidence::Observed,
        source: "S1; public code 59081579365, 66368718313",
        check: system_role,
    },
    Rule {
        name: "system-first",
        status: 400,
        condition: "The conversation begins with a system message.",
        error_message: "messages.{n}: use the top-level 'system' parameter for the initial system prompt; the directive-only form (content: [] with output_config) is accepted at any position",
        evidence: Evidence::Observed,
        source: "S2a; public code 60088232995, live probe 58022668595",
        check: |request, cx| reject_misplaced_system(request, cx, SystemPosition::First),
    },
    Rule {
        name: "system-after-assistant",
        status: 400,
        condition: "A system message follows an assistant message.",
        error_message: "messages.{n}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; the directive-only form (content: [] with output_config) is accepted at any position",
        evidence: Evidence::Observed,
        source: "S2b; live probe 69439831363",
        check: |request, cx| reject_misplaced_system(request, cx, SystemPosition::Before),
    },
    Rule {
        name: "system-before-user",
        status: 400,
        condition: "A user message follows a system message.",
        error_message: "messages.{n}: role 'system' must precede an 'assistant' message or end the array; the directive-only form (content: [] with output_config) is accepted at any position",
        evidence: Evidence::Observed,
        source: "S2c; live probes 69439831363, 71076783717",
        check: |request, cx| reject_misplaced_system(request, cx, SystemPosition::After),
    },
    Rule {
        name: "assistant-first",
        status: 400,
        condition: "The first message is the assistant's (only with the switch alternation).",
        error_message: ASSISTANT_FIRST_ERROR,
        evidence: Evidence::Observed,
        source: "S3; public code 1912132180, accepted since 2026-09",
        check: assistant_first,
    },
    Rule {
        name: "roles-alternate",
        status: 400,
        condition: "Two consecutive messages have the same role (only with the switch alternation).",
        error_message: "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row",
        evidence: Evidence::Quoted,
        source: "S4; public code 54712894057, accepted since 2026-09",
        check: roles_alternate,
    },
    Rule {
        name: "prefill",
        status: 400,
        condition: "The conversation ends with an assistant message on a model from 4.6 on (switch prefill).",
        error_message: PREFILL_ERROR,
        evidence: Evidence::Documented,
        source: "S5; documentation of errors",
        check: prefill,
    },
    Rule {
        name: "prefill-while-thinking",
        status: 400,
        condition: "The conversation ends with an assistant message while the model thinks.",
        error_message: PREFILL_WHILE_THINKING_ERROR,
        evidence: Evidence::Inferred,
        source: "S6; documentation of thinking",
        check: prefill_while_thinking,
    },
    Rule {
        name: "result-from-assistant",
        status: 400,
        condition: "A tool result is in an assistant message.",
        error_message: "messages.{n}: `tool_result` blocks can only be in `user` messages",
        evidence: Evidence::Observed,
        source: "T5; live probe 58022668595",
        check: |request, cx| reject_outside_role(request, cx, "tool_result", "user"),
    },
    Rule {
        name: "call-from-user",
        status: 400,
        condition: "A tool call is in a user message.",
        error_message: "messages.{n}: `tool_use` blocks can only be in `assistant` messages",
        evidence: Evidence::Quoted,
        source: "T6; public code 69018460521",
        check: |request, cx| reject_outside_role(request, cx, "tool_use", "assistant"),
    },
    Rule {
        name: "thinking-from-user",
        status: 400,
        condition: "Thinking is in a user message.",
        error_message: "messages.{n}.content: thinking blocks may only be in `assistant` messages",
        evidence: Evidence::Quoted,
        source: "K18; public code 69018460521",
        check: thinking_from_user,
    },
    Rule {
        name: "block-from-other-side",
        status: 400,
        condition: "A block type is in a message of the wrong role, such as an image in an assistant message.",
        error_message: "messages.{n}: `{type}` blocks can only be in `{role}` messages",
        evidence: Evidence::Inferred,
        source: "accepted positions of blocks, in the form of T5",
        check: block_from_other_side,
    },
];
