//! Reads the block events of a stream.

use bytestring::ByteString;
use interlingua_model::{
    BlockContent, Delta, Ledger, LedgerPath, OrderFault, SlotNumber, StreamEvent, ToolArgs,
};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString};

use super::Reader;
use super::block::{BlockEvent, BlockKey, BlockState, DeltaEffect};
use crate::anthropic::decode::block;
use crate::anthropic::id::ID;
use crate::anthropic::write::event::CONTENT_BLOCK_DELTA;
use crate::common::freeform;
use crate::note;

impl Reader {
    pub(super) fn read_block_event(&mut self, event: &BlockEvent<'_>, ledger: &mut Ledger) {
        self.ensure_started(ledger);
        let key = BlockKey {
            wire_index: event.index.unwrap_or_else(|| self.implied_index()),
            is_beside_call: false,
        };
        let slot = self.blocks.find(&key);
        match (event.event_type, event.block, event.delta) {
            ("content_block_start", Some(block), _) => {
                if let Some(unended) = slot {
                    OrderFault::MissingBlockEnd.record(ledger);
                    self.close_block(unended, true);
                }
                let slot = self.blocks.open_in_order(key, BlockState::Complete, ledger);
                self.begin_block(slot, block, ledger);
            }
            ("content_block_delta", _, Some(delta)) => {
                self.read_delta(key, slot, &event.delta_type, delta, ledger);
            }
            ("content_block_start" | "content_block_delta", ..) => {
                OrderFault::EmptyBlockEvent.record(ledger);
            }
            _ => match slot {
                Some(slot) => self.close_block(slot, true),
                None => OrderFault::UnknownBlockEnd.record(ledger),
            },
        }
    }

    /// The index of an event without one: that of the block that began last.
    fn implied_index(&self) -> u64 {
        let last = self.blocks.last_slot().and_then(|last| self.blocks.key(last));
        last.map_or(u64::from(self.blocks.block_count()), |last| last.wire_index)
    }

    pub(super) fn begin_block(
        &mut self,
        slot: SlotNumber,
        node: JsonNode<'_>,
        ledger: &mut Ledger,
    ) {
        let path = LedgerPath::reply(self.blocks.block_count() as usize);
        let mut block = block::decode_block(node, path, ledger).into_value();
        let state = match &mut block.content {
            BlockContent::Text { .. } => BlockState::Text,
            BlockContent::Reasoning(thinking) => BlockState::for_thinking(thinking),
            BlockContent::ToolCall(call) => {
                let takes_text = self.freeform_tools.contains(&call.name);
                let empty = if takes_text {
                    ToolArgs::Freeform(JsonString::EMPTY)
                } else {
                    ToolArgs::Malformed(JsonString::EMPTY)
                };
                BlockState::for_tool_use(std::mem::replace(&mut call.args, empty), takes_text)
            }
            BlockContent::Foreign { .. } => {
                self.blocks.set_state(slot, BlockState::for_foreign(block));
                return;
            }
            BlockContent::Refusal(_)
            | BlockContent::Media(_)
            | BlockContent::Json(_)
            | BlockContent::ToolResult(_) => BlockState::Complete,
        };
        self.blocks.set_state(slot, state);
        self.blocks.begin_block(slot, block);
    }

    fn read_delta(
        &mut self,
        key: BlockKey,
        slot: Option<SlotNumber>,
        kind: &str,
        delta: JsonNode<'_>,
        ledger: &mut Ledger,
    ) {
        let slot = match slot {
            Some(slot) => self.slot_for_delta(key, slot, kind, delta, ledger),
            None => self.begin_implied_block(key, None, kind, ledger),
        };
        let Some(state) = slot.and_then(|slot| self.blocks.state(slot)) else {
            return OrderFault::UnknownBlockDelta.record(ledger);
        };
        match (state.read_delta(kind, delta), slot) {
            (DeltaEffect::Delta(delta), Some(slot)) => {
                self.blocks.push_delta(slot, delta);
            }
            (DeltaEffect::Foreign, _) => {
                let kind = JsonString::from_static(CONTENT_BLOCK_DELTA);
                self.blocks.push(StreamEvent::Foreign { dialect: ID, kind, json: delta.json() });
            }
            (DeltaEffect::Misfit, slot) => {
                let path = slot.map_or(LedgerPath::REPLY, |slot| self.blocks.path(slot));
                let message = format!("left out a `{kind}` that does not fit its block");
                ledger.record_loss(note::STREAM_ORDER, path, message);
            }
            (DeltaEffect::Delta(_) | DeltaEffect::Nothing, _) => {}
        }
    }

    /// The slot of a block that accepts the delta. Text between the arguments of a call becomes a
    /// block of its own beside the call.
    fn slot_for_delta(
        &mut self,
        key: BlockKey,
        slot: SlotNumber,
        kind: &str,
        delta: JsonNode<'_>,
        ledger: &mut Ledger,
    ) -> Option<SlotNumber> {
        let state = self.blocks.state(slot)?;
        if !state.is_misplaced_text(kind, delta) {
            return Some(slot);
        }
        if !state.is_tool_use() {
            OrderFault::ChangedBlockKind.record(ledger);
            return self.begin_implied_block(key, Some(slot), kind, ledger);
        }
        let key = BlockKey { is_beside_call: true, ..key };
        let Some(beside) = self.blocks.find(&key) else {
            OrderFault::ChangedBlockKind.record(ledger);
            return self.begin_implied_block(key, None, kind, ledger);
        };
        if !self.blocks.state(beside)?.is_misplaced_text(kind, delta) {
            return Some(beside);
        }
        self.blocks.close(beside);
        self.begin_implied_block(key, None, kind, ledger)
    }

    /// Begins the block that the delta belongs to, if its type determines one: in this slot, or in a
    /// new one.
    fn begin_implied_block(
        &mut self,
        key: BlockKey,
        slot: Option<SlotNumber>,
        kind: &str,
        ledger: &mut Ledger,
    ) -> Option<SlotNumber> {
        let start = match kind {
            "text_delta" => r#"{"type":"text","text":""}"#,
            "thinking_delta" | "signature_delta" => r#"{"type":"thinking","thinking":""}"#,
            _ => return None,
        };
        let doc = JsonDoc::parse(ByteString::from_static(start), JsonLimits::default()).ok()?;
        let slot = slot.unwrap_or_else(|| {
            if !key.is_beside_call {
                OrderFault::MissingBlockStart.record(ledger);
            }
            self.blocks.open(key, BlockState::Complete)
        });
        self.begin_block(slot, doc.root(), ledger);
        Some(slot)
    }

    /// Closes all blocks.
    pub(super) fn close_all_blocks(&mut self, ledger: &mut Ledger) {
        while let Some(slot) = self.blocks.first_slot() {
            OrderFault::MissingBlockEnd.record(ledger);
            self.close_block(slot, true);
        }
    }

    /// Closes a block and the text beside it. A complete call without argument deltas gets `{}`.
    pub(super) fn close_block(&mut self, slot: SlotNumber, is_complete: bool) {
        match self.blocks.set_state(slot, BlockState::Complete) {
            Some(BlockState::ToolUse(Some(input))) if is_complete => {
                let args = JsonString::new(input.as_str());
                self.blocks.push_delta(slot, Delta::Args(args));
            }
            Some(BlockState::FreeformToolUse(pieces)) if !pieces.is_empty() => {
                let text = JsonString::concat(&pieces);
                let text = freeform::unwrap_text(&JsonString::new(&text.unescape()));
                self.blocks.push_delta(slot, Delta::Args(text));
            }
            Some(BlockState::Foreign { block, field_deltas }) => {
                self.blocks.begin_block(slot, field_deltas.merge_into(*block));
            }
            _ => {}
        }
        let key = self.blocks.key(slot).copied();
        self.blocks.close(slot);
        let beside = key.map(|key| BlockKey { is_beside_call: true, ..key });
        if let Some(beside) = beside.and_then(|beside| self.blocks.find(&beside)) {
            self.blocks.close(beside);
        }
    }
}
