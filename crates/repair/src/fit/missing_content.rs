//! Content that is null or not there is an empty string where the target wants one.
//!
//! A message with calls needs no content; every other does, for many servers.
//!
//! ## Why
//! > Invalid value for 'content': expected a string, got null.
//!
//! > invalid message content type: \<nil\>
//!
//! > All non-assistant messages must contain 'content'
//!
//! ## Example
//! ```text
//! before   tool: null
//! after    tool: ""
//! ```

use interlingua_model::{Block, Body, Place, Role, Turn};
use interlingua_wire::{Node, Text};

use super::missing_role::UNKNOWN;
use crate::Work;
use crate::look::{is_assistants, is_call, is_reasoning, is_vacant, speaks_elsewhere, words};
use crate::pairing::is_old;
use crate::profile::texts::NoContent;

pub fn apply(work: &mut Work<'_>) {
    // What crosses is written with its content.
    if work.profile.texts.no_content == NoContent::Taken || !work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let dialect = work.profile.dialect;
        let stranger = this.extras.find(dialect, UNKNOWN).is_some();
        let calls = || this.blocks.iter().any(|block| is_call(block));
        let elsewhere = || is_assistants(this) && speaks_elsewhere(this, dialect) && !calls();
        let blanks = work.profile.texts.as_a_whole;
        if (stranger || may_lack(this, blanks) || elsewhere()) && is_refused(work, turn) {
            work.change(Place::turn(turn), "the message has no content: it is written with one");
            work.turn(turn);
        }
    }
}

/// Whether the blocks leave it open that there is no content, or none but empty texts where these are none.
fn may_lack(turn: &Turn, blanks: bool) -> bool {
    match turn.role {
        Role::Assistant => {
            let beside = |body: &Body| matches!(body, Body::Refusal(_) | Body::Media(_));
            let any = turn.blocks.iter().any(|block| beside(&block.body));
            let blank = |block: &Block| words(block).is_some_and(Text::is_empty);
            !turn.blocks.iter().any(|block| is_call(block))
                && turn.blocks.iter().all(|block| {
                    is_reasoning(block) || beside(&block.body) || any && blanks && blank(block)
                })
        }
        Role::System | Role::Developer | Role::User => {
            turn.blocks.iter().all(|block| match &block.body {
                Body::ToolResult(result) => result.content.is_empty() && !is_old(block),
                _ => false,
            })
        }
    }
}

fn is_refused(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let Some(text) = this.text_for(work.profile.dialect) else { return false };
    let message = text.doc();
    let content = message.root().get("content");
    let absent = content.is_none();
    let null = content.is_some_and(Node::is_null);
    match work.profile.texts.no_content {
        NoContent::Taken => false,
        NoContent::NullRefusedOfOthers => null && this.role != Role::Assistant,
        NoContent::AbsenceRefused => absent,
        NoContent::Refused => null || absent,
        NoContent::SilenceRefused => {
            let blanks = work.profile.texts.as_a_whole;
            let empty = content.is_some_and(|content| is_vacant(content, blanks));
            this.role == Role::Assistant && (null || absent || empty)
        }
    }
}
