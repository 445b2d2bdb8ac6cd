//! The blocks and calls of a stream. Chunks have no ends of blocks: the next block ends the one before
//! it, once that has everything.

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, OrderFault, Reasoning, ReasoningForm as Shown,
    Seal, Sequencer, SlotNumber, ToolArgs, ToolCall,
};
use interlingua_wire::{JsonString, RawJson};

use super::args::MAX_ESCAPE_FACTOR;
use super::positions::{CallPositions, DetailKind, PendingSeals};
use super::tool_call::{CallKind, ToolCallState, replace_args_object};
use crate::common::freeform;
use crate::note;
use crate::openai_chat::decode::tool_call::CallIdSeed;

#[derive(Debug, Default)]
pub(super) struct ReplyBlocks {
    pub(super) sequencer: Sequencer<BlockKey, BlockState>,
    /// Number of blocks that are not closed and no reasoning details.
    other_blocks: usize,
    pub(super) calls: Vec<ToolCallState>,
    positions: CallPositions,
    pending_seals: PendingSeals,
    /// The reply's id, for calls without one.
    pub(super) reply_id: Option<JsonString>,
}

/// A block that is being received.
#[derive(Debug, Default)]
pub(super) struct BlockState {
    /// The block that begins; `None` once it has, and for calls, which are built then.
    block: Option<Block>,
    has_begun: bool,
    /// Deltas that arrived before it began.
    early_deltas: Vec<Delta>,
    /// The reasoning text so far, to recognize a repetition.
    reasoning_text: Vec<JsonString>,
    reasoning_bytes: usize,
    /// The provider's id of the reasoning detail.
    pub(super) detail_id: Option<JsonString>,
    pub(super) has_seal: bool,
    /// A piece of arguments is among the deltas, or was.
    has_args: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BlockKey {
    Text,
    Refusal,
    /// Reasoning from a plain field.
    Reasoning,
    /// An entry of `reasoning_details`: its form and index.
    ReasoningDetail(DetailKind, u64),
    /// By its position in `calls`.
    ToolCall(usize),
    /// Received completely.
    Complete,
}

impl ReplyBlocks {
    /// Appends to the last block if it has this key, else begins a block.
    pub(super) fn push_delta(
        &mut self,
        key: BlockKey,
        delta: Delta,
        block: impl FnOnce() -> Block,
    ) {
        let slot = match self.last_of(key) {
            Some(slot) => slot,
            None => self.open_block(key, Some(block())),
        };
        self.push(slot, delta);
    }

    /// The last block, if it has this key and accepts deltas.
    fn last_of(&mut self, key: BlockKey) -> Option<SlotNumber> {
        let slot = self.sequencer.last_slot().filter(|slot| self.has_key(*slot, key))?;
        self.sequencer.state(slot).is_some_and(|state| !state.has_seal).then_some(slot)
    }

    pub(super) fn has_key(&self, slot: SlotNumber, key: BlockKey) -> bool {
        self.sequencer.key(slot) == Some(&key)
    }

    pub(super) fn push_block(&mut self, key: BlockKey, block: Block) -> SlotNumber {
        self.open_block(key, Some(block))
    }

    fn open_block(&mut self, key: BlockKey, block: Option<Block>) -> SlotNumber {
        self.other_blocks += usize::from(!key.is_detail());
        self.sequencer.open(key, BlockState { block, ..BlockState::default() })
    }

    /// Appends to a block that is not closed.
    pub(super) fn push(&mut self, slot: SlotNumber, delta: Delta) {
        let is_plain_reasoning = self.has_key(slot, BlockKey::Reasoning);
        let Some(state) = self.sequencer.state(slot) else {
            return;
        };
        match &delta {
            Delta::Text(text) if text.is_empty() => return,
            Delta::Text(text) if is_plain_reasoning => {
                state.reasoning_text.push(text.clone());
                state.reasoning_bytes += text.raw().len();
            }
            Delta::Seal(_) => state.has_seal = true,
            Delta::Args(_) => state.has_args = true,
            Delta::Text(_) | Delta::Citation(_) => {}
        }
        if state.has_begun {
            self.sequencer.push_delta(slot, delta);
        } else {
            state.early_deltas.push(delta);
        }
    }

    /// Makes plain reasoning a detail, if it is the last block and has this text.
    pub(super) fn adopt_reasoning(
        &mut self,
        kind: DetailKind,
        index: u64,
        text: &JsonString,
    ) -> Option<SlotNumber> {
        let last = self.last_of(BlockKey::Reasoning)?;
        if !self.sequencer.state(last)?.has_reasoning(text) {
            return None;
        }
        self.sequencer.set_key(last, BlockKey::ReasoningDetail(kind, index));
        self.other_blocks -= 1;
        Some(last)
    }

    /// The block of a call that was not closed.
    pub(super) fn find_call_block(&self, at: usize) -> Option<SlotNumber> {
        self.sequencer.find(&BlockKey::ToolCall(at))
    }

    /// The last call with this index.
    pub(super) fn find_call_by_index(&self, index: u64) -> Option<usize> {
        if self.calls.len() > MAX_SCANNED_CALLS {
            return self.positions.find_by_index(index);
        }
        self.calls.iter().rposition(|call| call.index == Some(index))
    }

    /// The last call with this id.
    pub(super) fn find_call_by_id(&self, id: &JsonString) -> Option<usize> {
        if self.calls.len() > MAX_SCANNED_CALLS {
            return self.positions.find_by_id(id);
        }
        self.calls.iter().rposition(|call| call.id == *id)
    }

    pub(super) fn set_call_id(&mut self, at: usize, id: JsonString) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        call.id = id;
        if self.calls.len() > MAX_SCANNED_CALLS {
            self.positions.insert(at, &self.calls[at]);
        }
    }

    /// Begins a call and returns its position in `calls`.
    pub(super) fn push_call(&mut self, call: ToolCallState) -> usize {
        let at = self.calls.len();
        self.calls.push(call);
        if at == MAX_SCANNED_CALLS {
            for (at, call) in self.calls.iter().enumerate() {
                self.positions.insert(at, call);
            }
        } else if at > MAX_SCANNED_CALLS {
            self.positions.insert(at, &self.calls[at]);
        }
        self.open_block(BlockKey::ToolCall(at), None);
        at
    }

    pub(super) fn name_call(&mut self, at: usize, name: &JsonString, ledger: &mut Ledger) {
        let Some(call) = self.calls.get_mut(at) else {
            return;
        };
        if name.is_empty() || call.name == *name {
            return;
        }
        if call.opened {
            ledger.record_loss(
                note::STREAM_ORDER,
                LedgerPath::REPLY,
                "left out a change of the call's name after its start",
            );
        } else if call.name.raw().len() > MAX_NAME_BYTES {
            let message = "left out the rest of a call's name of more than 1 KiB";
            ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
        } else {
            call.name = JsonString::concat([&call.name, name]);
        }
    }

    /// Adds a piece of arguments and returns its new part.
    pub(super) fn push_args(
        &mut self,
        at: usize,
        piece: &JsonString,
        ledger: &mut Ledger,
    ) -> Option<JsonString> {
        let call = self.calls.get_mut(at)?;
        if !piece.is_empty() {
            replace_args_object(&mut call.args_object, None, ledger);
        }
        if call.closed {
            let new_text = call.args.push(piece);
            if new_text.as_ref().is_some_and(|new_text| !new_text.is_blank()) {
                OrderFault::UnknownBlockDelta.record(ledger);
            }
            return new_text;
        }
        let new_text = if call.kind == CallKind::Freeform {
            Some(piece.clone()).filter(|piece| !piece.is_empty())
        } else {
            call.args.push(piece)
        };
        if let (Some(new_text), Some(slot)) = (&new_text, self.find_call_block(at)) {
            self.push(slot, Delta::Args(new_text.clone()));
        }
        new_text
    }

    /// Sets arguments sent as an object, for a call that has none as text.
    pub(super) fn set_args_object(&mut self, at: usize, object: RawJson, ledger: &mut Ledger) {
        match self.calls.get_mut(at).filter(|call| call.args.is_empty()) {
            Some(call) => replace_args_object(&mut call.args_object, Some(object), ledger),
            None => {
                self.push_args(at, &JsonString::new(object.as_str()), ledger);
            }
        }
    }

    /// Attaches a seal to the call with this id, which may arrive later.
    pub(super) fn seal_call(&mut self, id: &JsonString, seal: Seal) {
        let at = self.find_call_by_id(id);
        match at.and_then(|at| self.find_call_block(at)) {
            Some(slot) => self.push(slot, Delta::Seal(Box::new(seal))),
            None => self.pending_seals.push(id, seal),
        }
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.sequencer.first_slot().is_none() && self.sequencer.block_count() == 0
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Begins the first block if it can, and closes it if it is followed by another and complete.
    pub(super) fn flush(&mut self, ledger: &mut Ledger) {
        while let Some(first) = self.sequencer.first_slot() {
            let is_finished = self.sequencer.slot_count() > 1 && self.is_complete(first);
            let has_begun = self.sequencer.state(first).is_none_or(|state| state.has_begun);
            if !has_begun && (is_finished || self.can_begin(first)) {
                self.begin(first, is_finished, ledger);
            }
            if !is_finished {
                return;
            }
            self.close(first);
        }
    }

    /// Closes all remaining blocks in order.
    pub(super) fn finish(&mut self, ledger: &mut Ledger) {
        for (id, seal) in self.pending_seals.take_all() {
            let (text, form) = (JsonString::EMPTY, Shown::Redacted);
            let block = Block::new(BlockContent::Reasoning(Reasoning { text, form }));
            let seal = Seal { id: Some(id), ..seal };
            self.push_block(BlockKey::Complete, block.with_seal(Some(seal)));
        }
        while let Some(first) = self.sequencer.first_slot() {
            if self.sequencer.state(first).is_some_and(|state| !state.has_begun) {
                self.begin(first, true, ledger);
            }
            self.close(first);
        }
    }

    fn is_complete(&mut self, slot: SlotNumber) -> bool {
        match self.sequencer.key(slot) {
            Some(BlockKey::ToolCall(at)) => {
                self.calls.get(*at).is_none_or(ToolCallState::is_complete)
            }
            // A text's seal may arrive after the next entry has begun.
            Some(BlockKey::ReasoningDetail(DetailKind::Text, _)) => {
                self.other_blocks > 0
                    || self.sequencer.state(slot).is_some_and(|state| state.has_seal)
            }
            Some(
                BlockKey::Text
                | BlockKey::Refusal
                | BlockKey::Reasoning
                | BlockKey::ReasoningDetail(DetailKind::Summary | DetailKind::Opaque, _)
                | BlockKey::Complete,
            )
            | None => true,
        }
    }

    /// A call's name may arrive in pieces; it is complete when arguments follow.
    fn can_begin(&mut self, slot: SlotNumber) -> bool {
        let Some(BlockKey::ToolCall(at)) = self.sequencer.key(slot) else {
            return true;
        };
        let is_wrapped =
            self.calls.get(*at).is_some_and(|call| call.kind == CallKind::WrappedFreeform);
        !is_wrapped && self.sequencer.state(slot).is_some_and(|state| state.has_args)
    }

    /// Begins a block. `is_complete` tells that nothing more will arrive for it.
    fn begin(&mut self, slot: SlotNumber, is_complete: bool, ledger: &mut Ledger) {
        let key = self.sequencer.key(slot).copied();
        let Some(state) = self.sequencer.state(slot) else {
            return;
        };
        state.has_begun = true;
        let (block, mut deltas) = (state.block.take(), std::mem::take(&mut state.early_deltas));
        let block = match key {
            Some(BlockKey::ToolCall(at)) => self.begin_call(at, is_complete, &mut deltas, ledger),
            _ => block,
        };
        if let Some(block) = block {
            self.sequencer.begin_block(slot, block);
        }
        for delta in deltas {
            self.sequencer.push_delta(slot, delta);
        }
    }

    fn begin_call(
        &mut self,
        at: usize,
        is_complete: bool,
        deltas: &mut Vec<Delta>,
        ledger: &mut Ledger,
    ) -> Option<Block> {
        let has_many_calls = self.calls.len() > MAX_SCANNED_CALLS;
        let call = self.calls.get_mut(at)?;
        call.opened = true;
        let object = call.args_object.take().map(|object| JsonString::new(object.as_str()));
        if let Some(text) = object.and_then(|text| call.args.push(&text)) {
            deltas.push(Delta::Args(text));
        }
        if call.id.is_empty() {
            let message = "the call has no id: one is derived";
            ledger.record_change(note::ODD_INPUT, LedgerPath::REPLY, message);
            let seed = CallIdSeed { reply_id: self.reply_id.as_ref(), call_number: at };
            call.id = seed.derive(&call.name);
            if has_many_calls {
                self.positions.insert(at, call);
            }
        }
        let args = if call.kind == CallKind::Function {
            ToolArgs::Malformed(JsonString::EMPTY)
        } else {
            ToolArgs::Freeform(JsonString::EMPTY)
        };
        if call.kind == CallKind::WrappedFreeform && is_complete {
            deltas.retain(|delta| !matches!(delta, Delta::Args(_)));
            let text = freeform::unwrap_args(&ToolArgs::from_json_string(&call.args.text()));
            deltas.push(Delta::Args(text));
        }
        if let Some(seal) = self.pending_seals.take(&call.id) {
            deltas.push(Delta::Seal(Box::new(seal)));
        }
        let body = ToolCall { id: call.id.clone(), name: call.name.clone(), args };
        Some(Block::new(BlockContent::ToolCall(body)))
    }

    fn close(&mut self, slot: SlotNumber) {
        let key = self.sequencer.key(slot).copied();
        self.other_blocks -= usize::from(key.is_some_and(|key| !key.is_detail()));
        if let Some(BlockKey::ToolCall(at)) = key
            && let Some(call) = self.calls.get_mut(at)
        {
            call.closed = true;
        }
        self.sequencer.close(slot);
    }
}

impl BlockKey {
    fn is_detail(self) -> bool {
        matches!(self, Self::ReasoningDetail(..))
    }
}

impl BlockState {
    /// Returns whether the plain reasoning so far is exactly this text.
    fn has_reasoning(&self, text: &JsonString) -> bool {
        !text.is_empty()
            && self.reasoning_bytes <= text.raw().len() * MAX_ESCAPE_FACTOR
            && JsonString::concat(&self.reasoning_text) == *text
    }
}

pub(super) fn empty_thinking_block() -> Block {
    Block::new(BlockContent::Reasoning(Reasoning { text: JsonString::EMPTY, form: Shown::Full }))
}

const MAX_SCANNED_CALLS: usize = 16;
/// A name in pieces is copied with each piece; providers allow at most 128 characters.
const MAX_NAME_BYTES: usize = 1 << 10;
