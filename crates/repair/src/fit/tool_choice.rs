//! A tool choice that the target cannot follow is left to the model.
//!
//! There is nothing to choose from where there are no tools; a tool that is not there cannot be called;
//! and some models cannot be forced to call one.
//!
//! ## Why
//! > tool_choice may only be specified while providing tools.
//!
//! > Tool choice 'read' not found in 'tools' parameter.
//!
//! > tool_choice: type "tool" and "any" are not supported for this model.
//!
//! ## Example
//! ```text
//! before   no tools   choice: call any
//! after    no tools
//! ```

use interlingua_model::{Choice, Place};

use crate::Work;
use crate::profile::params::{Forced, Lone};

pub fn apply(work: &mut Work<'_>) {
    let row = &work.profile.params.choice;
    let settings = &work.conversation().settings;
    let Some(choice) = &settings.choice else { return };
    let toolless = work.conversation().tools.is_empty();
    let forces = is_forced(choice);
    let lone = toolless
        && match row.without_tools {
            Lone::Any => false,
            Lone::Unforced => forces,
            Lone::OnlyNone => *choice != Choice::None,
            Lone::Nothing => true,
        };
    if lone {
        work.settings().choice = None;
        return work.change(Place::SETTINGS, "left out the tool choice: there are no tools");
    }
    if row.known_names
        && let Some(better) = offered(work, choice)
    {
        work.settings().choice = better;
        return work.loss(Place::SETTINGS, "left out a tool choice that names no tool there is");
    }
    let refused = match row.forced {
        Forced::Never => forces,
        Forced::Named => *choice == Choice::Required,
        Forced::Free | Forced::NotWithBudget | Forced::NotWhileThinking => false,
    };
    if refused {
        let free = match choice {
            Choice::Allowed { names, .. } => {
                Choice::Allowed { names: names.clone(), required: false }
            }
            _ => Choice::Auto,
        };
        work.settings().choice = Some(free);
        let what = "a call cannot be forced: whether to call is left to the model";
        work.loss(Place::SETTINGS, what);
    }
}

pub fn is_forced(choice: &Choice) -> bool {
    matches!(choice, Choice::Required | Choice::Named(_) | Choice::Allowed { required: true, .. })
}

/// The choice without the tools that are not there, if it names any.
#[expect(clippy::option_option, reason = "whether to change it, and then to what")]
fn offered(work: &Work<'_>, choice: &Choice) -> Option<Option<Choice>> {
    let tools = &work.conversation().tools;
    let is_there = |name: &interlingua_wire::Text| tools.iter().any(|tool| tool.name == *name);
    match choice {
        Choice::Named(name) if !is_there(name) => Some(None),
        Choice::Allowed { names, required } if !names.iter().all(is_there) => {
            let names: Vec<_> = names.iter().filter(|name| is_there(name)).cloned().collect();
            let left =
                (!names.is_empty()).then_some(Choice::Allowed { names, required: *required });
            Some(left)
        }
        Choice::Required if tools.is_empty() => Some(None),
        Choice::Auto
        | Choice::None
        | Choice::Required
        | Choice::Named(_)
        | Choice::Allowed { .. } => None,
    }
}
