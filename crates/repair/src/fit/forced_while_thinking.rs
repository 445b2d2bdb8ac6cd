//! Turns reasoning off for a request that forces a tool call.
//!
//! Some models do not support both. The client depends on the forced call, for example for an
//! answer in a given format; reasoning is only how the model gets there.
//!
//! ## Why
//! > Thinking may not be enabled when tool_choice forces tool use.
//!
//! > Thinking mode does not support this tool_choice
//!
//! ## Example
//! ```text
//! before   choice: call `answer`   thinking: a budget of 2000
//! after    choice: call `answer`   thinking: off
//! ```

use interlingua_model::{LedgerPath, ReasoningMode};

use super::tool_choice::is_forced;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::profile::settings::ForcedCall;
use crate::{Work, offer};

pub fn apply(work: &mut Work<'_>) {
    if is_choice_ignored(work) {
        return;
    }
    check_forced_call(work);
}

fn check_forced_call(work: &mut Work<'_>) {
    let settings = &work.conversation().settings;
    if settings.tool_choice.is_none() && is_unreadable_choice_forcing(work) {
        offer::remove_written_choice(work);
        return work
            .record_loss(LedgerPath::SETTINGS, "left out a tool choice that cannot be decoded");
    }
    let is_object = work.is_same_dialect() && offer::is_written_as_object(work);
    // A string that is no known choice forces nothing.
    let is_unknown_word = work.is_same_dialect()
        && offer::written_choice_string(work).is_some_and(|word| word != "required");
    let is_forced_call = settings.tool_choice.as_ref().is_some_and(is_forced) && !is_unknown_word;
    let is_rejected = match work.profile.settings.tool_choice.forced_call {
        ForcedCall::NotWithBudget => {
            is_forced_call && reasoning_request(settings) == ReasoningRequest::Budget
        }
        // The target treats every object as a forced call.
        ForcedCall::NoObjectWhileReasoning => {
            (is_forced_call || is_object) && work.is_reasoning_enabled()
        }
        ForcedCall::NotForcedWhileReasoning => is_forced_call && work.is_reasoning_enabled(),
        ForcedCall::Allowed | ForcedCall::NamedOnly | ForcedCall::Never => false,
    };
    if is_rejected {
        turn_off_reasoning(work, "reasoning is off for this request: it forces a call");
    }
}

/// As [`apply`], once it is known how the tools are encoded: tools of the legacy list may be
/// encoded in the current form, and the choice with them.
pub(super) fn recheck(work: &mut Work<'_>) {
    let (conversation, dialect) = (work.conversation(), work.profile.dialect);
    let is_reencoded =
        !conversation.tools.is_empty() && conversation.tools.text_for(dialect).is_none();
    if is_reencoded && is_choice_ignored(work) {
        check_forced_call(work);
    }
}

/// Whether the choice is in the legacy form and the target ignores it.
fn is_choice_ignored(work: &Work<'_>) -> bool {
    offer::uses_legacy_choice(work) && !work.profile.settings.tool_choice.reads_legacy_choice
}

/// Whether the choice is an object that cannot be decoded and that the target treats as forced.
fn is_unreadable_choice_forcing(work: &Work<'_>) -> bool {
    work.profile.settings.tool_choice.forced_call == ForcedCall::NoObjectWhileReasoning
        && work.is_same_dialect()
        && offer::is_written_as_object(work)
        && work.is_reasoning_enabled()
}

/// Turns reasoning off and records `message` in the ledger.
pub fn turn_off_reasoning(work: &mut Work<'_>, message: &'static str) {
    if work.is_same_dialect() {
        let ignored = work.profile.reasoning.ignored_fields;
        work.edit_top_level_fields().retain(|field| !ignored.contains(&&*field.key.unescape()));
    }
    let reasoning = work.edit_settings().reasoning.get_or_insert_default();
    reasoning.mode = Some(ReasoningMode::Off);
    reasoning.budget_tokens = None;
    reasoning.effort = None;
    reasoning.display = None;
    work.record_change(LedgerPath::SETTINGS, message);
}
