//! Removes a tool choice, in the settings or as written in the body.

use interlingua_model::{LedgerPath, ToolChoice};
use interlingua_providers::profile::settings::ChoiceWithoutTools;
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::query::tool_choice::{self, CHOICE_FIELD, LEGACY_CHOICE_FIELD, is_unsupported_object};

/// Removes the legacy choice, which the settings do not model.
pub(crate) fn remove_legacy_choice(work: &mut Work<'_>) {
    work.edit_top_level_fields().retain(|field| field.key != LEGACY_CHOICE_FIELD);
}

/// Removes the written tool choice, so that it is encoded from the settings.
pub(crate) fn remove_written_choice(work: &mut Work<'_>) -> bool {
    let Some(at) =
        work.conversation().top_level_fields.iter().position(|field| field.key == CHOICE_FIELD)
    else {
        return false;
    };
    work.edit_top_level_fields().remove(at);
    work.discard_settings_text();
    true
}

/// Removes a choice that cannot be decoded where the target would reject it.
pub(crate) fn drop_unreadable(work: &mut Work<'_>) {
    let support = &work.profile.settings.tool_choice;
    if !tool_choice::has_written_choice(work) {
        return;
    }
    let needs_tools = matches!(
        support.without_tools,
        ChoiceWithoutTools::Rejected | ChoiceWithoutTools::OnlyNone
    );
    if needs_tools && !tool_choice::has_tools(work) {
        remove_written_choice(work);
        work.record_change(LedgerPath::SETTINGS, "left out the tool choice: there are no tools");
    } else if !support.by_name && tool_choice::is_written_as_object(work)
        || is_unsupported_object(work)
    {
        remove_written_choice(work);
        work.record_change(LedgerPath::SETTINGS, "left out a tool choice that cannot be decoded");
    }
}

/// Removes the tool choice, or tools from it, if tools were removed.
pub(crate) fn drop_choice_of_removed(work: &mut Work<'_>, removed: &[JsonString]) {
    let none_left = work.conversation().tools.is_empty();
    let rest = match &work.conversation().settings.tool_choice {
        None if none_left => return drop_unreadable(work),
        Some(ToolChoice::None)
            if none_left && tool_choice::is_invalid_without_tools(work, &ToolChoice::None) =>
        {
            None
        }
        None | Some(ToolChoice::None) => return,
        Some(ToolChoice::Auto | ToolChoice::Required) if !none_left => return,
        Some(ToolChoice::Named(name)) if !none_left && !removed.contains(name) => return,
        Some(ToolChoice::Allowed { names, required }) if !none_left => {
            let rest: Vec<JsonString> =
                names.iter().filter(|name| !removed.contains(name)).cloned().collect();
            if rest.len() == names.len() {
                return;
            }
            let required = *required;
            (!rest.is_empty()).then_some(ToolChoice::Allowed { names: rest, required })
        }
        Some(_) => None,
    };
    let description = "left out the choice of a removed tool";
    work.record_loss(LedgerPath::SETTINGS, description);
    work.edit_settings().tool_choice = rest;
}
