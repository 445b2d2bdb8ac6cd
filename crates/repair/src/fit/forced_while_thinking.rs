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
use crate::Work;
use crate::profile::params::Forced;
use crate::profile::thinking::{Asked, asked};

pub fn apply(work: &mut Work<'_>) {
    let settings = &work.conversation().settings;
    if !settings.choice.as_ref().is_some_and(is_forced) {
        return;
    }
    let refused = match work.profile.params.choice.forced {
        Forced::NotWithBudget => asked(settings) == Asked::Budget,
        Forced::NotWhileThinking => work.profile.thinking.thinks(settings),
        Forced::Free | Forced::Named | Forced::Never => false,
    };
    if refused {
        turn_off(work, "thinking is off for this request: it forces a call");
    }
}

/// Turns thinking off, in words for the ledger.
pub fn turn_off(work: &mut Work<'_>, what: &'static str) {
    let said = work.settings().reasoning.get_or_insert_default();
    said.mode = Some(ReasoningMode::Off);
    said.budget = None;
    said.effort = None;
    said.display = None;
    work.change(Place::SETTINGS, what);
}
