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
use crate::look::{is_assistants, is_call, is_reasoning, is_result, words};
use crate::profile::texts::Strings;

pub fn apply(work: &mut Work<'_>) {
    // What crosses is written in the form there is.
    if work.profile.texts.strings == Strings::Nobodys || !work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        if is_listed(work, turn) {
            work.change(Place::turn(turn), "the content is a string: lists are not read here");
            flatten(work, turn);
        }
    }
}

fn is_listed(work: &Work<'_>, turn: usize) -> bool {
    let this = &work.turns()[turn];
    let concerned = match work.profile.texts.strings {
        Strings::Nobodys => false,
        Strings::Everybodys => true,
        Strings::Replies => {
            this.role == Role::Assistant || this.blocks.iter().any(|b| is_result(b))
        }
    };
    // What else the assistant and tools say finds another place.
    let users = this.role != Role::Assistant && !this.blocks.iter().any(|block| is_result(block));
    let is_text = |block: &Verbatim<Block>| !users || words(block).is_some() || !is_content(block);
    concerned
        && (contents(this).any(is_part) && contents(this).all(is_text) || is_empty_list(work, this))
}

/// The blocks of the content, which for a tool's message is the result's.
fn contents(turn: &Turn) -> impl Iterator<Item = &Verbatim<Block>> {
    turn.blocks.iter().flat_map(|block| match &block.body {
        Body::ToolResult(result) => result.content.as_slice(),
        _ => std::slice::from_ref(block),
    })
}

/// What stands in the content; reasoning and calls have fields of their own.
fn is_content(block: &Block) -> bool {
    !is_reasoning(block) && !is_call(block)
}

/// A string is a text that was not written as a part.
fn is_part(block: &Verbatim<Block>) -> bool {
    block.written().is_some() && words(block).is_some()
}

fn is_empty_list(work: &Work<'_>, turn: &Verbatim<Turn>) -> bool {
    contents(turn).next().is_none()
        && turn.text_for(work.profile.dialect).is_some_and(|text| {
            text.doc().root().get("content").is_some_and(interlingua_wire::Node::is_array)
        })
}

fn flatten(work: &mut Work<'_>, turn: usize) {
    for block in 0..work.blocks(turn).len() {
        let this = work.block(turn, block);
        if is_part(this) {
            let lost = !this.extras.is_empty();
            work.edit(turn, block).extras = Extras::default();
            note_lost(work, turn, lost);
        } else if let Body::ToolResult(result) = &this.body {
            let lost = result.content.iter().any(|one| is_part(one) && !one.extras.is_empty());
            if let Body::ToolResult(result) = &mut work.edit(turn, block).body {
                for one in result.content.iter_mut().filter(|one| is_part(one)) {
                    one.edit().extras = Extras::default();
                }
            }
            note_lost(work, turn, lost);
        }
    }
    work.turn(turn);
    if is_assistants(&work.turns()[turn]) {
        part_texts(work, turn);
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

fn note_lost(work: &mut Work<'_>, turn: usize, lost: bool) {
    if lost {
        work.loss(Place::turn(turn), "left out what stood beside the texts of the list");
    }
}

pub(super) const BLANK_LINE: &str = "\n\n";
