//! Where an open tool loop does not begin with thinking, thinking is turned off until it ends.
//!
//! With a budget, some models want the thinking that led to a call to come back with it. Where it got lost,
//! or another model made the call, the request goes without thinking rather than be refused.
//!
//! ## Why
//! > messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When
//! > `thinking` is enabled, a final `assistant` message must start with a thinking block.
//!
//! ## Example
//! ```text
//! before   thinking: a budget of 4000   assistant: call 1   user: result 1
//! after    thinking: off                assistant: call 1   user: result 1
//! ```

use interlingua_model::{Role, Turn};

use super::forced_while_thinking::turn_off;
use super::missing_reasoning;
use crate::Work;
use crate::profile::thinking::{Asked, asked};
use crate::thoughts::{is_thinking, is_users, open_loop};

pub fn apply(work: &mut Work<'_>) {
    work.begin("missing-reasoning");
    missing_reasoning::echo(work);
    work.begin("missing-thinking");
    if !work.profile.thinking.opens_loop || asked(&work.conversation().settings) != Asked::Budget {
        return;
    }
    let (open, turns) = (open_loop(work), work.turns());
    let assistants = |turn: &Turn| turn.role == Role::Assistant && work.is_spoken(turn);
    let speaks = |at: &usize| assistants(&turns[*at]) || is_users(work, *at);
    let last = (open..turns.len()).rev().find(speaks);
    let ends_in_results = last.is_some_and(|at| turns[at].role != Role::Assistant);
    let said = turns[open..].iter().filter(|turn| assistants(turn));
    let first = said.flat_map(|turn| &turn.blocks).find(|block| work.is_said(block));
    if ends_in_results && first.is_some_and(|block| !is_thinking(block)) {
        turn_off(work, "thinking is off for this request: the open calls lack theirs");
    }
}
