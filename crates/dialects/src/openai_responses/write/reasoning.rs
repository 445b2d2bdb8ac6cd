//! Writes a reasoning item: the summary or the full reasoning, and the seal.

use interlingua_model::{Block, BlockContent, Ledger, LedgerPath, Reasoning, ReasoningForm, Seal};
use interlingua_wire::{JsonString, JsonStringBuilder, RawJson};

use super::event::{EventWriter, ItemRef};
use crate::note;
use crate::openai_responses::decode::output_item::{ItemPosition, REASONING_ID_PREFIX};
use crate::openai_responses::encode::turn::{has_own_seal, write_reasoning_fields};
use crate::openai_responses::id::ID;

pub(super) struct ReasoningItem {
    item_ref: ItemRef,
    block: Block,
    /// The text is the full reasoning of this dialect's own providers. Reasoning of other providers
    /// is written as a summary, because clients display only summaries.
    is_full_text: bool,
    text: JsonStringBuilder,
    is_started: bool,
}

impl ReasoningItem {
    pub(super) fn new(thinking: &Reasoning, block: &Block, position: ItemPosition<'_>) -> Self {
        let original_id = block.extras.get(ID, "id").and_then(RawJson::json_string);
        let own_seal = block.seal.as_ref().filter(|_| has_own_seal(block));
        let known_id = original_id.or_else(|| own_seal?.id.clone());
        let id = known_id.unwrap_or_else(|| position.derive_item_id(REASONING_ID_PREFIX));
        let is_own = has_own_seal(block) || !block.extras.fields_for(ID).is_empty();
        Self {
            item_ref: ItemRef { id, output_index: position.index },
            block: block.clone(),
            is_full_text: is_own && thinking.form == ReasoningForm::Full,
            text: JsonStringBuilder::default(),
            is_started: false,
        }
    }

    pub(super) fn write_start(&mut self, writer: &mut EventWriter, out: &mut Vec<u8>) {
        if !self.block.extras.fields_for(ID).is_empty() {
            self.ensure_started(writer, out);
        }
        if let BlockContent::Reasoning(thinking) = &self.block.content {
            let text = thinking.text.clone();
            self.write_text(&text, writer, out);
        }
    }

    /// Starts the item on its first content: without text and with a foreign seal it would be
    /// empty.
    fn ensure_started(&mut self, writer: &mut EventWriter, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.is_started, true) {
            return;
        }
        let item = RawJson::object(|o| {
            o.json_string("id", &self.item_ref.id);
            o.static_str("type", "reasoning");
            o.static_str("status", "in_progress");
            o.array("summary", |_| {});
        });
        writer.write_item_event(
            "response.output_item.added",
            self.item_ref.output_index,
            &item,
            out,
        );
    }

    pub(super) fn write_text(
        &mut self,
        text: &JsonString,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) {
        if text.is_empty() {
            return;
        }
        self.ensure_started(writer, out);
        if self.text.is_empty() {
            self.write_part_event(
                PART_ADDED_EVENTS[usize::from(self.is_full_text)],
                &JsonString::EMPTY,
                writer,
                out,
            );
        }
        self.text.push(text);
        let (item_ref, key) = (&self.item_ref, self.index_key());
        writer.write_event(DELTA_EVENTS[usize::from(self.is_full_text)], out, |o| {
            item_ref.write_with_part(key, 0, o);
            o.json_string("delta", text);
        });
    }

    pub(super) fn set_seal(&mut self, seal: &Seal) {
        self.block.seal = Some(Box::new(seal.clone()));
    }

    pub(super) fn note_dropped_seal(&self, path: LedgerPath, ledger: &mut Ledger) {
        if let Some(seal) = self.block.seal.as_ref().filter(|_| !has_own_seal(&self.block)) {
            let message = format!("left out the seal of {} on reasoning", seal.origin.issuer);
            ledger.record_loss(note::FOREIGN_SEAL, path, message);
        }
    }

    /// Finishes the item; `None` if it was never started.
    pub(super) fn finish(
        &mut self,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) -> Option<RawJson> {
        if has_own_seal(&self.block) {
            self.ensure_started(writer, out);
        }
        if !self.is_started {
            return None;
        }
        let text = self.text.to_json_string();
        if !self.text.is_empty() {
            let (item_ref, key) = (&self.item_ref, self.index_key());
            writer.write_event(TEXT_DONE_EVENTS[usize::from(self.is_full_text)], out, |o| {
                item_ref.write_with_part(key, 0, o);
                o.json_string("text", &text);
            });
            self.write_part_event(
                PART_DONE_EVENTS[usize::from(self.is_full_text)],
                &text,
                writer,
                out,
            );
        }
        let thinking = Reasoning { text, form: ReasoningForm::Summary };
        Some(RawJson::object(|o| {
            write_reasoning_fields(
                &thinking,
                &self.block,
                Some(&self.item_ref.id),
                self.is_full_text,
                o,
            );
            o.static_str("status", "completed");
        }))
    }

    fn write_part_event(
        &self,
        event: &'static str,
        text: &JsonString,
        writer: &mut EventWriter,
        out: &mut Vec<u8>,
    ) {
        let (item_ref, key) = (&self.item_ref, self.index_key());
        writer.write_event(event, out, |o| {
            item_ref.write_with_part(key, 0, o);
            o.object("part", |o| {
                o.str("type", if self.is_full_text { "reasoning_text" } else { "summary_text" });
                o.json_string("text", text);
            });
        });
    }

    fn index_key(&self) -> &'static str {
        if self.is_full_text { "content_index" } else { "summary_index" }
    }
}

/// Event names for a summary, and for full reasoning.
const PART_ADDED_EVENTS: [&str; 2] =
    ["response.reasoning_summary_part.added", "response.content_part.added"];
const DELTA_EVENTS: [&str; 2] =
    ["response.reasoning_summary_text.delta", "response.reasoning_text.delta"];
const TEXT_DONE_EVENTS: [&str; 2] =
    ["response.reasoning_summary_text.done", "response.reasoning_text.done"];
const PART_DONE_EVENTS: [&str; 2] =
    ["response.reasoning_summary_part.done", "response.content_part.done"];
