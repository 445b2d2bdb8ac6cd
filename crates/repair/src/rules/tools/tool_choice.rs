//! Removes a tool choice that the target cannot follow, so that the model decides.
//!
//! Without tools there is nothing to choose; a tool that is not declared cannot be called; and some
//! models cannot be forced to call one. A choice in the form of another API is rewritten; where it cannot
//! name tools, only the chosen ones are offered. That no tool may be called is added to the instructions where the target has no setting for it.
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

use std::borrow::Cow;
use std::collections::HashSet;
use std::slice;

use interlingua_model::{LedgerPath, ToolChoice};
use interlingua_providers::profile::settings::{ChoiceWithoutTools, ForcedCall};
use interlingua_wire::JsonString;

use crate::edit::tool_choice::{drop_unreadable, remove_legacy_choice, remove_written_choice};
use crate::engine::Work;
use crate::query::tool_choice::{self, is_forced, is_invalid_without_tools, is_unsupported_object};

pub(super) fn apply(work: &mut Work<'_>) {
    fix_choice(work);
    let is_none = work.conversation().settings.tool_choice == Some(ToolChoice::None);
    if is_none
        && !work.profile.tools.supports_choice_none
        && !work.is_same_dialect()
        && tool_choice::has_tools(work)
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
        && tool_choice::has_written_choice(work)
        && tool_choice::offers_legacy_functions(work)
    {
        work.discard_tools_text();
        work.record_change(
            LedgerPath::SETTINGS,
            "converted legacy functions to tools: the choice requires it",
        );
    }
    drop_unused_legacy_choice(work);
    let is_legacy = tool_choice::uses_legacy_choice(work);
    if is_legacy && !support.reads_legacy_choice {
        return;
    }
    if support.names_must_exist && fix_unknown_names(work) {
        return;
    }
    let Some(choice) = &work.conversation().settings.tool_choice else {
        return drop_unreadable(work);
    };
    let has_tools =
        if is_legacy { tool_choice::has_legacy_tools(work) } else { tool_choice::has_tools(work) };
    if !has_tools && is_invalid_without_tools(work, choice) {
        work.edit_settings().tool_choice = None;
        return work
            .record_change(LedgerPath::SETTINGS, "left out the tool choice: there are no tools");
    }
    if let ToolChoice::Allowed { names, .. } = choice
        && !work.is_same_dialect()
        && !names.iter().any(|name| tool_choice::has_tool_named(work, name))
    {
        work.edit_settings().tool_choice = Some(ToolChoice::None);
        return work.record_change(
            LedgerPath::SETTINGS,
            "no tool may be called: none of the allowed tools is declared",
        );
    }
    if let ToolChoice::Named(name) = choice
        && !tool_choice::has_tool_named(work, name)
        && (support.single_name_must_exist
            && (tool_choice::names_function(work) || is_unsupported_object(work))
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
    let is_unused = !tool_choice::uses_legacy_choice(work)
        || work.conversation().settings.tool_choice.is_none();
    if support.reads_legacy_choice
        && is_unused
        && tool_choice::has_legacy_choice(work)
        && !tool_choice::has_legacy_tools(work)
    {
        remove_legacy_choice(work);
        work.record_change(
            LedgerPath::SETTINGS,
            "left out the function choice: there are no functions",
        );
    }
}

/// Writes the choice in a form that the target reads.
fn rewrite_choice(work: &mut Work<'_>, names_tools: bool) {
    let support = &work.profile.settings.tool_choice;
    let is_object = tool_choice::is_written_as_object(work);
    if (names_tools || is_object)
        && !support.by_name
        && work.is_same_dialect()
        && remove_written_choice(work)
    {
        let message = if names_tools {
            "a tool choice cannot name a tool: only the chosen tools are sent"
        } else {
            "the tool choice is sent as a string"
        };
        work.record_change(LedgerPath::SETTINGS, message);
        if names_tools {
            offer_only_chosen(work);
        }
    } else if names_tools && !work.is_same_dialect() && !can_name_across(work) {
        offer_only_chosen(work);
        work.record_change(
            LedgerPath::SETTINGS,
            "a tool choice cannot name these tools: only the chosen ones are sent",
        );
    } else if is_unsupported_object(work) && remove_written_choice(work) {
        work.record_change(LedgerPath::SETTINGS, "rewrote the tool choice in the target's form");
        work.discard_tools_text();
        // The rewritten choice is encoded, as one of another dialect is.
        if !can_name_across(work) {
            offer_only_chosen(work);
        }
    }
}

/// Whether a choice that is encoded can be sent with the names of its tools.
fn can_name_across(work: &Work<'_>) -> bool {
    let support = &work.profile.settings.tool_choice;
    match &work.conversation().settings.tool_choice {
        Some(ToolChoice::Named(_)) => support.cross_dialect_by_name,
        Some(ToolChoice::Allowed { .. }) => support.cross_dialect_lists,
        Some(ToolChoice::Auto | ToolChoice::None | ToolChoice::Required) | None => true,
    }
}

/// Removes every other tool, so that the choice need not name the chosen ones.
fn offer_only_chosen(work: &mut Work<'_>) {
    let (names, required) = match &work.conversation().settings.tool_choice {
        Some(ToolChoice::Named(name)) => (slice::from_ref(name), true),
        Some(ToolChoice::Allowed { names, required }) => (names.as_slice(), *required),
        Some(ToolChoice::Auto | ToolChoice::None | ToolChoice::Required) | None => return,
    };
    let names: HashSet<Cow<'_, str>> = names.iter().map(JsonString::unescape).collect();
    let tools = work.conversation().tools.iter();
    let chosen: Vec<bool> = tools.map(|tool| names.contains(&tool.name.unescape())).collect();
    if chosen.contains(&true) {
        for at in (0..chosen.len()).filter(|at| !chosen[*at]) {
            let name = &work.conversation().tools[at].name;
            let message = format!("left out `{name}`: the tool choice does not allow it");
            work.record_loss(LedgerPath::tool(at), message);
        }
        work.retain_tools(|at| chosen[at]);
    }
    let choice = if required { ToolChoice::Required } else { ToolChoice::Auto };
    work.edit_settings().tool_choice = Some(choice);
}

fn is_ascii_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(is_allowed)
}

/// Fixes a choice that names tools which are not declared; returns whether it changed.
fn fix_unknown_names(work: &mut Work<'_>) -> bool {
    let may_bring_tools = tool_choice::may_bring_tools(work);
    let is_valid = tool_choice::is_written_choice_valid(work, may_bring_tools);
    let replacement = match &work.conversation().settings.tool_choice {
        _ if may_bring_tools => None,
        Some(ToolChoice::Named(name)) if !tool_choice::has_tool_named(work, name) => Some(None),
        Some(ToolChoice::Allowed { names, required }) => {
            let declared: Vec<_> = names
                .iter()
                .filter(|name| tool_choice::has_tool_named(work, name))
                .cloned()
                .collect();
            (declared.len() < names.len()).then(|| {
                let allowed = ToolChoice::Allowed { names: declared.clone(), required: *required };
                (!declared.is_empty()).then_some(allowed)
            })
        }
        _ => None,
    };
    if let Some(replacement) = replacement {
        remove_written_choice(work);
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
    remove_written_choice(work);
    work.record_change(LedgerPath::SETTINGS, "rewrote the tool choice with the declared tools");
    true
}

const NO_CALLS_INSTRUCTION: &str = "Do not call any tool. Answer in words.";
