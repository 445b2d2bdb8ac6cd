//! A block of a kind that the target does not know, or not there, is left out; if it has text, its
//! text stays.
//!
//! ## Why
//! > messages.0.content.0: Input tag 'input_text' found using 'type' does not match any of the
//! > expected tags: 'text', 'image', …
//!
//! > Invalid value: 'video'. Supported values are: 'text', 'image_url', …
//!
//! ## Example
//! ```text
//! before   user: {type: "input_text", text: "hi"}, {type: "from_the_future"}
//! after    user: "hi"
//! ```

use interlingua_model::{Block, Body, Place, Role, ToolResult};
use interlingua_wire::{Json, Text};

use crate::mend::{orphan_result, unanswered_call};
use crate::pairing::Spot;
use crate::strange::{Fate, Judge, said};
use crate::{About, Work, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let profile = work.profile;
    if profile.fields.own_blocks_only && work.holds(About::Foreign) {
        strangers(work);
    }
    if work.holds(About::RichResult) {
        within_results(work);
    }
    let Some(known) = profile.fields.foreign else { return };
    if profile.fields.plain_system && work.is_own() {
        instructions(work);
    }
    if !(work.holds(About::Foreign) || work.holds(About::Extras)) {
        return;
    }
    let judge = Judge::new(known, profile);
    let mut gone = Vec::new();
    // Before this turn, nothing is named after reasoning that went.
    let mut unnamed = 0;
    for turn in 0..work.turns().len() {
        if !work.stands_as_written(turn) && is_emptied(work, &judge, turn, &mut unnamed) {
            gone.push(turn);
        }
    }
    leave_items(work, &gone);
    // Who looks at few things looks at no instructions but texts.
    if work.is_own() && profile.fields.takes.is_some() {
        return;
    }
    work.sift_system(|work, at| is_no_instruction(work, &judge, at));
}

/// Looks at the blocks of a turn; whether nothing is left of it.
fn is_emptied(work: &mut Work<'_>, judge: &Judge<'_>, turn: usize, unnamed: &mut usize) -> bool {
    let (mut gone, mut last) = (Vec::new(), None);
    for at in 0..work.blocks(turn).len() {
        if let Some(kind) = left_out(work, judge, (turn, at), unnamed) {
            gone.push(at);
            last = Some(kind);
        }
    }
    let Some(kind) = last else { return false };
    work.remove_blocks(turn, &gone);
    unanswered_call::keep_word(work, turn);
    // Where an item is a turn, nothing is left of it.
    let part = work.profile.fields.part;
    !part.is_empty() && work.blocks(turn).is_empty() && !kind.raw().starts_with(part)
}

/// Leaves out items, and the reasoning that led to them.
fn leave_items(work: &mut Work<'_>, gone: &[usize]) {
    let dialect = work.profile.dialect;
    let leads = |turn: usize| match work.blocks(turn) {
        [one] => thoughts::is_thinking(one) && thoughts::item_id(one, dialect).is_some(),
        _ => false,
    };
    let (mut led, mut goes) = (Vec::new(), false);
    if work.profile.thinking.items && work.is_own() && !gone.is_empty() {
        let mut before = gone.iter().rev().peekable();
        for turn in (0..work.turns().len()).rev() {
            let is_gone = before.next_if_eq(&&turn).is_some();
            goes = is_gone || goes && leads(turn);
            if goes && !is_gone {
                // Where it stands when the items are gone.
                led.push(turn - before.len());
            }
        }
    }
    led.reverse();
    work.remove_turns(gone);
    if let [first, .., last] | [first @ last] = led[..] {
        thoughts::leave_out(work, first..last + 1, |_, turn, _| {
            let is_led = led.binary_search(&turn).is_ok();
            is_led.then(|| "left out reasoning without what it led to".to_owned())
        });
    }
}

/// Instructions outside the turns are texts. Media have a rule of their own.
fn instructions(work: &mut Work<'_>) {
    work.sift_system(|work, at| {
        let text = match &work.conversation().system[at].body {
            Body::Text { .. } | Body::Refusal(_) | Body::Data(_) | Body::Media(_) => return false,
            Body::Foreign { kind, json, .. } => said(kind, json),
            Body::Thinking(_) | Body::ToolCall(_) | Body::ToolResult(_) => None,
        };
        let place = Place::system(at);
        if let Some(text) = text {
            work.change(place, "a block of the instructions is said as text");
            let block = work.system()[at].edit();
            block.body = Body::Text { text, citations: Vec::new() };
            false
        } else {
            work.loss(place, "left out a block of the instructions that is no text");
            true
        }
    });
}

/// Leaves out what only another dialect knows, so that whoever comes later sees what will be said.
/// A turn that held nothing else stays: what comes before and after it is not one.
fn strangers(work: &mut Work<'_>) {
    let dialect = work.profile.dialect;
    let is_strange =
        |block: &Block| matches!(&block.body, Body::Foreign { dialect: of, .. } if *of != dialect);
    for turn in 0..work.turns().len() {
        work.sift(turn, |work, at| {
            let place = Place::block(turn, at);
            match &work.block(turn, at).body {
                Body::Foreign { kind, .. } if is_strange(work.block(turn, at)) => {
                    let what = format!("left out `{kind}`: there is no such block here");
                    work.loss(place, what);
                    return true;
                }
                Body::ToolResult(ToolResult { content, .. })
                    if content.iter().any(|inner| is_strange(inner)) =>
                {
                    work.loss(place, "left out what there is no such block for in the result");
                    if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
                        result.content.retain(|inner| !is_strange(inner));
                    }
                }
                _ => {}
            }
            false
        });
    }
}

/// Calls and results within a result are said in words, and what was thought has no place there.
fn within_results(work: &mut Work<'_>) {
    let said = |block: &Block| match &block.body {
        Body::ToolCall(_) | Body::ToolResult(_) => orphan_result::text_of(block),
        _ => None,
    };
    let (own, profile) = (work.is_own(), work.profile);
    // Where it is a part as any other, it stays if such parts do.
    let stays = |block: &Block| match profile.fields.foreign {
        None => own,
        Some(known) => own && Judge::new(known, profile).takes_part(block),
    };
    let is_thought = |block: &Block| matches!(block.body, Body::Thinking(_)) && !stays(block);
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let Body::ToolResult(result) = &work.block(turn, at).body else { continue };
            let nested = result.content.iter().any(|inner| said(inner).is_some());
            let thinks = result.content.iter().any(|inner| is_thought(inner));
            if nested {
                work.change(Place::block(turn, at), "a call within a result is said as text");
            }
            if thinks {
                work.loss(Place::block(turn, at), "left out thinking within a result");
            }
            if !nested && !thinks {
                continue;
            }
            if let Body::ToolResult(result) = &mut work.edit(turn, at).body {
                result.content.retain(|inner| !is_thought(inner));
                for inner in &mut result.content {
                    if let Some(text) = said(inner) {
                        *inner = Block::text(text).into();
                    }
                }
            }
        }
    }
}

/// Whether a block that only one dialect has goes to the target as what it is.
pub(crate) fn is_taken(work: &Work<'_>, block: &Block, role: Role) -> bool {
    let profile = work.profile;
    let Some(known) = profile.fields.foreign else { return true };
    let fate = Judge::new(known, profile).fate(block, Some(role));
    matches!(fate, Fate::Stays | Fate::Instead(_))
}

/// Looks at one block; its kind, if it is to go.
fn left_out(
    work: &mut Work<'_>,
    judge: &Judge<'_>,
    (turn, at): Spot,
    unnamed: &mut usize,
) -> Option<Text> {
    let role = work.turns()[turn].role;
    let block = work.block(turn, at);
    if let Body::ToolResult(ToolResult { content, .. }) = &block.body {
        if content.iter().any(|inner| !matches!(judge.fate(inner, None), Fate::Stays)) {
            result(work, judge, turn, at);
        }
        return None;
    }
    let fate = judge.fate(block, Some(role));
    let kind = judge.kind(block);
    let goes = matches!(fate, Fate::Text(_) | Fate::Goes);
    if goes && turn >= *unnamed && is_named_reasoning(work, block) {
        *unnamed = thoughts::unname_followers(work, turn + 1);
    }
    match fate {
        Fate::Stays => {}
        Fate::Anew => {
            work.change(Place::block(turn, at), format!("`{kind}` is said in another form"));
            judge.forget(work.edit(turn, at));
        }
        Fate::Instead(json) => {
            let place = Place::block(turn, at);
            if is_opened(work.block(turn, at), &json) {
                work.change(place, format!("a text in `{kind}` is the object that it holds"));
            } else {
                let what = format!("left out fields of `{kind}` that the target does not know");
                work.loss(place, what);
            }
            change(work.edit(turn, at), json);
        }
        Fate::Text(text) => {
            work.change(Place::block(turn, at), format!("`{kind}` is said as text"));
            work.edit(turn, at).body = Body::Text { text, citations: Vec::new() };
        }
        Fate::Goes => {
            let what = format!("left out `{kind}`: the target takes no such block here");
            work.loss(Place::block(turn, at), what);
            return Some(kind);
        }
    }
    None
}

/// Looks at one block of the instructions; whether it is to go.
fn is_no_instruction(work: &mut Work<'_>, judge: &Judge<'_>, at: usize) -> bool {
    let block = &work.conversation().system[at];
    let Body::Foreign { kind, .. } = &block.body else { return false };
    let (kind, place) = (kind.clone(), Place::system(at));
    match judge.fate(block, Some(Role::System)) {
        Fate::Stays | Fate::Anew => {}
        Fate::Instead(json) => {
            let what = format!("left out fields of `{kind}` that the target does not know");
            work.loss(place, what);
            change(work.system()[at].edit(), json);
        }
        Fate::Text(text) => {
            work.change(place, format!("`{kind}` is said as text"));
            work.system()[at].edit().body = Body::Text { text, citations: Vec::new() };
        }
        Fate::Goes => {
            let what = format!("left out `{kind}`: the instructions take no such block");
            work.loss(place, what);
            return true;
        }
    }
    false
}

/// Whether an item has the id of reasoning, whatever it says that it is.
fn is_named_reasoning(work: &Work<'_>, block: &Block) -> bool {
    let Some(ids) = work.profile.calls.item_ids else { return false };
    let id = thoughts::item_id(block, work.profile.dialect);
    id.is_some_and(|id| id.raw().starts_with(ids.reasoning))
}

fn result(work: &mut Work<'_>, judge: &Judge<'_>, turn: usize, at: usize) {
    let place = Place::block(turn, at);
    let Body::ToolResult(ToolResult { content, .. }) = &work.block(turn, at).body else { return };
    let mut kept = Vec::new();
    let mut notes = Vec::new();
    for inner in content.clone() {
        let kind = judge.kind(&inner);
        match judge.fate(&inner, None) {
            Fate::Stays => kept.push(inner),
            Fate::Anew => {
                let mut inner = inner;
                judge.forget(inner.edit());
                kept.push(inner);
                notes.push((false, format!("`{kind}` in the result is said in another form")));
            }
            Fate::Instead(json) => {
                let mut inner = inner;
                change(inner.edit(), json);
                kept.push(inner);
                notes.push((true, format!("left out fields of `{kind}` in the result")));
            }
            Fate::Text(text) => {
                kept.push(Block::text(text).into());
                notes.push((false, format!("`{kind}` in the result is said as text")));
            }
            Fate::Goes => notes.push((true, format!("left out `{kind}` of the result"))),
        }
    }
    for (loss, what) in notes {
        if loss { work.loss(place, what) } else { work.change(place, what) }
    }
    if let Body::ToolResult(ToolResult { content, .. }) = &mut work.edit(turn, at).body {
        *content = kept;
    }
}

/// Whether the block differs only in texts that are objects now.
fn is_opened(block: &Block, new: &Json) -> bool {
    let Body::Foreign { json, .. } = &block.body else { return false };
    let (old, new) = (json.doc(), new.doc());
    let mut new = new.root().fields();
    old.root().fields().all(|old| {
        new.next().is_some_and(|new| {
            let opened = old.value.is_string() && new.value.is_object();
            old.name() == new.name() && (opened || old.value.raw() == new.value.raw())
        })
    })
}

fn change(block: &mut Block, new: Json) {
    if let Body::Foreign { json, .. } = &mut block.body {
        *json = new;
    }
}
