//! Turns reasoning off, for example because the request forces a call.

use interlingua_model::{LedgerPath, ReasoningMode};
use interlingua_providers::profile::settings::ForcedCall;

use crate::edit::tool_choice::remove_written_choice;
use crate::engine::Work;
use crate::profile::reasoning::{ReasoningRequest, reasoning_request};
use crate::query::tool_choice::{self, is_forced};

/// Turns reasoning off if the target accepts no forced call beside it.
pub(crate) fn turn_off_for_forced_call(work: &mut Work<'_>) {
    let settings = &work.conversation().settings;
    if settings.tool_choice.is_none() && is_unreadable_choice_forcing(work) {
        remove_written_choice(work);
        return work
            .record_loss(LedgerPath::SETTINGS, "left out a tool choice that cannot be decoded");
    }
    let is_object = work.is_same_dialect() && tool_choice::is_written_as_object(work);
    // A string that is no known choice forces nothing.
    let is_unknown_word = work.is_same_dialect()
        && tool_choice::written_choice_string(work).is_some_and(|word| word != "required");
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

/// As the rule `forced-while-thinking`, once it is known how the tools are encoded: tools of the legacy list may be
/// encoded in the current form, and the choice with them.
pub(crate) fn recheck_forced_call(work: &mut Work<'_>) {
    let (conversation, dialect) = (work.conversation(), work.profile.dialect);
    let is_reencoded =
        !conversation.tools.is_empty() && conversation.tools.text_for(dialect).is_none();
    if is_reencoded && is_choice_ignored(work) {
        turn_off_for_forced_call(work);
    }
}

/// Whether the choice is in the legacy form and the target ignores it.
pub(crate) fn is_choice_ignored(work: &Work<'_>) -> bool {
    tool_choice::uses_legacy_choice(work) && !work.profile.settings.tool_choice.reads_legacy_choice
}

/// Whether the choice is an object that cannot be decoded and that the target treats as forced.
fn is_unreadable_choice_forcing(work: &Work<'_>) -> bool {
    work.profile.settings.tool_choice.forced_call == ForcedCall::NoObjectWhileReasoning
        && work.is_same_dialect()
        && tool_choice::is_written_as_object(work)
        && work.is_reasoning_enabled()
}

/// Turns reasoning off and records `message` in the ledger.
pub(crate) fn turn_off_reasoning(work: &mut Work<'_>, message: &'static str) {
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
