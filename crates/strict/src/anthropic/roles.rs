//! Rules about the order of roles, and about the blocks that each role may send.

use serde_json::Value;

use super::blocks::SINGLE_ROLE_BLOCKS;
use super::profile::{ThinkingMode, profile, thinking_mode};
use super::view::{self, Block, messages};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::{CheckContext, Request};

pub(super) fn no_messages(request: &Request<'_>, cx: &mut CheckContext) {
    if request.body.field("messages").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        cx.reject("messages", cx.message());
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

pub(super) fn system_role(request: &Request<'_>, cx: &mut CheckContext) {
    let message = match request.switches.system_messages {
        Some(true) => return,
        Some(false) => cx.case("unexpected-system"),
        None if profile(request.model).system_messages => return,
        None => cx.case("unsupported-system"),
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

pub(super) fn assistant_first(request: &Request<'_>, cx: &mut CheckContext) {
    let first = messages(request.body).first().map(|message| str_field(message, "role"));
    if request.switches.alternation == Some(true) && first == Some("assistant") {
        cx.reject("messages.0.role", cx.message());
    }
}

pub(super) fn roles_alternate(request: &Request<'_>, cx: &mut CheckContext) {
    if request.switches.alternation != Some(true) {
        return;
    }
    let all = messages(request.body);
    for (at, pair) in all.windows(2).enumerate() {
        let role = str_field(&pair[0], "role");
        if role == str_field(&pair[1], "role") && role != "system" {
            cx.reject_filled(format!("messages.{}.role", at + 1), &[("role", &role)]);
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

pub(super) fn prefill(request: &Request<'_>, cx: &mut CheckContext) {
    if let Some(at) = prefill_index(request.body).filter(|_| !allows_prefill(request)) {
        cx.reject(format!("messages.{at}"), cx.message());
    }
}

pub(super) fn prefill_while_thinking(request: &Request<'_>, cx: &mut CheckContext) {
    let is_thinking =
        matches!(thinking_mode(request), ThinkingMode::Manual | ThinkingMode::Adaptive);
    if let Some(at) = prefill_index(request.body).filter(|_| is_thinking && allows_prefill(request))
    {
        let has_calls = array_field(&messages(request.body)[at], "content")
            .iter()
            .any(|block| str_field(block, "type") == "tool_use");
        // A call without a result violates another rule.
        if !has_calls {
            cx.reject(format!("messages.{at}"), cx.message());
        }
    }
}

const SYSTEM_FIRST_ERROR: &str = "use the top-level 'system' parameter for the initial system prompt; the directive-only form (content: [] with output_config) is accepted at any position";
const SYSTEM_AFTER_ASSISTANT_ERROR: &str = "role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result; the directive-only form (content: [] with output_config) is accepted at any position";
const SYSTEM_BEFORE_USER_ERROR: &str = "role 'system' must precede an 'assistant' message or end the array; the directive-only form (content: [] with output_config) is accepted at any position";

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

pub(super) fn thinking_from_user(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        if block.is_thinking() && block.role == "user" {
            cx.reject_filled(block.path(), &[("n", &block.message_index)]);
        }
    }
}

pub(super) fn block_from_other_side(request: &Request<'_>, cx: &mut CheckContext) {
    for block in view::blocks(request.body) {
        if let Some((role, _)) =
            SINGLE_ROLE_BLOCKS.iter().find(|(_, kinds)| kinds.contains(&block.block_type()))
        {
            reject_wrong_role(&block, cx, role);
        }
    }
}

pub(super) fn system_first(request: &Request<'_>, cx: &mut CheckContext) {
    reject_misplaced_system(request, cx, SystemPosition::First);
}

pub(super) fn system_after_assistant(request: &Request<'_>, cx: &mut CheckContext) {
    reject_misplaced_system(request, cx, SystemPosition::Before);
}

pub(super) fn system_before_user(request: &Request<'_>, cx: &mut CheckContext) {
    reject_misplaced_system(request, cx, SystemPosition::After);
}

pub(super) fn result_from_assistant(request: &Request<'_>, cx: &mut CheckContext) {
    reject_outside_role(request, cx, "tool_result", "user");
}

pub(super) fn call_from_user(request: &Request<'_>, cx: &mut CheckContext) {
    reject_outside_role(request, cx, "tool_use", "assistant");
}
