//! A tool choice that the target cannot follow is left to the model.
//!
//! There is nothing to choose from where there are no tools; a tool that is not there cannot be called;
//! and some models cannot be forced to call one. A choice as another API spells it is spelled anew. That
//! none is to be called is said in the instructions where there is no other place for it.
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

use interlingua_model::{Choice, Place};
use interlingua_wire::Text;

use crate::profile::params::{Forced, Lone};
use crate::{Work, offer};

pub fn apply(work: &mut Work<'_>) {
    choose(work);
    let none = work.conversation().settings.choice == Some(Choice::None);
    if none && !work.profile.tools.takes_no_choice && !work.is_own() && offer::has_any(work) {
        work.settings().choice = None;
        work.instruct(Text::word(NO_CALLS));
        work.change(Place::SYSTEM, "said that no tool is to be called: it has no other place");
    }
}

fn choose(work: &mut Work<'_>) {
    let row = &work.profile.params.choice;
    if row.without_tools != Lone::Any && offer::is_said(work) && offer::is_old(work) {
        work.tools();
        work.change(Place::SETTINGS, "functions of which one is chosen are offered as tools");
    }
    // What nobody can read, or another choice stands beside, is no choice.
    let spare = !offer::chooses_old(work) || work.conversation().settings.choice.is_none();
    if row.old && spare && offer::has_old_choice(work) && !offer::has_old(work) {
        offer::forget_old_choice(work);
        work.change(Place::SETTINGS, "left out the choice of a function: there are no functions");
    }
    let old = offer::chooses_old(work);
    if old && !row.old {
        return;
    }
    if row.known_names && unknown(work) {
        return;
    }
    let Some(choice) = &work.conversation().settings.choice else { return unread(work) };
    let any = if old { offer::has_old(work) } else { offer::has_any(work) };
    if !any && is_lone(work, choice) {
        work.settings().choice = None;
        return work.change(Place::SETTINGS, "left out the tool choice: there are no tools");
    }
    if let Choice::Allowed { names, .. } = choice
        && !work.is_own()
        && !names.iter().any(|name| offer::has(work, name))
    {
        work.settings().choice = Some(Choice::None);
        return work.change(Place::SETTINGS, "none of the tools may be called: no call is made");
    }
    if let Choice::Named(name) = choice
        && !offer::has(work, name)
        && (row.known_name && (offer::names_function(work) || is_flat(work))
            || !row.named
            || row.plain_names && !is_plain(&name.contents())
            || !work.is_own())
    {
        work.settings().choice = None;
        return work.loss(Place::SETTINGS, "left out a tool choice that names no tool there is");
    }
    let refused = match row.forced {
        Forced::Never => is_forced(choice),
        Forced::Named => {
            matches!(choice, Choice::Required | Choice::Allowed { required: true, .. })
        }
        Forced::Free | Forced::NotWithBudget | Forced::NotWhileThinking | Forced::NotIfThinking => {
            false
        }
    };
    if refused {
        let free = match choice {
            Choice::Allowed { names, .. } => {
                Choice::Allowed { names: names.clone(), required: false }
            }
            Choice::Auto | Choice::None | Choice::Required | Choice::Named(_) => Choice::Auto,
        };
        work.settings().choice = Some(free);
        let what = "a call cannot be forced: whether to call is left to the model";
        return work.loss(Place::SETTINGS, what);
    }
    let names = matches!(choice, Choice::Named(_) | Choice::Allowed { .. });
    let object = offer::is_object(work);
    if (names || object) && !row.named && work.is_own() && offer::forget_choice(work) {
        let what = if names {
            "a tool cannot be named: the others are not offered this time"
        } else {
            "the tool choice is a word here"
        };
        work.change(Place::SETTINGS, what);
        if names {
            // The list is written anew.
            work.tools();
        }
    } else if is_flat(work) && offer::forget_choice(work) {
        work.change(Place::SETTINGS, "the tool choice is spelled as it is here");
        work.tools();
    }
}

/// Whether the choice is an object of another kind than the target reads.
fn is_flat(work: &Work<'_>) -> bool {
    work.profile.params.choice.nested.is_some_and(|types| offer::is_flat(work, types))
}

/// A choice that nobody can read cannot be made where there are no tools, either.
pub(crate) fn unread(work: &mut Work<'_>) {
    let row = &work.profile.params.choice;
    if !offer::is_said(work) {
        return;
    }
    let lone = matches!(row.without_tools, Lone::Nothing | Lone::OnlyNone);
    if lone && !offer::has_any(work) {
        offer::forget_choice(work);
        work.change(Place::SETTINGS, "left out the tool choice: there are no tools");
    } else if !row.named && offer::is_object(work) || is_flat(work) {
        offer::forget_choice(work);
        work.change(Place::SETTINGS, "left out a tool choice that nobody can read");
    }
}

fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
}

/// Whether the choice forces a call.
pub fn is_forced(choice: &Choice) -> bool {
    matches!(choice, Choice::Required | Choice::Named(_) | Choice::Allowed { required: true, .. })
}

/// Whether the choice cannot be made where there are no tools.
pub(crate) fn is_lone(work: &Work<'_>, choice: &Choice) -> bool {
    match work.profile.params.choice.without_tools {
        Lone::Any => false,
        Lone::Unforced => is_forced(choice),
        Lone::OnlyNone => *choice != Choice::None,
        Lone::Nothing => true,
    }
}

/// Mends a choice that names tools which are not there; whether it did.
fn unknown(work: &mut Work<'_>) -> bool {
    let brought = offer::is_brought(work);
    let written = offer::is_written_well(work, brought);
    let better = match &work.conversation().settings.choice {
        _ if brought => None,
        Some(Choice::Named(name)) if !offer::has(work, name) => Some(None),
        Some(Choice::Allowed { names, required }) => {
            let there: Vec<_> =
                names.iter().filter(|name| offer::has(work, name)).cloned().collect();
            (there.len() < names.len()).then(|| {
                let some = Choice::Allowed { names: there.clone(), required: *required };
                (!there.is_empty()).then_some(some)
            })
        }
        _ => None,
    };
    if let Some(better) = better {
        offer::forget_choice(work);
        work.settings().choice = better;
        work.loss(Place::SETTINGS, "left out a tool choice that names no tool there is");
        return true;
    }
    if written {
        return false;
    }
    offer::forget_choice(work);
    work.change(Place::SETTINGS, "the tool choice is said anew, of the tools there are");
    true
}

const NO_CALLS: &str = "Do not call any tool. Answer in words.";
