//! Adds empty reasoning to calls that lost their reasoning, or turns reasoning off.
//!
//! Some providers require the reasoning of a reply with tool calls in later requests. Where it was
//! lost, or another model made the call, empty reasoning is sent if the provider accepts that;
//! otherwise reasoning is turned off for this request.
//!
//! ## Why
//! > The `reasoning_content` in the thinking mode must be passed back to the API.
//!
//! > thinking is enabled but reasoning_content is missing in assistant tool call message at index 2
//!
//! ## Example
//! ```text
//! before   assistant: call 1
//! after    assistant: reasoning "", call 1
//! ```

use interlingua_model::LedgerPath;
use interlingua_providers::profile::reasoning::ReasoningEcho;

use crate::edit::empty_reasoning::{
    answer_ranges, has_calls, has_reasoning, has_stray_calls, insert_empty_reasoning, is_call,
    rewrite_reasoning_field,
};
use crate::edit::reasoning_settings::{self, turn_off_reasoning};
use crate::engine::Work;
use crate::query::reasoning;

pub(super) fn apply(work: &mut Work<'_>) {
    work.set_rule("forced-while-thinking");
    reasoning_settings::recheck_forced_call(work);
    work.set_rule("missing-reasoning");
    let reasoning = &work.profile.reasoning;
    if reasoning.echo == ReasoningEcho::NotRequired || !work.is_reasoning_enabled() {
        return;
    }
    if reasoning.echo == ReasoningEcho::NonEmpty {
        remove_stray_calls(work);
        return require_reasoning(work);
    }
    if reasoning.echo == ReasoningEcho::WithCallsMayBeEmpty {
        add_before_calls(work);
    }
}

/// Adds empty reasoning before the calls of assistant runs that have none.
fn add_before_calls(work: &mut Work<'_>) {
    for run in reasoning::assistant_runs(work).into_iter().rev() {
        let turns = &work.turns()[run.clone()];
        let Some(calls) = turns.iter().position(|turn| has_calls(turn)) else { continue };
        if !turns.iter().any(|turn| has_reasoning(turn, true)) {
            insert_empty_reasoning(work, run.start + calls);
        }
    }
}

/// Removes calls in messages that are not the assistant's: no reasoning led to them.
fn remove_stray_calls(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        if has_stray_calls(work, turn) {
            work.record_loss(
                LedgerPath::turn(turn),
                "left out calls in a message that is not the assistant's",
            );
            work.edit_turn(turn).extras.retain(dialect, |key, value| !is_call(key, value));
        }
    }
}

/// Turns reasoning off if a reply with calls lacks reasoning. Reasoning fields are rewritten in
/// either case, so that a later reply without reasoning changes nothing before it.
fn require_reasoning(work: &mut Work<'_>) {
    let all = 0..work.turns().len();
    let mut missing = false;
    for reply in answer_ranges(work, &reasoning::assistant_runs(work), &all) {
        let turns = &work.turns()[reply.clone()];
        if turns.iter().any(|turn| has_calls(turn)) {
            missing |= !turns.iter().any(|turn| has_reasoning(turn, false));
            rewrite_reasoning_field(work, reply);
        }
    }
    if missing {
        turn_off_reasoning(work, "reasoning is off for this request: calls lack their reasoning");
    }
}
