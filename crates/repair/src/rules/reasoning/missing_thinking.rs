//! Turns reasoning off where an open tool loop does not start with reasoning.
//!
//! With a reasoning budget, some models require the reasoning that led to a call. Where it was lost,
//! or another model made the call, reasoning is off until the loop ends, because the request would
//! be rejected.
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

use crate::edit::empty_reasoning;
use crate::edit::reasoning_settings::turn_off_reasoning;
use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::query::reasoning::{counts_as_user, open_tool_loop_start};
use crate::values::block::is_reasoning_block;

pub(super) fn apply(work: &mut Work<'_>) {
    work.set_rule("missing-reasoning");
    empty_reasoning::add_empty_reasoning(work);
    work.set_rule("missing-thinking");
    if !work.profile.reasoning.must_open_loop
        || reasoning_request(&work.conversation().settings) != ReasoningRequest::Budget
    {
        return;
    }
    let (open, turns) = (open_tool_loop_start(work), work.turns());
    let is_assistant_turn =
        |turn: &Turn| turn.role == Role::Assistant && work.is_turn_encoded(turn);
    let counts = |at: &usize| is_assistant_turn(&turns[*at]) || counts_as_user(work, *at);
    let last = (open..turns.len()).rev().find(counts);
    let ends_in_results = last.is_some_and(|at| turns[at].role != Role::Assistant);
    let assistant_turns = turns[open..].iter().filter(|turn| is_assistant_turn(turn));
    let first = assistant_turns.flat_map(|turn| &turn.blocks).find(|block| work.is_encoded(block));
    if ends_in_results && first.is_some_and(|block| !is_reasoning_block(block)) {
        turn_off_reasoning(
            work,
            "reasoning is off for this request: the open calls lack their reasoning",
        );
    }
}
