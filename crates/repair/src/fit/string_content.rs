//! A list of texts is one string where the target reads no lists.
//!
//! The texts are joined by a blank line.
//!
//! ## Why
//! > Failed to deserialize the JSON body into the target type: messages\[19\]: invalid type: sequence,
//! > expected a string
//!
//! > messages.0.content: Input should be a valid string
//!
//! ## Example
//! ```text
//! before   user: ["What", "is the weather?"]
//! after    user: "What\n\nis the weather?"
//! ```

use interlingua_model::{Block, Body, Extras, Place, Role, Turn, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::look::{is_assistants, is_reasoning, is_result, speaks_elsewhere};
use crate::profile::texts::Strings;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.texts.strings == Strings::Nobodys {
        return;
    }
    for turn in 0..work.turns().len() {
        // What crosses is written in the form there is.
        if work.is_own_turn(turn) && is_listed(work, turn) {
            work.change(Place::turn(turn), "the content is a string: lists are not read here");
            flatten(work, turn);
        }
    }
}

fn is_listed(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let replies = this.role == Role::Assistant || this.blocks.iter().any(|block| is_result(block));
    let concerned = match work.profile.texts.strings {
        Strings::Nobodys => false,
        Strings::Everybodys => true,
        Strings::Replies => replies,
    };
    // A medium of the user's cannot be said in a string; one of others finds another place.
    let sayable = |block: &Verbatim<Block>| replies || !matches!(block.body, Body::Media(_));
    let part = |block: &Verbatim<Block>| is_part(work, block);
    concerned
        && (contents(this).any(part) && contents(this).all(sayable) || is_empty_list(work, this))
}

/// The blocks of the content, which for a tool's message is the result's.
fn contents(turn: &Turn) -> impl Iterator<Item = &Verbatim<Block>> {
    turn.blocks.iter().flat_map(|block| match &block.body {
        Body::ToolResult(result) => result.content.as_slice(),
        _ => std::slice::from_ref(block),
    })
}

/// A part of a list: a string is a text that was not written as one, and reasoning and calls have
/// fields of their own.
fn is_part(work: &Work<'_>, block: &Verbatim<Block>) -> bool {
    let written = block.text_for(work.profile.dialect).is_some();
    match &block.body {
        // What has something beside its text is written as a part.
        Body::Text { .. } | Body::Refusal(_) | Body::Data(_) => {
            written || !block.extras.is_empty() || block.cache.is_some()
        }
        Body::Foreign { kind, .. } => !kind.raw().starts_with("reasoning"),
        Body::Thinking(_) | Body::Media(_) | Body::ToolCall(_) | Body::ToolResult(_) => false,
    }
}

fn is_empty_list(work: &Work<'_>, turn: &Verbatim<Turn>) -> bool {
    let beside = |block: &Verbatim<Block>| {
        is_reasoning(block) || matches!(block.body, Body::ToolCall(_) | Body::Refusal(_))
    };
    let elsewhere = || is_assistants(turn) && speaks_elsewhere(turn, work.profile.dialect);
    (contents(turn).all(beside) || elsewhere())
        && turn.text_for(work.profile.dialect).is_some_and(|text| {
            let doc = text.doc();
            let none = contents(turn).next().is_none();
            doc.root()
                .get("content")
                .is_some_and(|list| list.is_array() && (none || list.is_empty()))
        })
}

fn flatten(work: &mut Work<'_>, turn: usize) {
    for block in 0..work.blocks(turn).len() {
        let this = work.block(turn, block);
        let mut lost = false;
        if is_part(work, this) {
            lost = !this.extras.is_empty();
            say(work.edit(turn, block));
        } else if let Body::ToolResult(result) = &this.body {
            let parts: Vec<bool> = result.content.iter().map(|one| is_part(work, one)).collect();
            lost = result
                .content
                .iter()
                .zip(&parts)
                .any(|(one, part)| *part && !one.extras.is_empty());
            if let Body::ToolResult(result) = &mut work.edit(turn, block).body {
                for (one, _) in result.content.iter_mut().zip(parts).filter(|(_, part)| *part) {
                    say(one.edit());
                }
            }
        }
        if lost {
            work.loss(Place::turn(turn), "left out what stood beside the texts of the list");
        }
    }
    work.turn(turn);
    if is_assistants(&work.turns()[turn]) {
        part_texts(work, turn);
    }
}

/// Makes a part a text; one that nobody knows is said as it was written.
fn say(block: &mut Block) {
    block.extras = Extras::default();
    if let Body::Foreign { json, .. } | Body::Data(json) = &block.body {
        block.body = Body::Text { text: Text::new(json.as_str()), citations: Vec::new() };
    }
}

/// Texts of the assistant's are written as pieces of one: a blank line keeps them apart.
fn part_texts(work: &mut Work<'_>, turn: usize) {
    for block in 1..work.blocks(turn).len() {
        let both = [block - 1, block].map(|at| work.block(turn, at).body.as_text().cloned());
        if let [Some(before), Some(text)] = both
            && !before.is_empty()
            && let Body::Text { text: parted, .. } = &mut work.edit(turn, block).body
        {
            *parted = Text::concat([&Text::new(BLANK_LINE), &text]);
        }
    }
}

pub(super) const BLANK_LINE: &str = "\n\n";
