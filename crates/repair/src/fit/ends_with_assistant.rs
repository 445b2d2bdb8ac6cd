//! The user has the last word where the target wants it: `Continue.`
//!
//! The assistant's words at the end are words to go on with, which many models no longer take; while a
//! model thinks none does. Calls that wait for results and turns that the provider's own tools
//! interrupted are another matter.
//!
//! ## Why
//! > This model does not support assistant message prefill. The conversation must end with a user
//! > message.
//!
//! > Please ensure that multiturn requests ends with a user role or a function response.
//!
//! > Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant
//!
//! ## Example
//! ```text
//! before   user: "A title?"   assistant: "Title:"
//! after    user: "A title?"   assistant: "Title:"   user: "Continue."
//! ```

use interlingua_model::{Block, Body, Place, Role, Turn, Verbatim};
use interlingua_wire::{Json, Text};

use crate::Work;
use crate::look::{instructs, is_assistants, words};
use crate::profile::roles::Last;

pub fn apply(work: &mut Work<'_>) {
    let Some(last) = work.last_speaker() else { return };
    if !is_assistants(&work.turns()[last]) || may_be_last(work, last) || is_reminded(work, last) {
        return;
    }
    let mut turn = Turn::new(Role::User);
    turn.blocks.push(Block::text(Text::word(CONTINUE)).into());
    let at = work.turns().len();
    work.insert_turn(at, turn);
    work.change(Place::turn(at), "the user has the last word: the model is asked to continue");
}

/// Whether instructions follow that the user says in the end.
fn is_reminded(work: &Work<'_>, last: usize) -> bool {
    let says = |block: &Verbatim<Block>| words(block).is_some_and(|text| !text.is_blank());
    !work.is_own()
        && work.profile.roles.instructions.are_apart(true)
        && work.turns()[last + 1..]
            .iter()
            .any(|turn| instructs(turn) && turn.blocks.iter().any(says))
}

/// Whether a turn of the assistant's at the end stays there.
pub(crate) fn may_be_last(work: &Work<'_>, last: usize) -> bool {
    let turn = &work.turns()[last];
    match work.profile.roles.last {
        Last::Anyone => true,
        Last::PrefillUnlessThinking => !work.thinks() || work.resumes(turn),
        Last::User => work.resumes(turn),
        Last::UserUnless(field) => {
            last + 1 == work.turns().len()
                && turn
                    .extras
                    .find(work.profile.dialect, field)
                    .is_some_and(|value| *value == Json::TRUE)
        }
    }
}

impl Work<'_> {
    /// Whether the turn ends with something of the provider's own tools, and so goes on by itself.
    pub fn resumes(&self, turn: &Turn) -> bool {
        let Some(last) = turn.blocks.last() else { return false };
        match &last.body {
            Body::Foreign { dialect, kind, .. } if *dialect == self.profile.dialect => {
                let kind = kind.contents();
                self.profile.roles.resumes.iter().any(|end| kind.ends_with(end))
                    && !kind.starts_with("mcp_")
            }
            _ => false,
        }
    }
}

/// What the user says who has nothing to say.
pub(super) const CONTINUE: &str = "Continue.";
