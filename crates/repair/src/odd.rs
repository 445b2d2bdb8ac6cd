//! What decoding could not read as it stands is written anew.
//!
//! Decoding keeps the text of what it reads and notes what is odd in it. The note is the name of the
//! change; here the odd text is forgotten, so that what leaves is what was understood.

use interlingua_model::{Block, Body, Place, Section, Source, ToolResult, Verbatim};

use interlingua_wire::Node;

use crate::Work;
use crate::fit::empty_text;

pub(crate) fn forget(work: &mut Work<'_>) {
    if let Some(takes) = work.profile.fields.takes.filter(|_| work.is_own()) {
        pardon(work, takes);
    }
    for at in 0..work.ledger().entries.len() {
        let place = work.ledger().entries[at].place;
        forget_at(work, place);
        if work.profile.thinking.placed {
            empty_text::hold_place(work, place);
        }
    }
}

/// What the target does not look at is not odd to it: it leaves as it came.
fn pardon(work: &mut Work<'_>, takes: fn(Node<'_>) -> bool) {
    let dialect = work.profile.dialect;
    let taken: Vec<bool> = work
        .turns()
        .iter()
        .map(|turn| turn.text_for(dialect).is_some_and(|text| takes(work.inside(text).root())))
        .collect();
    let is_taken = |turn: u32| taken.get(turn as usize) == Some(&true);
    work.unnote(|entry| match entry.place.section {
        Section::Turns => entry.place.index.is_some_and(is_taken),
        Section::System | Section::Tools | Section::Settings => true,
        Section::Body | Section::Reply => false,
    });
}

fn forget_at(work: &mut Work<'_>, place: Place) {
    let index = place.index.map(|index| index as usize);
    let block = place.block.map(|block| block as usize);
    match (place.section, index, block) {
        (Section::Turns, Some(turn), None) if turn < work.turns().len() => {
            work.turn(turn);
        }
        (Section::Turns, Some(turn), Some(block)) if turn < work.turns().len() => {
            if let Some(block) = work.turn(turn).blocks.get_mut(block) {
                deep(block);
            }
        }
        (Section::System, _, block) => {
            let system = work.system();
            if let Some(block) = block.and_then(|block| system.get_mut(block)) {
                deep(block);
            }
        }
        (Section::Tools, Some(tool), _) => {
            if let Some(tool) = work.tools().get_mut(tool) {
                tool.edit();
            }
        }
        (Section::Body | Section::Settings, ..) => {
            work.fields();
        }
        (Section::Turns | Section::Tools | Section::Reply, ..) => {}
    }
}

/// Forgets the text of a block and of what it holds.
fn deep(block: &mut Verbatim<Block>) {
    match &mut block.edit().body {
        Body::ToolResult(ToolResult { content, .. }) => content.iter_mut().for_each(deep),
        Body::Media(media) => {
            if let Source::Blocks(blocks) = &mut media.source {
                blocks.iter_mut().for_each(deep);
            }
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Thinking(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::Foreign { .. } => {}
    }
}
