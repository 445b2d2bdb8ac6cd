//! Where a call is forced, thinking is turned off for this request.
//!
//! Some models cannot do both. The forced call is what the client waits for, such as an answer in a given
//! form; thinking is how the model gets there.
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

use interlingua_model::{Place, ReasoningMode};

use super::tool_choice::is_forced;
use crate::profile::params::Forced;
use crate::profile::thinking::{Asked, asked};
use crate::{Work, offer};

pub fn apply(work: &mut Work<'_>) {
    if is_unread(work) {
        return;
    }
    force(work);
}

fn force(work: &mut Work<'_>) {
    let settings = &work.conversation().settings;
    if settings.choice.is_none() && unread(work) {
        offer::forget_choice(work);
        return work.loss(Place::SETTINGS, "left out a tool choice that cannot be read");
    }
    let object = work.is_own() && offer::is_object(work);
    // A word that nobody knows there forces nothing.
    let strange = work.is_own() && offer::word(work).is_some_and(|word| word != "required");
    let forced = settings.choice.as_ref().is_some_and(is_forced) && !strange;
    let refused = match work.profile.params.choice.forced {
        Forced::NotWithBudget => forced && asked(settings) == Asked::Budget,
        // Whatever is no word is taken for a forced one.
        Forced::NotWhileThinking => (forced || object) && work.thinks(),
        Forced::NotIfThinking => forced && work.thinks(),
        Forced::Free | Forced::Named | Forced::Never => false,
    };
    if refused {
        turn_off(work, "thinking is off for this request: it forces a call");
    }
}

/// As [`apply`], when it is known how the tools leave: those of the older list may be written anew, and the
/// choice among them with them.
pub(super) fn look_again(work: &mut Work<'_>) {
    let (conversation, dialect) = (work.conversation(), work.profile.dialect);
    let anew = !conversation.tools.is_empty() && conversation.tools.text_for(dialect).is_none();
    if anew && is_unread(work) {
        force(work);
    }
}

/// Whether the choice is made in the old way, which the target does not look at.
fn is_unread(work: &Work<'_>) -> bool {
    offer::chooses_old(work) && !work.profile.params.choice.old
}

/// A choice that nobody can read, and that the target takes for a forced one.
fn unread(work: &Work<'_>) -> bool {
    work.profile.params.choice.forced == Forced::NotWhileThinking
        && work.is_own()
        && offer::is_object(work)
        && work.thinks()
}

/// Turns thinking off, in words for the ledger.
pub fn turn_off(work: &mut Work<'_>, what: &'static str) {
    if work.is_own() {
        let unheard = work.profile.thinking.unheard_in;
        work.fields().retain(|field| !unheard.contains(&&*field.key.contents()));
    }
    let said = work.settings().reasoning.get_or_insert_default();
    said.mode = Some(ReasoningMode::Off);
    said.budget = None;
    said.effort = None;
    said.display = None;
    work.change(Place::SETTINGS, what);
}
