//! Reasoning: a summary for people, the reasoning itself where the provider gave it, and the seal.

use interlingua_model::{Block, Body, Form, Ledger, Place, Seal, Thinking};
use interlingua_wire::{Json, Pieces, Text};

use super::super::ID;
use super::super::encode::{is_ours, write_reasoning_fields};
use super::super::output::{REASONING, Seat};
use super::pen::{Pen, Spot};
use crate::note;

pub(super) struct Reasoning {
    spot: Spot,
    block: Block,
    /// The text is the reasoning itself, as this dialect's own providers give it. Reasoning of others
    /// is shown as a summary: that is what clients show.
    full: bool,
    said: Pieces,
    begun: bool,
}

impl Reasoning {
    pub(super) fn new(thinking: &Thinking, block: &Block, seat: Seat<'_>) -> Self {
        let said = block.extras.find(ID, "id").and_then(Json::text);
        let sealed = block.seal.as_ref().filter(|_| is_ours(block));
        let known = said.or_else(|| sealed?.id.clone());
        let id = known.unwrap_or_else(|| seat.id(REASONING));
        let ours = is_ours(block) || !block.extras.of(ID).is_empty();
        Self {
            spot: Spot { id, index: seat.index },
            block: block.clone(),
            full: ours && thinking.form == Form::Full,
            said: Pieces::default(),
            begun: false,
        }
    }

    pub(super) fn write_start(&mut self, pen: &mut Pen, out: &mut Vec<u8>) {
        if !self.block.extras.of(ID).is_empty() {
            self.begin(pen, out);
        }
        if let Body::Thinking(thinking) = &self.block.body {
            let text = thinking.text.clone();
            self.write_text(&text, pen, out);
        }
    }

    /// The item begins when there is something to say: without a text, and with a seal that nobody
    /// here can open, it would say nothing.
    fn begin(&mut self, pen: &mut Pen, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.begun, true) {
            return;
        }
        let item = Json::object(|o| {
            o.text("id", &self.spot.id);
            o.known("type", "reasoning");
            o.known("status", "in_progress");
            o.array("summary", |_| {});
        });
        pen.item("response.output_item.added", self.spot.index, &item, out);
    }

    pub(super) fn write_text(&mut self, text: &Text, pen: &mut Pen, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.begin(pen, out);
        if self.said.is_empty() {
            self.part(ADDED[usize::from(self.full)], &Text::EMPTY, pen, out);
        }
        self.said.push(text);
        let (spot, key) = (&self.spot, self.key());
        pen.event(DELTA[usize::from(self.full)], out, |o| {
            spot.write_part(key, 0, o);
            o.text("delta", text);
        });
    }

    pub(super) fn seal(&mut self, seal: &Seal) {
        self.block.seal = Some(Box::new(seal.clone()));
    }

    pub(super) fn note(&self, place: Place, ledger: &mut Ledger) {
        if let Some(seal) = self.block.seal.as_ref().filter(|_| !is_ours(&self.block)) {
            let what = format!("left out the seal of {} on reasoning", seal.origin.issuer);
            ledger.loss(note::FOREIGN_SEAL, place, what);
        }
    }

    /// The item, if there is one.
    pub(super) fn finish(&mut self, pen: &mut Pen, out: &mut Vec<u8>) -> Option<Json> {
        if is_ours(&self.block) {
            self.begin(pen, out);
        }
        if !self.begun {
            return None;
        }
        let text = self.said.text();
        if !self.said.is_empty() {
            let (spot, key) = (&self.spot, self.key());
            pen.event(DONE[usize::from(self.full)], out, |o| {
                spot.write_part(key, 0, o);
                o.text("text", &text);
            });
            self.part(PART_DONE[usize::from(self.full)], &text, pen, out);
        }
        let thinking = Thinking { text, form: Form::Summary };
        Some(Json::object(|o| {
            write_reasoning_fields(&thinking, &self.block, Some(&self.spot.id), self.full, o);
            o.known("status", "completed");
        }))
    }

    fn part(&self, event: &'static str, text: &Text, pen: &mut Pen, out: &mut Vec<u8>) {
        let (spot, key) = (&self.spot, self.key());
        pen.event(event, out, |o| {
            spot.write_part(key, 0, o);
            o.object("part", |o| {
                o.word("type", if self.full { "reasoning_text" } else { "summary_text" });
                o.text("text", text);
            });
        });
    }

    fn key(&self) -> &'static str {
        if self.full { "content_index" } else { "summary_index" }
    }
}

/// Events for a summary, and for the reasoning itself.
const ADDED: [&str; 2] = ["response.reasoning_summary_part.added", "response.content_part.added"];
const DELTA: [&str; 2] = ["response.reasoning_summary_text.delta", "response.reasoning_text.delta"];
const DONE: [&str; 2] = ["response.reasoning_summary_text.done", "response.reasoning_text.done"];
const PART_DONE: [&str; 2] = ["response.reasoning_summary_part.done", "response.content_part.done"];
