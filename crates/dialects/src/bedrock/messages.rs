//! Instructions and messages of a request, written.

use interlingua_model::{Block, Body, Conversation, Ledger, Media, Place, Role, Turn, Verbatim};
use interlingua_wire::json::Array;
use interlingua_wire::{Json, Text, Writer};

use super::encode::{self, Way};
use super::{ID, media, role_word};
use crate::{note, run};

/// What one message will say.
struct Message<'c> {
    role: Role,
    /// Where the first of its turns stands.
    first: usize,
    parts: Vec<Part<'c>>,
}

enum Part<'c> {
    Block(&'c Verbatim<Block>, Place),
    /// Media that cannot be sent: what was said beside them may be about them.
    Omitted(&'c Block, &'c Media, Place),
    /// Instructions in the middle of a conversation, as the user's words.
    Instructions(Vec<&'c Verbatim<Block>>, Place),
}

/// The list of instruction blocks: the dialect's own place, then the turns that lead the
/// conversation, unless the client spoke this dialect and put them where they are.
pub(super) fn write_system(
    conversation: &Conversation,
    way: Way,
    ledger: &mut Ledger,
    out: &mut Array<'_>,
) {
    for (index, block) in conversation.system.iter().enumerate() {
        write_instruction(block, way, Place::system(index), ledger, out);
    }
    for (turn, index) in conversation.turns.iter().zip(0..leading(conversation, way)) {
        encode::note_extras(&turn.extras, Place::turn(index), ledger);
        for (at, block) in turn.blocks.iter().enumerate() {
            write_instruction(block, way, Place::block(index, at), ledger, out);
        }
    }
}

fn write_instruction(
    block: &Verbatim<Block>,
    way: Way,
    place: Place,
    ledger: &mut Ledger,
    out: &mut Array<'_>,
) {
    let plain = |text: &Json| text.doc().root().get("text").is_some();
    match &block.body {
        // A text with its sources is none that instructions have.
        Body::Text { text, citations }
            if !citations.is_empty() || !block.text_for(ID).is_none_or(plain) =>
        {
            if !citations.is_empty() {
                ledger.loss(note::CITATION_REDUCED, place, "left out the citations of a text");
            }
            let mut said = Block::text(text.clone());
            said.cache.clone_from(&block.cache);
            encode::write(&said.into(), way, place, ledger, out);
        }
        Body::Text { .. } | Body::Refusal(_) => encode::write(block, way, place, ledger, out),
        Body::Foreign { dialect, .. } if *dialect == ID => {
            encode::write(block, way, place, ledger, out);
        }
        Body::Thinking(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_)
        | Body::Foreign { .. } => {
            let what = "left out a block of the instructions that is not text";
            ledger.loss(note::NO_SUCH_BLOCK, place, what);
        }
    }
}

/// How many turns go into the place for instructions.
pub(super) fn leading(conversation: &Conversation, way: Way) -> usize {
    if way == Way::Own { 0 } else { run::leading_instructions(conversation) }
}

pub(super) fn write_own(turns: &[Verbatim<Turn>], ledger: &mut Ledger, out: &mut Array<'_>) {
    for (index, turn) in turns.iter().enumerate() {
        if let Some(text) = turn.text_for(ID) {
            out.item().json(text);
            continue;
        }
        let mut parts = Vec::with_capacity(turn.blocks.len());
        for (at, block) in turn.blocks.iter().enumerate() {
            keep(block, Way::Own, Place::block(index, at), ledger, &mut parts);
        }
        encode::note_extras(&turn.extras, Place::turn(index), ledger);
        out.object(|o| {
            o.word("role", role_word(turn.role));
            o.array("content", |a| write_parts(&parts, Way::Own, ledger, a));
            turn.extras.write(ID, o);
        });
    }
}

/// Messages must alternate, so turns of one side become one; what has nothing left to say is none.
pub(super) fn write_cross(conversation: &Conversation, ledger: &mut Ledger, out: &mut Array<'_>) {
    let mut messages: Vec<Message<'_>> = Vec::new();
    let skip = leading(conversation, Way::Cross);
    for (index, turn) in conversation.turns.iter().enumerate().skip(skip) {
        let parts = parts_of(turn, index, ledger);
        let role = if turn.role == Role::Assistant { Role::Assistant } else { Role::User };
        match messages.last_mut().filter(|last| last.role == role) {
            Some(last) => last.parts.extend(parts),
            None if parts.is_empty() => {}
            None => messages.push(Message { role, first: index, parts }),
        }
    }
    for mut message in messages {
        if message.role == Role::User {
            put_results_first(&mut message, ledger);
        }
        out.object(|o| {
            o.word("role", role_word(message.role));
            o.array("content", |a| write_parts(&message.parts, Way::Cross, ledger, a));
        });
    }
}

fn parts_of<'c>(turn: &'c Turn, index: usize, ledger: &mut Ledger) -> Vec<Part<'c>> {
    encode::note_extras(&turn.extras, Place::turn(index), ledger);
    let mut parts = Vec::with_capacity(turn.blocks.len());
    let mut instructions = Vec::new();
    for (at, block) in turn.blocks.iter().enumerate() {
        let place = Place::block(index, at);
        let is_instruction = !matches!(turn.role, Role::User | Role::Assistant);
        if is_instruction && block.body.as_text().is_some() {
            instructions.push(block);
        } else {
            keep(block, Way::Cross, place, ledger, &mut parts);
        }
    }
    if !instructions.is_empty() {
        let place = Place::turn(index);
        let what = "instructions within the conversation are said by the user, marked as such";
        ledger.change(note::SYSTEM_MOVED, place, what);
        parts.insert(0, Part::Instructions(instructions, place));
    }
    parts
}

fn keep<'c>(
    block: &'c Verbatim<Block>,
    way: Way,
    place: Place,
    ledger: &mut Ledger,
    parts: &mut Vec<Part<'c>>,
) {
    match encode::refusal(block, way) {
        Some((rule, what)) => {
            ledger.loss(rule, place, what);
            if let Body::Media(media) = &block.body {
                parts.push(Part::Omitted(block, media, place));
            }
        }
        None => parts.push(Part::Block(block, place)),
    }
}

fn put_results_first(message: &mut Message<'_>, ledger: &mut Ledger) {
    let is_result = |part: &Part<'_>| match part {
        Part::Block(block, _) => matches!(block.body, Body::ToolResult(_)),
        Part::Omitted(..) | Part::Instructions(..) => false,
    };
    if message.parts.is_sorted_by_key(|part| !is_result(part)) {
        return;
    }
    message.parts.sort_by_key(|part| !is_result(part));
    let what = "results come before what the user says";
    ledger.change(note::ORDER_CHANGED, Place::turn(message.first), what);
}

fn write_parts(parts: &[Part<'_>], way: Way, ledger: &mut Ledger, out: &mut Array<'_>) {
    for part in parts {
        match part {
            Part::Block(block, place) => encode::write(block, way, *place, ledger, out),
            Part::Omitted(block, media, place) => {
                encode::plain(&media::words(media), out.item());
                if let Some(cache) = &block.cache {
                    encode::cache_point(cache, *place, ledger, out);
                }
            }
            Part::Instructions(blocks, place) => {
                write_marked(blocks, out.item());
                if let Some(cache) = blocks.iter().rev().find_map(|block| block.cache.as_deref()) {
                    encode::cache_point(cache, *place, ledger, out);
                }
            }
        }
    }
}

fn write_marked(blocks: &[&Verbatim<Block>], out: &mut Writer) {
    let (open, close) = (Text::word("<system-reminder>"), Text::word("</system-reminder>"));
    let texts = blocks.iter().filter_map(|block| block.body.as_text());
    out.object(|o| {
        let lines = std::iter::once(&open).chain(texts).chain(std::iter::once(&close));
        o.key("text").joined(lines, "\n");
    });
}
