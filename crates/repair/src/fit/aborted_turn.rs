//! An answer that broke off before its first word is left out.
//!
//! It holds reasoning and perhaps an empty text, and neither words nor a call. Reasoning that nothing
//! follows is refused; and it led to nothing.
//!
//! ## Why
//! > messages.5: The final block in an assistant message cannot be `thinking`.
//!
//! > messages.5.content.1.text: cache_control cannot be set for empty text blocks
//!
//! ## Example
//! ```text
//! before   user: "hello"   assistant: reasoning, ""   user: "again"
//! after    user: "hello"   user: "again"
//! ```

use interlingua_model::{Place, Turn, Verbatim};
use interlingua_wire::{Json, Node};

use crate::Work;
use crate::look::{instructs, is_assistants, is_reasoning, is_vacant, words};
use crate::profile::texts::{Alone, Least};
use crate::work::many::Going;

pub fn apply(work: &mut Work<'_>) {
    let alone = work.profile.texts.reasoning_alone;
    if alone == Alone::Taken {
        return;
    }
    let mut follows = false;
    let mut gone = Going::default();
    for turn in (0..work.turns().len()).rev() {
        let this = &work.turns()[turn];
        if instructs(this) {
            follows &= !work.is_reminder(turn);
            continue;
        }
        let assistants = is_assistants(this);
        if assistants && !(follows && alone == Alone::BeforeMore) && is_aborted(work, this, alone) {
            work.loss(Place::turn(turn), "left out an answer that broke off before its first word");
            if work.is_threshold_to(turn, gone.behind(turn)) {
                work.sift(turn, |_, _| true);
            } else {
                gone.push(turn);
            }
        } else {
            // What the assistant says next is what its reasoning led to.
            follows = assistants;
        }
    }
    work.remove_turns(&gone.into_places());
}

fn is_aborted(work: &Work<'_>, turn: &Verbatim<Turn>, alone: Alone) -> bool {
    // Where a turn must hold something, reasoning that is part of its content is something; what is
    // written anew has its reasoning elsewhere.
    let text = turn.text_for(work.profile.dialect).map(Json::doc);
    let content = text.as_ref().and_then(|text| text.root().get("content"));
    let blanks = work.profile.texts.least != Least::Nothing;
    let holds = |content: Node<'_>| !content.is_empty() && !is_vacant(content, blanks);
    if alone == Alone::Refused && content.is_some_and(holds) {
        return false;
    }
    // Where it must hold something, a blank is something.
    let nothing = |text: &interlingua_wire::Text| match alone {
        Alone::Refused => text.is_empty(),
        Alone::Taken | Alone::BeforeMore => text.is_blank(),
    };
    turn.blocks.iter().any(|block| is_reasoning(block))
        && turn.blocks.iter().all(|block| {
            is_reasoning(block) || words(block).is_some_and(nothing) || !work.is_said(block)
        })
}
