//! Rules about blocks in messages of the wrong role.

use super::blocks::SINGLE_ROLE_BLOCKS;
use super::view::{self, Block};
use crate::{CheckContext, Evidence, Request, Rule};

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

pub(super) const RULES: [Rule; 4] = [
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
