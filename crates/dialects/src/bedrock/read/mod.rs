//! Reads a stream.

mod block;

use std::collections::HashSet;

use interlingua_model::{
    ApiError, Ledger, LedgerPath, OrderFault, ReplyContext, Sequencer, SlotNumber, Stop,
    StreamEvent,
};
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, JsonString};

use self::block::{BlockEnding, BlockState, DeltaEffect, DeltaKind};
use super::id::ID;
use super::{error, stop, usage};
use crate::common::name_set::NameSet;
use crate::dialect::StreamReader;
use crate::note;

#[derive(Debug, Default)]
pub(super) struct Reader {
    tape: Tape,
    /// Tools with wrapped free text.
    freeform_tools: NameSet,
    /// By the provider's index.
    blocks: Sequencer<u64, BlockState>,
    /// The provider's indices of blocks that ended.
    ended_indices: HashSet<u64>,
    /// Held back until the metadata event that follows it.
    stop: Option<Stop>,
    has_metadata: bool,
}

impl Reader {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self { freeform_tools: NameSet::new(&cx.freeform_tools), ..Self::default() }
    }

    fn read_frame(&mut self, frame: Frame, ledger: &mut Ledger) {
        let name = frame.event.as_deref().unwrap_or_default();
        if let Some(name) = name.strip_prefix("exception:").or(name.strip_prefix("error:")) {
            return self.emit_error(error::decode_exception(name, frame.data.as_deref()), ledger);
        }
        let Some(data) = frame.data else { return };
        let mut tape = std::mem::take(&mut self.tape);
        match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut tape) {
            Ok(doc) => {
                self.read_event(name, doc.root(), ledger);
                doc.recycle(&mut tape);
            }
            Err(error) => {
                let message = format!("left out a `{name}` event: {error}");
                ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
            }
        }
        self.tape = tape;
    }

    fn read_event(&mut self, name: &str, root: JsonNode<'_>, ledger: &mut Ledger) {
        // The start event has only a role: without it nothing is missing.
        self.blocks.start(None, None);
        match name {
            "messageStart" => {}
            "contentBlockStart" => self.read_block_start(root, ledger),
            "contentBlockDelta" => self.read_block_delta(root, ledger),
            "contentBlockStop" => self.read_block_stop(root, ledger),
            "messageStop" => self.read_message_stop(root, ledger),
            "metadata" => self.read_metadata(root, ledger),
            _ => self.emit_foreign(name, root),
        }
    }

    fn emit_foreign(&mut self, kind: &str, event: JsonNode<'_>) {
        let (kind, json) = (JsonString::new(kind), event.json());
        self.blocks.push(StreamEvent::Foreign { dialect: ID, kind, json });
    }

    /// The index of a block event, by default that of the block that began last, and its open block.
    fn find_block(&self, index: Option<JsonNode<'_>>) -> (u64, Option<SlotNumber>) {
        let index = index.and_then(JsonNode::as_u64).unwrap_or_else(|| {
            let last = self.blocks.last_slot().and_then(|last| self.blocks.key(last));
            last.copied().unwrap_or_else(|| self.blocks.block_count().into())
        });
        (index, self.blocks.find(&index))
    }

    fn read_block_start(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        let [index, start] = root.get_many(["contentBlockIndex", "start"]);
        let Some(start) = start else { return note_empty_event(ledger) };
        let (index, unended) = self.find_block(index);
        if let Some(unended) = unended {
            OrderFault::MissingBlockEnd.record(ledger);
            self.close_block(unended, ledger);
        }
        let number = self.blocks.block_count() as usize;
        let (state, block) = BlockState::from_start_event(number, start, &self.freeform_tools);
        if matches!(state, BlockState::Unknown) {
            self.emit_foreign("contentBlockStart", root);
        }
        let slot = self.blocks.open_in_order(index, state, ledger);
        if let Some(block) = block {
            self.blocks.begin_block(slot, block);
        }
    }

    fn read_block_delta(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        let [index, delta] = root.get_many(["contentBlockIndex", "delta"]);
        let Some(delta) = delta else { return note_empty_event(ledger) };
        let (index, slot) = self.find_block(index);
        let delta_kind = block::delta_kind(delta);
        let slot = self.slot_for_delta(index, slot, delta_kind, ledger);
        let Some(state) = self.blocks.state(slot) else { return };
        match state.read_delta(delta_kind, delta) {
            DeltaEffect::Delta(delta) => {
                self.blocks.push_delta(slot, delta);
            }
            DeltaEffect::Foreign => self.emit_foreign("contentBlockDelta", root),
            DeltaEffect::Nothing => {}
        }
    }

    fn read_block_stop(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        let (index, slot) = self.find_block(root.get("contentBlockIndex"));
        if slot.is_none() && self.ended_indices.contains(&index) {
            return OrderFault::UnknownBlockEnd.record(ledger);
        }
        // A block with only an end event is an empty text.
        let slot = self.slot_for_delta(index, slot, DeltaKind::Unknown, ledger);
        if matches!(self.blocks.state(slot), Some(BlockState::Unknown)) {
            self.emit_foreign("contentBlockStop", root);
        }
        self.close_block(slot, ledger);
        self.ended_indices.insert(index);
    }

    /// The slot of a block that accepts a delta of this kind, which may begin with it.
    fn slot_for_delta(
        &mut self,
        index: u64,
        slot: Option<SlotNumber>,
        delta_kind: DeltaKind,
        ledger: &mut Ledger,
    ) -> SlotNumber {
        if let Some(slot) = slot {
            if self.blocks.state(slot).is_some_and(|state| state.accepts(delta_kind)) {
                return slot;
            }
            OrderFault::ChangedBlockKind.record(ledger);
            self.finish_block(slot, ledger);
        } else if delta_kind == DeltaKind::ToolInput {
            OrderFault::MissingBlockStart.record(ledger);
        }
        let number = self.blocks.block_count() as usize;
        let (state, block) = BlockState::from_first_delta(number, delta_kind);
        let slot = match slot {
            Some(slot) => {
                self.blocks.set_state(slot, state);
                slot
            }
            None => self.blocks.open_in_order(index, state, ledger),
        };
        if let Some(block) = block {
            self.blocks.begin_block(slot, block);
        }
        slot
    }

    /// Emits what a block still lacks.
    fn finish_block(&mut self, slot: SlotNumber, ledger: &mut Ledger) {
        let state = self.blocks.set_state(slot, BlockState::Unknown);
        match state.map_or(BlockEnding::Nothing, |state| state.finish(ledger)) {
            BlockEnding::Nothing => {}
            BlockEnding::Delta(delta) => {
                self.blocks.push_delta(slot, delta);
            }
            BlockEnding::Block(block) => self.blocks.begin_block(slot, *block),
        }
    }

    fn close_block(&mut self, slot: SlotNumber, ledger: &mut Ledger) {
        self.finish_block(slot, ledger);
        self.blocks.close(slot);
    }

    fn close_all_blocks(&mut self, is_fault: bool, ledger: &mut Ledger) {
        while let Some(slot) = self.blocks.first_slot() {
            if is_fault {
                OrderFault::MissingBlockEnd.record(ledger);
            }
            self.close_block(slot, ledger);
        }
    }

    fn read_message_stop(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        self.close_all_blocks(true, ledger);
        let reason = root.get("stopReason").and_then(JsonNode::json_string);
        let mut stop = reason.map(stop::read_stop).unwrap_or_default();
        if let Some(additional_fields) = root
            .get("additionalModelResponseFields")
            .filter(|additional_fields| !additional_fields.is_null())
        {
            stop.sequence = stop::stop_sequence(additional_fields);
            self.emit_foreign("messageStop", root);
        }
        self.stop = Some(stop);
        if self.has_metadata {
            self.emit_stop(ledger);
        }
    }

    fn read_metadata(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        // Metrics are dropped: other dialects do not have them. Other fields are passed on as a
        // foreign event.
        if root.fields().any(|field| !["usage", "metrics", "p"].contains(&&*field.key())) {
            self.emit_foreign("metadata", root);
        }
        if let Some(usage) = root.get("usage").filter(|usage| usage.is_object()) {
            self.blocks.push(StreamEvent::Usage(usage::read_usage(usage)));
        }
        self.has_metadata = true;
        if self.stop.is_some() {
            self.emit_stop(ledger);
        }
    }

    fn emit_stop(&mut self, ledger: &mut Ledger) {
        self.close_all_blocks(true, ledger);
        let stop = self.stop.take().unwrap_or_default();
        self.blocks.stop(stop.adjusted_for_tool_calls(self.blocks.has_calls()));
    }

    fn emit_error(&mut self, error: ApiError, ledger: &mut Ledger) {
        self.close_all_blocks(false, ledger);
        self.blocks.fail(error);
    }
}

fn note_empty_event(ledger: &mut Ledger) {
    let message = "left out a block event without content";
    ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        if self.blocks.record_late_event(ledger) {
            return;
        }
        self.blocks.swap_events(events);
        self.read_frame(frame, ledger);
        self.blocks.swap_events(events);
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        if self.blocks.has_ended() {
            return;
        }
        self.blocks.swap_events(events);
        let has_open_blocks = self.blocks.first_slot().is_some();
        if self.has_metadata {
            // Metadata is the last event: only the stop event was lost.
            OrderFault::MissingStopReason.record(ledger);
            self.emit_stop(ledger);
        } else if self.stop.is_some() && !has_open_blocks {
            self.emit_stop(ledger);
        } else {
            // A block that began after the stop event and has no end was truncated.
            self.emit_error(ApiError::truncated_stream(), ledger);
        }
        self.blocks.swap_events(events);
    }

    fn has_stop_reason(&self) -> bool {
        self.stop.is_some()
    }
}
