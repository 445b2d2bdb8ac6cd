//! Removes a tool choice that the target cannot follow, so that the model decides.
//!
//! Without tools there is nothing to choose; a tool that is not declared cannot be called; and some
//! models cannot be forced to call one. A choice in the form of another API is rewritten. That no
//! tool may be called is added to the instructions where the target has no setting for it.
//!
//! ## Why
//! > tool_choice may only be specified while providing tools.
//!
//! > Tool choice 'read' not found in 'tools' parameter.
//!
//! > Invalid value for 'tool_choice': no function named 'read' was specified in the 'tools' parameter.
//!
//! > tool_choice: type "tool" and "any" are not supported for this model.
//!
//! > Missing required parameter: 'tool_choice.function'.
//!
//! ## Example
//! ```text
//! before   no tools   choice: call any
//! after    no tools
//! ```

use interlingua_model::{LedgerPath, ToolChoice};
use interlingua_wire::JsonString;

use crate::profile::settings::{ChoiceWithoutTools, ForcedCall};
use crate::{Work, offer};

pub fn apply(work: &mut Work<'_>) {
    fix_choice(work);
    let is_none = work.conversation().settings.tool_choice == Some(ToolChoice::None);
    if is_none
        && !work.profile.tools.supports_choice_none
        && !work.is_same_dialect()
        && offer::has_tools(work)
    {
        work.edit_settings().tool_choice = None;
        work.append_instruction(JsonString::from_static(NO_CALLS_INSTRUCTION));
        work.record_change(
            LedgerPath::SYSTEM,
            "forbade tool calls in the instructions: the target has no setting for it",
        );
    }
}

fn fix_choice(work: &mut Work<'_>) {
    let support = &work.profile.settings.tool_choice;
    if support.without_tools != ChoiceWithoutTools::Any
        && offer::has_written_choice(work)
        && offer::offers_legacy_functions(work)
    {
        work.edit_tools();
        work.record_change(
            LedgerPath::SETTINGS,
            "converted legacy functions to tools: the choice requires it",
        );
    }
    drop_unused_legacy_choice(work);
    let is_legacy = offer::uses_legacy_choice(work);
    if is_legacy && !support.reads_legacy_choice {
        return;
    }
    if support.names_must_exist && fix_unknown_names(work) {
        return;
    }
    let Some(choice) = &work.conversation().settings.tool_choice else {
        return drop_unreadable(work);
    };
    let has_tools = if is_legacy { offer::has_legacy_tools(work) } else { offer::has_tools(work) };
    if !has_tools && is_invalid_without_tools(work, choice) {
        work.edit_settings().tool_choice = None;
        return work
            .record_change(LedgerPath::SETTINGS, "left out the tool choice: there are no tools");
    }
    if let ToolChoice::Allowed { names, .. } = choice
        && !work.is_same_dialect()
        && !names.iter().any(|name| offer::has_tool_named(work, name))
    {
        work.edit_settings().tool_choice = Some(ToolChoice::None);
        return work.record_change(
            LedgerPath::SETTINGS,
            "no tool may be called: none of the allowed tools is declared",
        );
    }
    if let ToolChoice::Named(name) = choice
        && !offer::has_tool_named(work, name)
        && (support.single_name_must_exist
            && (offer::names_function(work) || is_unsupported_object(work))
            || !support.by_name
            || support.ascii_names && !is_ascii_name(&name.unescape())
            || !work.is_same_dialect())
    {
        work.edit_settings().tool_choice = None;
        return work.record_loss(
            LedgerPath::SETTINGS,
            "left out a tool choice that names no declared tool",
        );
    }
    if let Some(unforced) = unforced_choice(support.forced_call, choice) {
        work.edit_settings().tool_choice = Some(unforced);
        let message = "a call cannot be forced: the model decides";
        return work.record_loss(LedgerPath::SETTINGS, message);
    }
    let names_tools = matches!(choice, ToolChoice::Named(_) | ToolChoice::Allowed { .. });
    rewrite_choice(work, names_tools);
}

/// The choice that leaves the call to the model, if the target rejects this forced one.
fn unforced_choice(support: ForcedCall, choice: &ToolChoice) -> Option<ToolChoice> {
    let is_rejected = match support {
        ForcedCall::Never => is_forced(choice),
        ForcedCall::NamedOnly => {
            matches!(choice, ToolChoice::Required | ToolChoice::Allowed { required: true, .. })
        }
        ForcedCall::Allowed
        | ForcedCall::NotWithBudget
        | ForcedCall::NoObjectWhileReasoning
        | ForcedCall::NotForcedWhileReasoning => false,
    };
    is_rejected.then(|| match choice {
        ToolChoice::Allowed { names, .. } => {
            ToolChoice::Allowed { names: names.clone(), required: false }
        }
        ToolChoice::Auto | ToolChoice::None | ToolChoice::Required | ToolChoice::Named(_) => {
            ToolChoice::Auto
        }
    })
}

/// Removes a legacy choice that has no effect: it cannot be decoded, or another choice replaces it.
fn drop_unused_legacy_choice(work: &mut Work<'_>) {
    let support = &work.profile.settings.tool_choice;
    let is_unused =
        !offer::uses_legacy_choice(work) || work.conversation().settings.tool_choice.is_none();
    if support.reads_legacy_choice
        && is_unused
        && offer::has_legacy_choice(work)
        && !offer::has_legacy_tools(work)
    {
        offer::remove_legacy_choice(work);
        work.record_change(
            LedgerPath::SETTINGS,
            "left out the function choice: there are no functions",
        );
    }
}

/// Writes the choice in a form that the target reads.
fn rewrite_choice(work: &mut Work<'_>, names_tools: bool) {
    let support = &work.profile.settings.tool_choice;
    let is_object = offer::is_written_as_object(work);
    if (names_tools || is_object)
        && !support.by_name
        && work.is_same_dialect()
        && offer::remove_written_choice(work)
    {
        let message = if names_tools {
            "a tool choice cannot name a tool: only the chosen tools are sent"
        } else {
            "the tool choice is sent as a string"
        };
        work.record_change(LedgerPath::SETTINGS, message);
        if names_tools {
            // The list of tools is encoded again.
            work.edit_tools();
        }
    } else if is_unsupported_object(work) && offer::remove_written_choice(work) {
        work.record_change(LedgerPath::SETTINGS, "rewrote the tool choice in the target's form");
        work.edit_tools();
    }
}

/// Whether the choice is an object in a form that the target does not read.
fn is_unsupported_object(work: &Work<'_>) -> bool {
    work.profile
        .settings
        .tool_choice
        .nested_function
        .is_some_and(|types| offer::is_flat_object(work, types))
}

/// Removes a choice that cannot be decoded where the target would reject it.
pub(crate) fn drop_unreadable(work: &mut Work<'_>) {
    let support = &work.profile.settings.tool_choice;
    if !offer::has_written_choice(work) {
        return;
    }
    let needs_tools = matches!(
        support.without_tools,
        ChoiceWithoutTools::Rejected | ChoiceWithoutTools::OnlyNone
    );
    if needs_tools && !offer::has_tools(work) {
        offer::remove_written_choice(work);
        work.record_change(LedgerPath::SETTINGS, "left out the tool choice: there are no tools");
    } else if !support.by_name && offer::is_written_as_object(work) || is_unsupported_object(work) {
        offer::remove_written_choice(work);
        work.record_change(LedgerPath::SETTINGS, "left out a tool choice that cannot be decoded");
    }
}

fn is_ascii_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_allowed)
}

/// Whether the choice forces a call.
pub fn is_forced(choice: &ToolChoice) -> bool {
    matches!(
        choice,
        ToolChoice::Required | ToolChoice::Named(_) | ToolChoice::Allowed { required: true, .. }
    )
}

/// Whether the target rejects the choice in a request without tools.
pub(crate) fn is_invalid_without_tools(work: &Work<'_>, choice: &ToolChoice) -> bool {
    match work.profile.settings.tool_choice.without_tools {
        ChoiceWithoutTools::Any => false,
        ChoiceWithoutTools::Unforced => is_forced(choice),
        ChoiceWithoutTools::OnlyNone => *choice != ToolChoice::None,
        ChoiceWithoutTools::Rejected => true,
    }
}

/// Fixes a choice that names tools which are not declared; returns whether it changed.
fn fix_unknown_names(work: &mut Work<'_>) -> bool {
    let may_bring_tools = offer::may_bring_tools(work);
    let is_valid = offer::is_written_choice_valid(work, may_bring_tools);
    let replacement = match &work.conversation().settings.tool_choice {
        _ if may_bring_tools => None,
        Some(ToolChoice::Named(name)) if !offer::has_tool_named(work, name) => Some(None),
        Some(ToolChoice::Allowed { names, required }) => {
            let declared: Vec<_> =
                names.iter().filter(|name| offer::has_tool_named(work, name)).cloned().collect();
            (declared.len() < names.len()).then(|| {
                let allowed = ToolChoice::Allowed { names: declared.clone(), required: *required };
                (!declared.is_empty()).then_some(allowed)
            })
        }
        _ => None,
    };
    if let Some(replacement) = replacement {
        offer::remove_written_choice(work);
        work.edit_settings().tool_choice = replacement;
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out a tool choice that names no declared tool",
        );
        return true;
    }
    if is_valid {
        return false;
    }
    offer::remove_written_choice(work);
    work.record_change(LedgerPath::SETTINGS, "rewrote the tool choice with the declared tools");
    true
}

const NO_CALLS_INSTRUCTION: &str = "Do not call any tool. Answer in words.";
