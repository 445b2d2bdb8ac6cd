//! Orders streamed blocks by first appearance: the first is streamed, later ones are buffered until
//! it closes.

use std::collections::VecDeque;

use interlingua_model::{
    Block, BlockContent, Delta, Ledger, LedgerPath, Reasoning, ReasoningForm as Shown, Seal,
    StreamEvent, ToolArgs, ToolCall,
};
use interlingua_wire::{JsonString, RawJson};

use super::args::MAX_ESCAPE_FACTOR;
use super::positions::{BlockNumbers, CallPositions, DetailKind, PendingSeals};
use super::tool_call::{CallKind, ToolCallState, replace_args_object};
use crate::common::freeform;
use crate::note;
use crate::openai_chat::decode::tool_call::CallIdSeed;

#[derive(Debug, Default)]
pub(super) struct BlockQueue {
    blocks: VecDeque<PendingBlock>,
    /// Whether the first of `blocks` was opened.
    first_is_open: bool,
    next_index: u32,
    /// Number of `blocks` that are no reasoning details.
    other_blocks: usize,
    pub(super) calls: Vec<ToolCallState>,
    positions: CallPositions,
    numbers: BlockNumbers,
    pending_seals: PendingSeals,
    /// The reply's id, for calls without one.
    pub(super) reply_id: Option<JsonString>,
}

/// A block that is being received.
#[derive(Debug)]
pub(super) struct PendingBlock {
    pub(super) key: BlockKey,
    /// The block to open; calls are built when they are opened.
    block: Block,
    /// Deltas that were not emitted yet.
    deltas: Vec<Delta>,
    /// The reasoning text so far, to recognize a repetition.
    reasoning_text: Vec<JsonString>,
    reasoning_bytes: usize,
    /// The provider's id of the reasoning detail.
    pub(super) detail_id: Option<JsonString>,
    pub(super) has_seal: bool,
    /// A piece of arguments is among the deltas, or was.
    has_args: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl BlockQueue {
    /// Appends to the last block if it has this key, else begins a block.
    pub(super) fn push_delta(
        &mut self,
        key: BlockKey,
        delta: Delta,
        block: impl FnOnce() -> Block,
    ) {
        let last = self.blocks.back_mut().filter(|last| last.key == key && !last.has_seal);
        match last {
            Some(last) => last.push(delta),
            None => self.push_block(key, block()).push(delta),
        }
    }

    pub(super) fn push_block(&mut self, key: BlockKey, block: Block) -> &mut PendingBlock {
        let block_state = PendingBlock {
            key,
            detail_id: None,
            block,
            deltas: Vec::new(),
            reasoning_text: Vec::new(),
            reasoning_bytes: 0,
            has_seal: false,
            has_args: false,
        };
        self.other_blocks += usize::from(!block_state.is_detail());
        self.blocks.push_back(block_state);
        let last = self.blocks.len() - 1;
        self.number_block(key, last);
        &mut self.blocks[last]
    }

    /// Records the number of a block that entries refer to by its key.
    fn number_block(&mut self, key: BlockKey, at: usize) {
        let number = self.next_index as usize + at;
        match key {
            BlockKey::Text => self.numbers.last_text = Some(number),
            BlockKey::ReasoningDetail(kind @ (DetailKind::Text | DetailKind::Summary), index) => {
                self.numbers.details.insert((kind, index), number);
            }
            BlockKey::ReasoningDetail(DetailKind::Opaque, _)
            | BlockKey::Refusal
            | BlockKey::Reasoning
            | BlockKey::ToolCall(_)
            | BlockKey::Complete => {}
        }
    }

    /// Makes plain reasoning a detail, if it is the last block and has this text.
    pub(super) fn adopt_reasoning(
        &mut self,
        kind: DetailKind,
        index: u64,
        text: &JsonString,
    ) -> Option<&mut PendingBlock> {
        let last = self.blocks.len().checked_sub(1)?;
        if !self.blocks[last].is_same_reasoning(text) {
            return None;
        }
        let key = BlockKey::ReasoningDetail(kind, index);
        self.blocks[last].key = key;
        self.other_blocks -= 1;
        self.number_block(key, last);
        self.blocks.get_mut(last)
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut PendingBlock> {
        self.blocks.back_mut()
    }

    /// The last text, unless it was closed.
    pub(super) fn text_mut(&mut self) -> Option<&mut PendingBlock> {
        self.unclosed_block_mut(self.numbers.last_text?, BlockKey::Text)
    }

    /// The last reasoning detail of this form and index, unless it was closed.
    pub(super) fn detail_mut(&mut self, kind: DetailKind, index: u64) -> Option<&mut PendingBlock> {
        let number = *self.numbers.details.get(&(kind, index))?;
        self.unclosed_block_mut(number, BlockKey::ReasoningDetail(kind, index))
    }

    /// The block of a call that was not closed.
    pub(super) fn call_block_mut(&mut self, at: usize) -> Option<&mut PendingBlock> {
        self.unclosed_block_mut(self.calls.get(at)?.block_number, BlockKey::ToolCall(at))
    }

    fn unclosed_block_mut(&mut self, number: usize, key: BlockKey) -> Option<&mut PendingBlock> {
        // Closed blocks were removed at the front.
        let block = self.blocks.get_mut(number.checked_sub(self.next_index as usize)?)?;
        Some(block).filter(|block| block.key == key)
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
        let Some(call) = self.calls.get_mut(at) else { return };
        call.id = id;
        if self.calls.len() > MAX_SCANNED_CALLS {
            self.positions.insert(at, &self.calls[at]);
        }
    }

    /// Begins a call and returns its position in `calls`.
    pub(super) fn push_call(&mut self, call: ToolCallState) -> usize {
        let at = self.calls.len();
        let block_number = self.next_index as usize + self.blocks.len();
        self.calls.push(ToolCallState { block_number, ..call });
        if at == MAX_SCANNED_CALLS {
            for (at, call) in self.calls.iter().enumerate() {
                self.positions.insert(at, call);
            }
        } else if at > MAX_SCANNED_CALLS {
            self.positions.insert(at, &self.calls[at]);
        }
        self.push_block(BlockKey::ToolCall(at), Block::text(JsonString::EMPTY));
        at
    }

    pub(super) fn name_call(&mut self, at: usize, name: &JsonString, ledger: &mut Ledger) {
        let Some(call) = self.calls.get_mut(at) else { return };
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
                ledger.record_loss(
                    note::STREAM_ORDER,
                    LedgerPath::REPLY,
                    "left out arguments after the end of their call",
                );
            }
            return new_text;
        }
        let new_text = if call.kind == CallKind::Freeform {
            Some(piece.clone()).filter(|piece| !piece.is_empty())
        } else {
            call.args.push(piece)
        };
        if let (Some(new_text), Some(block)) = (&new_text, self.call_block_mut(at)) {
            block.push(Delta::Args(new_text.clone()));
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
        match at.and_then(|at| self.call_block_mut(at)) {
            Some(block) => block.push(Delta::Seal(Box::new(seal))),
            None => self.pending_seals.push(id, seal),
        }
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.blocks.is_empty() && self.next_index == 0
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Emits everything that can be emitted in order.
    pub(super) fn flush(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        while let Some(first) = self.blocks.front() {
            let is_finished = self.blocks.len() > 1 && self.is_complete(first);
            if !self.first_is_open && (is_finished || self.can_open(first)) {
                self.emit_open(is_finished, events, ledger);
            }
            if self.first_is_open {
                self.emit_deltas(events);
            }
            if !is_finished {
                return;
            }
            self.emit_close(events);
        }
    }

    /// Closes all remaining blocks in order.
    pub(super) fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        for (id, seal) in self.pending_seals.take_all() {
            let thinking = Reasoning {
                text: JsonString::EMPTY,
                form: interlingua_model::ReasoningForm::Redacted,
            };
            let seal = Seal { id: Some(id), ..seal };
            self.push_block(
                BlockKey::Complete,
                Block::new(BlockContent::Reasoning(thinking)).with_seal(Some(seal)),
            );
        }
        while !self.blocks.is_empty() {
            if !self.first_is_open {
                self.emit_open(true, events, ledger);
            }
            self.emit_deltas(events);
            self.emit_close(events);
        }
    }

    fn is_complete(&self, first: &PendingBlock) -> bool {
        match first.key {
            BlockKey::ToolCall(at) => self.calls.get(at).is_none_or(ToolCallState::is_complete),
            // A text's seal may arrive after the next entry has begun.
            BlockKey::ReasoningDetail(DetailKind::Text, _) => {
                first.has_seal || self.other_blocks > 0
            }
            BlockKey::Text
            | BlockKey::Refusal
            | BlockKey::Reasoning
            | BlockKey::ReasoningDetail(DetailKind::Summary | DetailKind::Opaque, _)
            | BlockKey::Complete => true,
        }
    }

    /// A call's name may arrive in pieces; it is complete when arguments follow.
    fn can_open(&self, first: &PendingBlock) -> bool {
        let BlockKey::ToolCall(at) = first.key else { return true };
        let is_wrapped =
            self.calls.get(at).is_some_and(|call| call.kind == CallKind::WrappedFreeform);
        !is_wrapped && first.has_args
    }

    /// Opens the first block. `is_complete` tells that nothing more will arrive for it.
    fn emit_open(&mut self, is_complete: bool, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        let has_many_calls = self.calls.len() > MAX_SCANNED_CALLS;
        let Some(first) = self.blocks.front_mut() else { return };
        if let BlockKey::ToolCall(at) = first.key {
            let Some(call) = self.calls.get_mut(at) else { return };
            call.opened = true;
            let object = call.args_object.take().map(|object| JsonString::new(object.as_str()));
            if let Some(text) = object.and_then(|text| call.args.push(&text)) {
                first.deltas.push(Delta::Args(text));
            }
            if call.id.is_empty() {
                ledger.record_change(
                    note::ODD_INPUT,
                    LedgerPath::REPLY,
                    "the call has no id: one is derived",
                );
                call.id = CallIdSeed { reply_id: self.reply_id.as_ref(), call_number: at }
                    .derive(&call.name);
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
                first.deltas.retain(|delta| !matches!(delta, Delta::Args(_)));
                let text = freeform::unwrap_args(&ToolArgs::from_json_string(&call.args.text()));
                first.deltas.push(Delta::Args(text));
            }
            let body = ToolCall { id: call.id.clone(), name: call.name.clone(), args };
            first.block = Block::new(BlockContent::ToolCall(body));
            if let Some(seal) = self.pending_seals.take(&call.id) {
                first.deltas.push(Delta::Seal(Box::new(seal)));
            }
        }
        let block = std::mem::replace(&mut first.block, Block::text(JsonString::EMPTY));
        events.push(StreamEvent::BlockStart { index: self.next_index, block: Box::new(block) });
        self.first_is_open = true;
    }

    fn emit_deltas(&mut self, events: &mut Vec<StreamEvent>) {
        let index = self.next_index;
        if let Some(first) = self.blocks.front_mut() {
            events.extend(first.deltas.drain(..).map(|delta| StreamEvent::Delta { index, delta }));
        }
    }

    fn emit_close(&mut self, events: &mut Vec<StreamEvent>) {
        if let Some(block) = self.blocks.pop_front() {
            self.other_blocks -= usize::from(!block.is_detail());
            if let BlockKey::ToolCall(at) = block.key
                && let Some(call) = self.calls.get_mut(at)
            {
                call.closed = true;
            }
        }
        events.push(StreamEvent::BlockEnd { index: self.next_index });
        self.next_index += 1;
        self.first_is_open = false;
    }
}

impl PendingBlock {
    fn is_detail(&self) -> bool {
        matches!(self.key, BlockKey::ReasoningDetail(..))
    }

    pub(super) fn push(&mut self, delta: Delta) {
        match &delta {
            Delta::Text(text) if text.is_empty() => return,
            Delta::Text(text) if self.key == BlockKey::Reasoning => {
                self.reasoning_text.push(text.clone());
                self.reasoning_bytes += text.raw().len();
            }
            Delta::Seal(_) => self.has_seal = true,
            Delta::Args(_) => self.has_args = true,
            Delta::Text(_) | Delta::Citation(_) => {}
        }
        self.deltas.push(delta);
    }

    /// Returns whether this is plain reasoning with exactly this text so far.
    pub(super) fn is_same_reasoning(&self, text: &JsonString) -> bool {
        self.key == BlockKey::Reasoning
            && !self.has_seal
            && !text.is_empty()
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
