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
use crate::tools::Look;
use crate::{Work, offer};

pub fn apply(work: &mut Work<'_>) {
    if offer::chooses_old(work) && !work.profile.params.choice.old && !is_said_anew(work) {
        return;
    }
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

/// Whether the tools of the older list will be written anew, and the choice among them with them.
fn is_said_anew(work: &mut Work<'_>) -> bool {
    let tools = &work.conversation().tools;
    let written = tools.text_for(work.profile.dialect).is_some();
    let fine = |look: &Look| *look == Look { optional: look.optional, ..Look::default() };
    !tools.is_empty() && (!written || !work.looks().iter().all(fine))
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
