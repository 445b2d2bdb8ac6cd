//! Writes a message item: consecutive texts and refusals are its parts.

use interlingua_model::{Block, BlockContent, Citation, Extras, Ledger, LedgerPath};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, JsonStringBuilder, RawJson};

use super::event::{EventWriter, ItemRef};
use crate::note;
use crate::openai_responses::decode::output_item::ItemPosition;
use crate::openai_responses::encode::block::encode_citation;
use crate::openai_responses::id::ID;

pub(super) struct MessageItem {
    item_ref: ItemRef,
    /// The message's own fields, if the reply was decoded from this dialect.
    message_fields: Option<RawJson>,
    parts: Vec<RawJson>,
    open_part: Option<OpenPart>,
}

/// The open part, buffered for its end event.
struct OpenPart {
    is_refusal: bool,
    text: JsonStringBuilder,
    annotations: Vec<RawJson>,
    extras: Extras,
}

impl MessageItem {
    pub(super) fn new(message_fields: Option<&RawJson>, position: ItemPosition<'_>) -> Self {
        let original_id = message_fields
            .and_then(|message_fields| message_fields.to_doc().root().get("id")?.json_string());
        let id = original_id.unwrap_or_else(|| position.derive_item_id("msg_"));
        let item_ref = ItemRef { id, output_index: position.index };
        Self {
            item_ref,
            message_fields: message_fields.cloned(),
            parts: Vec::new(),
            open_part: None,
        }
    }

    pub(super) fn write_start(&self, writer: &mut EventWriter, out: &mut Vec<u8>) {
        let item = self.to_item("in_progress");
        writer.write_item_event(
            "response.output_item.added",
            self.item_ref.output_index,
            &item,
            out,
        );
    }

    pub(super) fn finished_item(&self) -> RawJson {
        self.to_item("completed")
    }

    fn to_item(&self, status: &str) -> RawJson {
        RawJson::object(|o| {
            o.json_string("id", &self.item_ref.id);
            o.static_str("type", "message");
            o.str("status", status);
            o.static_str("role", "assistant");
            o.array("content", |a| self.parts.iter().for_each(|part| a.item().json(part)));
            if let Some(message_fields) = &self.message_fields {
                for field in
                    message_fields.to_doc().root().fields().filter(|field| !field.key_is("id"))
                {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
        })
    }

    pub(super) fn start_part(
        &mut self,
        block: &Block,
        path: LedgerPath,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        self.finish_part(writer, out);
        let is_refusal = matches!(block.content, BlockContent::Refusal(_));
        if let Some(seal) = &block.seal {
            let message = format!("left out the seal of {}", seal.origin.issuer);
            ledger.record_loss(note::FOREIGN_SEAL, path, message);
        }
        let part = OpenPart {
            is_refusal,
            text: JsonStringBuilder::default(),
            annotations: Vec::new(),
            extras: block.extras.clone(),
        };
        let json = OpenPart::to_json(&part, &JsonString::EMPTY);
        self.open_part = Some(part);
        self.write_part_event("response.content_part.added", &json, writer, out);
        match &block.content {
            BlockContent::Text { text, citations } => {
                self.write_text(text, writer, out);
                for citation in citations {
                    self.write_citation(citation, path, writer, out, ledger);
                }
            }
            BlockContent::Refusal(text) => self.write_text(text, writer, out),
            // Only texts and refusals are opened as parts.
            BlockContent::Reasoning(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolCall(_)
            | BlockContent::ToolResult(_)
            | BlockContent::Foreign { .. } => {}
        }
    }

    /// Writes a part that was received complete.
    pub(super) fn write_complete_part(
        &mut self,
        json: &RawJson,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) {
        self.finish_part(writer, out);
        self.write_part_event("response.content_part.added", json, writer, out);
        self.write_part_event("response.content_part.done", json, writer, out);
        self.parts.push(json.clone());
    }

    pub(super) fn write_text(
        &mut self,
        text: &JsonString,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) {
        let at = self.parts.len();
        let Some(part) = self.open_part.as_mut().filter(|_| !text.is_empty()) else { return };
        part.text.push(text);
        let item_ref = &self.item_ref;
        writer.write_event(part.event_name("delta"), out, |o| {
            item_ref.write_with_part("content_index", at, o);
            o.json_string("delta", text);
            if !part.is_refusal {
                o.array("logprobs", |_| {});
            }
        });
    }

    pub(super) fn write_citation(
        &mut self,
        citation: &Citation,
        path: LedgerPath,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
        ledger: &mut Ledger,
    ) {
        let at = self.parts.len();
        let Some(part) = &mut self.open_part else { return };
        let Some(json) = encode_citation(citation).filter(|_| !part.is_refusal) else {
            ledger.record_loss(note::CITATION_REDUCED, path, "left out a citation without a URL");
            return;
        };
        let is_foreign = citation.original.as_ref().is_none_or(|(dialect, _)| *dialect != ID);
        if is_foreign && citation.quote.is_some() {
            ledger.record_loss(note::CITATION_REDUCED, path, "left out the quote of a citation");
        }
        let item_ref = &self.item_ref;
        writer.write_event("response.output_text.annotation.added", out, |o| {
            item_ref.write_with_part("content_index", at, o);
            o.number("annotation_index", part.annotations.len() as u64);
            o.json("annotation", &json);
        });
        part.annotations.push(json);
    }

    pub(super) fn finish_part(&mut self, writer: &mut EventWriter, out: &mut Vec<u8>) {
        let Some(part) = self.open_part.take() else { return };
        let text = part.text.to_json_string();
        let (item_ref, at) = (&self.item_ref, self.parts.len());
        writer.write_event(part.event_name("done"), out, |o| {
            item_ref.write_with_part("content_index", at, o);
            o.json_string(if part.is_refusal { "refusal" } else { "text" }, &text);
            if !part.is_refusal {
                o.array("logprobs", |_| {});
            }
        });
        let json = part.to_json(&text);
        self.write_part_event("response.content_part.done", &json, writer, out);
        self.parts.push(json);
    }

    fn write_part_event(
        &self,
        event: &'static str,
        json: &RawJson,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) {
        let (item_ref, at) = (&self.item_ref, self.parts.len());
        writer.write_event(event, out, |o| {
            item_ref.write_with_part("content_index", at, o);
            o.json("part", json);
        });
    }
}

impl OpenPart {
    fn event_name(&self, phase: &str) -> &'static str {
        match (self.is_refusal, phase) {
            (false, "delta") => "response.output_text.delta",
            (false, _) => "response.output_text.done",
            (true, "delta") => "response.refusal.delta",
            (true, _) => "response.refusal.done",
        }
    }

    fn to_json(&self, text: &JsonString) -> RawJson {
        RawJson::object(|o| self.write_fields(text, o))
    }

    fn write_fields(&self, text: &JsonString, o: &mut ObjectWriter<'_>) {
        if self.is_refusal {
            o.static_str("type", "refusal");
            o.json_string("refusal", text);
        } else {
            o.static_str("type", "output_text");
            o.json_string("text", text);
            o.array("annotations", |a| {
                self.annotations.iter().for_each(|annotation| a.item().json(annotation));
            });
            if self.extras.get(ID, "logprobs").is_none() {
                o.array("logprobs", |_| {});
            }
        }
        self.extras.write(ID, o);
    }
}
