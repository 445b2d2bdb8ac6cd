//! What the assistant said, encoded as one message: reasoning, then text, then calls.

use interlingua_model::{Block, Body, Extras, Form, MediaKind, Place, Thinking, Turn, Verbatim};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Text};

use super::content::{self, Piece};
use super::encode::{Pen, blocks_of};
use super::fields::DETAILS;
use super::flavor::{NoText, Reasoning, Skill};
use super::reasoning::{self, GOOGLE};
use super::{ID, calls, mark};
use crate::note;

type Placed<'a> = (Place, &'a Verbatim<Block>);

/// The blocks of a message by where they go.
#[derive(Default)]
struct Speech<'a> {
    thinking: Vec<Placed<'a>>,
    texts: Vec<Piece<'a>>,
    /// Where the last text stood.
    said: Option<Place>,
    refusals: Vec<&'a Text>,
    images: Vec<&'a Verbatim<Block>>,
    calls: Vec<Placed<'a>>,
    /// Annotations this dialect wrote.
    annotations: Vec<&'a Json>,
    /// The seal on the last text, and where that stood.
    signature: Option<(Place, &'a interlingua_model::Seal)>,
    /// How far the order of the message has come.
    stage: u8,
    disordered: Option<Place>,
    /// One of the turns has nothing in it: that is a message of its own right, and not one of which
    /// nothing can be told.
    empty: bool,
    /// Who says it, if that is not the assistant.
    stranger: Option<Text>,
}

/// Writes the turns of one run of the assistant's as one message.
pub(super) fn encode(
    first: usize,
    turns: &[Verbatim<Turn>],
    out: &mut Array<'_>,
    pen: &mut Pen<'_>,
) {
    let own = pen.conversation.source == ID;
    let stranger = turns.first().filter(|_| own).and_then(|turn| mark::stranger(&turn.extras));
    let mut speech = Speech { stranger, ..Speech::default() };
    for (at, turn) in (first..).zip(turns) {
        pen.note_extras(&turn.extras, Place::turn(at));
        speech.empty |= turn.blocks.is_empty();
        for (place, block) in blocks_of(at, turn) {
            speech.take(place, block, pen);
        }
    }
    if let Some(place) = speech.disordered {
        pen.ledger.change(
            note::ORDER_CHANGED,
            place,
            "reasoning comes first, then text, then calls",
        );
    }
    let says_nothing = speech.texts.is_empty()
        && speech.refusals.is_empty()
        && speech.images.is_empty()
        && speech.calls.is_empty()
        // What is thought is part of the content there.
        && (pen.flavor.reasoning != Reasoning::Content || speech.thinking.is_empty());
    // An empty message is refused, and reasoning alone is that of an answer that was broken off.
    if says_nothing && !speech.empty && pen.conversation.source != ID {
        for (place, _) in &speech.thinking {
            pen.reasoning_stays(*place);
        }
        return;
    }
    let extras = turns.iter().map(|turn| &turn.extras);
    out.object(|o| speech.write(extras, o, pen));
}

impl<'a> Speech<'a> {
    fn take(&mut self, place: Place, block: &'a Verbatim<Block>, pen: &mut Pen<'_>) {
        match &block.body {
            Body::Thinking(_) => self.think(place, block, pen),
            Body::Text { text, citations } => {
                self.reach(1, place);
                self.say(place, text, block, pen);
                self.mark(citations, place, pen);
                self.sign(place, block, pen);
            }
            Body::Refusal(text) if pen.flavor.can(Skill::Refusal) => {
                self.reach(1, place);
                self.refusals.push(text);
            }
            Body::Refusal(text) => {
                self.reach(1, place);
                pen.ledger.change(note::NO_SUCH_BLOCK, place, "a refusal is written as text");
                self.texts.push(Piece::Text(text.clone(), Some(block)));
            }
            Body::Data(json) => {
                self.reach(1, place);
                self.texts.push(Piece::Text(Text::new(json.as_str()), Some(block)));
            }
            Body::Media(media)
                if pen.flavor.can(Skill::AssistantImages) && media.kind == MediaKind::Image =>
            {
                self.images.push(block);
            }
            Body::Media(media) => pen.no_block(place, content::name(media.kind)),
            Body::ToolCall(_) => {
                self.reach(2, place);
                self.calls.push((place, block));
            }
            Body::ToolResult(_) => pen.no_block(place, "a result where none can stand"),
            Body::Foreign { dialect, kind, json } if *dialect == ID => {
                if reasoning::is_entry(kind) {
                    self.think(place, block, pen);
                } else {
                    self.texts.push(Piece::Written(json));
                }
            }
            Body::Foreign { kind, .. } => pen.no_block(place, &kind.contents()),
        }
    }

    /// Neighbours in one turn are pieces of one text, where they cannot stay apart.
    fn say(&mut self, place: Place, text: &Text, block: &'a Verbatim<Block>, pen: &Pen<'_>) {
        let before = self.said.replace(place);
        if let Some(written) = block.text_for(ID) {
            return self.texts.push(Piece::Written(written));
        }
        let continues = before.is_some_and(|before| {
            before.index == place.index && before.block.map(|block| block + 1) == place.block
        });
        match self.texts.last_mut() {
            Some(Piece::Text(earlier, _))
                if continues && block.cache.is_none() && !pen.flavor.can(Skill::AssistantParts) =>
            {
                *earlier = Text::concat([&*earlier, text]);
            }
            _ => self.texts.push(Piece::Text(text.clone(), Some(block))),
        }
    }

    /// Reasoning that cannot be told stays behind; only what is written counts for the order.
    fn think(&mut self, place: Place, block: &'a Verbatim<Block>, pen: &mut Pen<'_>) {
        let text = thought(block);
        let told = match pen.flavor.reasoning {
            Reasoning::Nowhere => false,
            // An empty field says that the reasoning is gone.
            Reasoning::Field(_) => text.is_some(),
            Reasoning::Content => text.is_some_and(|text| !text.is_empty()),
            Reasoning::Details => reasoning::has_entries(block),
        };
        if told {
            self.reach(0, place);
            self.thinking.push((place, block));
        } else {
            pen.reasoning_stays(place);
        }
    }

    fn reach(&mut self, stage: u8, place: Place) {
        if stage < self.stage && self.disordered.is_none() {
            self.disordered = Some(place);
        }
        self.stage = self.stage.max(stage);
    }

    fn mark(
        &mut self,
        citations: &'a [interlingua_model::Citation],
        place: Place,
        pen: &mut Pen<'_>,
    ) {
        let written = |citation: &'a interlingua_model::Citation| {
            citation.written.as_ref().filter(|(from, _)| *from == ID).map(|(_, json)| json)
        };
        self.annotations.extend(citations.iter().filter_map(written));
        if citations.iter().any(|citation| written(citation).is_none()) {
            let what = "the marks of where a text comes from are left out";
            pen.ledger.loss(note::CITATION_REDUCED, place, what);
        }
    }

    fn sign(&mut self, place: Place, block: &'a Verbatim<Block>, pen: &mut Pen<'_>) {
        // The message has one place for a seal, and a seal is on the end of what it vouches for.
        if let Some((earlier, _)) = self.signature.take() {
            pen.seal_stays(earlier);
        }
        let seal = block.seal.as_deref();
        let carried = pen.flavor.can(Skill::GoogleSignature);
        let carried = seal.filter(|seal| carried && seal.origin.issuer == GOOGLE);
        self.signature = carried.map(|seal| (place, seal));
        if block.cache.is_some() && !pen.writes_cache() {
            pen.cache_stays(place);
        }
        if seal.is_some() && self.signature.is_none() {
            pen.seal_stays(place);
        }
        pen.note_extras(&block.extras, place);
    }

    fn write<'e>(
        &self,
        extras: impl Iterator<Item = &'e Extras>,
        o: &mut Object<'_>,
        pen: &mut Pen<'_>,
    ) {
        o.text("role", self.stranger.as_ref().unwrap_or(&Text::word("assistant")));
        self.write_content(o, pen);
        if !self.refusals.is_empty() {
            o.key("refusal").joined(self.refusals.iter().copied(), "\n\n");
        }
        self.write_thinking(o, pen);
        if !self.annotations.is_empty() {
            o.array("annotations", |a| self.annotations.iter().for_each(|one| a.item().json(one)));
        }
        if !self.images.is_empty() {
            o.array("images", |a| {
                for block in &self.images {
                    match (block.text_for(ID), &block.body) {
                        (Some(text), _) => a.item().json(text),
                        (None, Body::Media(media)) => a.object(|o| content::write_media(media, o)),
                        (None, _) => {}
                    }
                }
            });
        }
        calls::encode(&self.calls, o, pen);
        if let Some((_, seal)) = self.signature {
            calls::write_signature(seal, o);
        }
        let told = |key: &Text| match pen.flavor.reasoning {
            Reasoning::Field(field) => key == field && !self.thinking.is_empty(),
            Reasoning::Details => key == DETAILS && self.has_details(),
            Reasoning::Nowhere | Reasoning::Content => false,
        };
        for (key, value) in
            extras.flat_map(|extras| extras.of(ID)).filter(|(key, _)| !told(key) && !mark::is(key))
        {
            o.key_text(key).json(value);
        }
    }

    /// Whether there is a list of entries to be written.
    fn has_details(&self) -> bool {
        !self.thinking.is_empty() || self.calls.iter().any(|(_, block)| is_sealed(block))
    }

    fn write_content(&self, o: &mut Object<'_>, pen: &mut Pen<'_>) {
        if pen.flavor.reasoning == Reasoning::Content && !self.thinking.is_empty() {
            return o.array("content", |a| {
                for (place, block) in &self.thinking {
                    write_chunk(*place, block, a, pen);
                }
                self.texts.iter().for_each(|piece| content::write_piece(piece, a, pen));
            });
        }
        if !self.texts.is_empty() {
            let lists = pen.flavor.can(Skill::AssistantParts);
            return content::write(&self.texts, lists, "\n\n", o, pen);
        }
        match pen.flavor.no_text {
            // Only the assistant's calls stand for a content.
            _ if self.calls.is_empty() || self.stranger.is_some() => o.known("content", ""),
            NoText::Null => o.null("content"),
            NoText::Empty => o.known("content", ""),
            NoText::Omitted => {}
        }
    }

    fn write_thinking(&self, o: &mut Object<'_>, pen: &mut Pen<'_>) {
        match pen.flavor.reasoning {
            Reasoning::Nowhere | Reasoning::Content => {}
            Reasoning::Field(key) => {
                let texts = self.thinking.iter().filter_map(|(_, block)| thought(block));
                let texts: Vec<&Text> = texts.filter(|text| !text.is_empty()).collect();
                if !self.thinking.is_empty() {
                    o.key(key).joined(texts, "\n\n");
                }
                for (place, _) in self.thinking.iter().filter(|(_, block)| block.seal.is_some()) {
                    pen.seal_stays(*place);
                }
            }
            Reasoning::Details => {
                let sealed: Vec<_> =
                    self.calls.iter().filter(|(_, block)| is_sealed(block)).collect();
                if self.thinking.is_empty() && sealed.is_empty() {
                    return;
                }
                o.array("reasoning_details", |a| {
                    let mut index = 0;
                    for (place, block) in &self.thinking {
                        index = reasoning::write(block, index, a);
                        pen.note_extras(&block.extras, *place);
                    }
                    for (_, block) in sealed {
                        if let (Body::ToolCall(call), Some(seal)) = (&block.body, &block.seal) {
                            reasoning::write_for_call(&call.id, seal, index, a);
                            index += 1;
                        }
                    }
                });
            }
        }
    }
}

/// A call whose seal is not in the text it is written as.
fn is_sealed(block: &Verbatim<Block>) -> bool {
    block.seal.is_some() && block.text_for(ID).is_none()
}

/// The text of a thinking block that shows any.
fn thought(block: &Block) -> Option<&Text> {
    match &block.body {
        Body::Thinking(Thinking { form: Form::Full | Form::Summary, text }) => Some(text),
        _ => None,
    }
}

/// Reasoning as a chunk of the content.
fn write_chunk(place: Place, block: &Verbatim<Block>, out: &mut Array<'_>, pen: &mut Pen<'_>) {
    let is_chunk =
        |text: &&Json| text.doc().root().get("type").is_some_and(|kind| kind.word() == "thinking");
    if let Some(text) = block.text_for(ID).filter(is_chunk) {
        return out.item().json(text);
    }
    let Some(text) = thought(block) else { return };
    out.object(|o| {
        o.known("type", "thinking");
        o.array("thinking", |a| {
            a.object(|o| {
                o.known("type", "text");
                o.text("text", text);
            });
        });
    });
    if block.seal.is_some() {
        pen.seal_stays(place);
    }
}
