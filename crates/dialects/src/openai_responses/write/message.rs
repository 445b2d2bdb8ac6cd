//! A message: texts and refusals that follow each other are its parts.

use interlingua_model::{Block, Body, Citation, Extras, Ledger, Place};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Pieces, Text};

use super::super::ID;
use super::super::encode_parts::citation_json;
use super::super::output::{MESSAGE, Seat};
use super::pen::{Pen, Spot};
use crate::note;

pub(super) struct Message {
    spot: Spot,
    /// The message's own fields, where it has been read in this dialect.
    head: Option<Json>,
    parts: Vec<Json>,
    open: Option<Part>,
}

/// The part that is being written, gathered for when it is done.
struct Part {
    refusal: bool,
    said: Pieces,
    annotations: Vec<Json>,
    extras: Extras,
}

impl Message {
    pub(super) fn new(head: Option<&Json>, seat: Seat<'_>) -> Self {
        let said = head.and_then(|head| head.doc().root().get("id")?.text());
        let id = said.unwrap_or_else(|| seat.id("msg_"));
        let spot = Spot { id, index: seat.index };
        Self { spot, head: head.cloned(), parts: Vec::new(), open: None }
    }

    pub(super) fn write_start(&self, pen: &mut Pen, out: &mut Vec<u8>) {
        let item = self.item("in_progress");
        pen.item("response.output_item.added", self.spot.index, &item, out);
    }

    /// The message as an item.
    pub(super) fn done(&self) -> Json {
        self.item("completed")
    }

    fn item(&self, status: &str) -> Json {
        Json::object(|o| {
            o.text("id", &self.spot.id);
            o.known("type", "message");
            o.word("status", status);
            o.known("role", "assistant");
            o.array("content", |a| self.parts.iter().for_each(|part| a.item().json(part)));
            if let Some(head) = &self.head {
                for field in head.doc().root().fields().filter(|field| !field.is("id")) {
                    o.key_text(&field.key()).json(&field.value.json());
                }
            }
        })
    }

    pub(super) fn open_part(
        &mut self,
        block: &Block,
        place: Place,
        pen: &mut Pen,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        self.close_part(pen, out);
        let refusal = matches!(block.body, Body::Refusal(_));
        let mut extras = Extras::default();
        for (key, value) in block.extras.of(ID).iter().filter(|(key, _)| *key != MESSAGE) {
            extras.put(ID, key.clone(), value.clone());
        }
        if let Some(seal) = &block.seal {
            let what = format!("left out the seal of {}", seal.origin.issuer);
            ledger.loss(note::FOREIGN_SEAL, place, what);
        }
        let part = Part { refusal, said: Pieces::default(), annotations: Vec::new(), extras };
        let json = Part::json(&part, &Text::EMPTY);
        self.open = Some(part);
        self.part_event("response.content_part.added", &json, pen, out);
        match &block.body {
            Body::Text { text, citations } => {
                self.write_text(text, pen, out);
                for citation in citations {
                    self.write_citation(citation, place, pen, out, ledger);
                }
            }
            Body::Refusal(text) => self.write_text(text, pen, out),
            // Only texts are opened as parts.
            Body::Thinking(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolCall(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => {}
        }
    }

    /// A part that comes whole.
    pub(super) fn whole_part(&mut self, json: &Json, pen: &mut Pen, out: &mut Vec<u8>) {
        self.close_part(pen, out);
        self.part_event("response.content_part.added", json, pen, out);
        self.part_event("response.content_part.done", json, pen, out);
        self.parts.push(json.clone());
    }

    pub(super) fn write_text(&mut self, text: &Text, pen: &mut Pen, out: &mut Vec<u8>) {
        let at = self.parts.len();
        let Some(part) = self.open.as_mut().filter(|_| !text.is_empty()) else { return };
        part.said.push(text);
        let spot = &self.spot;
        pen.event(part.word("delta"), out, |o| {
            spot.write_part("content_index", at, o);
            o.text("delta", text);
            if !part.refusal {
                o.array("logprobs", |_| {});
            }
        });
    }

    pub(super) fn write_citation(
        &mut self,
        citation: &Citation,
        place: Place,
        pen: &mut Pen,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let at = self.parts.len();
        let Some(part) = &mut self.open else { return };
        let Some(json) = citation_json(citation).filter(|_| !part.refusal) else {
            ledger.loss(note::CITATION_REDUCED, place, "left out a citation without a URL");
            return;
        };
        let crosses = citation.written.as_ref().is_none_or(|(dialect, _)| *dialect != ID);
        if crosses && citation.quote.is_some() {
            ledger.loss(note::CITATION_REDUCED, place, "left out the words that are cited");
        }
        let spot = &self.spot;
        pen.event("response.output_text.annotation.added", out, |o| {
            spot.write_part("content_index", at, o);
            o.number("annotation_index", part.annotations.len() as u64);
            o.json("annotation", &json);
        });
        part.annotations.push(json);
    }

    pub(super) fn close_part(&mut self, pen: &mut Pen, out: &mut Vec<u8>) {
        let Some(part) = self.open.take() else { return };
        let text = part.said.text();
        let (spot, at) = (&self.spot, self.parts.len());
        pen.event(part.word("done"), out, |o| {
            spot.write_part("content_index", at, o);
            o.text(if part.refusal { "refusal" } else { "text" }, &text);
            if !part.refusal {
                o.array("logprobs", |_| {});
            }
        });
        let json = part.json(&text);
        self.part_event("response.content_part.done", &json, pen, out);
        self.parts.push(json);
    }

    fn part_event(&self, event: &'static str, json: &Json, pen: &mut Pen, out: &mut Vec<u8>) {
        let (spot, at) = (&self.spot, self.parts.len());
        pen.event(event, out, |o| {
            spot.write_part("content_index", at, o);
            o.json("part", json);
        });
    }
}

impl Part {
    fn word(&self, step: &str) -> &'static str {
        match (self.refusal, step) {
            (false, "delta") => "response.output_text.delta",
            (false, _) => "response.output_text.done",
            (true, "delta") => "response.refusal.delta",
            (true, _) => "response.refusal.done",
        }
    }

    fn json(&self, text: &Text) -> Json {
        Json::object(|o| self.fields(text, o))
    }

    fn fields(&self, text: &Text, o: &mut Object<'_>) {
        if self.refusal {
            o.known("type", "refusal");
            o.text("refusal", text);
        } else {
            o.known("type", "output_text");
            o.text("text", text);
            o.array("annotations", |a| self.annotations.iter().for_each(|one| a.item().json(one)));
            if self.extras.find(ID, "logprobs").is_none() {
                o.array("logprobs", |_| {});
            }
        }
        self.extras.write(ID, o);
    }
}
