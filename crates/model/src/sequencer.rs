//! Puts the blocks of a stream in order: one start, one open block at a time, nothing after the end.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use interlingua_wire::JsonString;

use crate::accumulator::split_block;
use crate::{ApiError, Block, BlockContent, Delta, Ledger, LedgerPath, Stop, StreamEvent};

/// Turns what a reader decodes from frames into the events of [`StreamEvent`]'s grammar, in whatever
/// order the frames arrive.
///
/// Each block of the provider gets a slot, under the key that the wire has for it (`K`). The events
/// of the first slot are emitted at once; those of later slots wait until all slots before theirs are
/// closed. `S` is what the reader remembers of a block until then.
#[derive(Debug)]
pub struct Sequencer<K, S> {
    stage: Stage,
    /// The events of the current frame.
    events: Vec<StreamEvent>,
    /// The slots from the first that is not closed.
    slots: VecDeque<Slot<K, S>>,
    /// Number of closed slots before them.
    closed_slots: usize,
    /// The last slot with each key. Empty while there are few slots, which are scanned faster.
    slots_by_key: HashMap<K, usize>,
    begun_blocks: u32,
    emitted_blocks: u32,
    has_calls: bool,
    has_refusal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    NotStarted,
    Streaming,
    Ended,
    /// An event after the end was recorded.
    LateRecorded,
}

#[derive(Debug)]
struct Slot<K, S> {
    key: K,
    state: S,
    has_open_block: bool,
    /// The index of its last block, if the blocks before it keep their order.
    block_index: u32,
    is_closed: bool,
    /// Events without their final index, while a slot before this one is not closed.
    waiting: Vec<StreamEvent>,
}

/// The number of a slot in the order of the slots of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotNumber(usize);

/// A fault in the order of a stream's events, which its reader corrects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderFault {
    /// An event arrived before the start of the reply.
    MissingStart,
    /// The reply started twice.
    SecondStart,
    /// A delta arrived before the start of its block.
    MissingBlockStart,
    /// A block began twice, or the reply ended before the block.
    MissingBlockEnd,
    /// A delta does not have the kind of its block.
    ChangedBlockKind,
    /// A block began before the one before it ended.
    OverlappingBlocks,
    /// A block ended that had not begun, or that had ended.
    UnknownBlockEnd,
    /// A delta has no block, and does not show what its block is.
    UnknownBlockDelta,
    /// A start or a delta of a block has no content.
    EmptyBlockEvent,
    /// An event arrived after the end of the reply.
    LateEvent,
    /// The reply ended without a stop reason.
    MissingStopReason,
}

impl OrderFault {
    /// Records the fault.
    pub fn record(self, ledger: &mut Ledger) {
        // Whether something is left out, and the description for people.
        let (is_loss, description) = match self {
            Self::MissingStart => (false, "the reply has no start"),
            Self::SecondStart => (false, "left out a second start of the reply"),
            Self::MissingBlockStart => (false, "a block has no start"),
            Self::MissingBlockEnd => (false, "a block has no end"),
            Self::ChangedBlockKind => (false, "a block changed its kind: it becomes two blocks"),
            Self::OverlappingBlocks => (false, "a block began before the one before it ended"),
            Self::UnknownBlockEnd => (false, "a block ended that was not open"),
            Self::UnknownBlockDelta => (true, "left out a delta of a block that is not open"),
            Self::EmptyBlockEvent => (true, "left out an event of a block without content"),
            Self::LateEvent => (true, "left out an event after the end of the reply"),
            Self::MissingStopReason => (false, "the reply has no stop reason"),
        };
        if is_loss {
            ledger.record_loss(STREAM_ORDER, LedgerPath::REPLY, description);
        } else {
            ledger.record_change(STREAM_ORDER, LedgerPath::REPLY, description);
        }
    }
}

impl<K, S> Default for Sequencer<K, S> {
    fn default() -> Self {
        Self {
            stage: Stage::NotStarted,
            events: Vec::new(),
            slots: VecDeque::new(),
            closed_slots: 0,
            slots_by_key: HashMap::new(),
            begun_blocks: 0,
            emitted_blocks: 0,
            has_calls: false,
            has_refusal: false,
        }
    }
}

/// The whole reply.
impl<K, S> Sequencer<K, S> {
    /// Exchanges the list that events are appended to. A reader does it before and after each frame,
    /// so that its caller's list is filled without a copy.
    pub fn swap_events(&mut self, events: &mut Vec<StreamEvent>) {
        std::mem::swap(&mut self.events, events);
    }

    /// Whether the start of the reply was emitted.
    pub fn has_started(&self) -> bool {
        self.stage != Stage::NotStarted
    }

    /// Whether the reply is started and not ended.
    pub fn is_streaming(&self) -> bool {
        self.stage == Stage::Streaming
    }

    /// Whether the end of the reply was emitted.
    pub fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended | Stage::LateRecorded)
    }

    /// Emits the start of the reply, unless it was emitted.
    pub fn start(&mut self, id: Option<JsonString>, model: Option<JsonString>) {
        if self.stage == Stage::NotStarted {
            self.stage = Stage::Streaming;
            self.events.push(StreamEvent::Start { id, model });
        }
    }

    /// Emits an event that belongs to no block, such as token counts.
    pub fn push(&mut self, event: StreamEvent) {
        self.emit(event);
    }

    /// Emits the stop, after the ends of all blocks.
    pub fn stop(&mut self, stop: Stop) {
        self.end(StreamEvent::Stop(stop));
    }

    /// Emits the error that ends the reply, after the ends of all blocks.
    pub fn fail(&mut self, error: ApiError) {
        self.end(StreamEvent::Error(Box::new(error)));
    }

    fn end(&mut self, event: StreamEvent) {
        self.start(None, None);
        while let Some(slot) = self.first_slot() {
            self.close(slot);
        }
        self.stage = Stage::Ended;
        self.events.push(event);
    }

    /// If the reply has ended, records an event after its end, once. Returns whether it has.
    pub fn record_late_event(&mut self, ledger: &mut Ledger) -> bool {
        if self.stage == Stage::Ended {
            self.stage = Stage::LateRecorded;
            OrderFault::LateEvent.record(ledger);
        }
        self.stage == Stage::LateRecorded
    }

    /// Whether a tool call has begun.
    pub fn has_calls(&self) -> bool {
        self.has_calls
    }

    /// Whether a refusal has begun.
    pub fn has_refusal(&self) -> bool {
        self.has_refusal
    }

    /// Number of blocks that have begun: the index of the next one.
    pub fn block_count(&self) -> u32 {
        self.begun_blocks
    }
}

/// The slots.
impl<K: Clone + Eq + Hash, S> Sequencer<K, S> {
    /// Adds a slot after all others.
    pub fn open(&mut self, key: K, state: S) -> SlotNumber {
        let slot = Slot {
            key,
            state,
            has_open_block: false,
            block_index: self.begun_blocks,
            is_closed: false,
            waiting: Vec::new(),
        };
        self.slots.push_back(slot);
        let count = self.slots.len();
        let unlisted = match count {
            ..=MAX_SCANNED_SLOTS => count,
            count if count == MAX_SCANNED_SLOTS + 1 => 0,
            count => count - 1,
        };
        for at in unlisted..count {
            self.slots_by_key.insert(self.slots[at].key.clone(), self.closed_slots + at);
        }
        SlotNumber(self.closed_slots + count - 1)
    }

    /// As [`Sequencer::open`], on a wire where each block has an end before the next one begins.
    pub fn open_in_order(&mut self, key: K, state: S, ledger: &mut Ledger) -> SlotNumber {
        if self.slots.len() == 1 {
            OrderFault::OverlappingBlocks.record(ledger);
        }
        self.open(key, state)
    }

    /// The last slot with this key that is not closed.
    pub fn find(&self, key: &K) -> Option<SlotNumber> {
        let matches = |slot: &Slot<K, S>| !slot.is_closed && slot.key == *key;
        if self.slots.len() <= MAX_SCANNED_SLOTS {
            return self.slots.iter().rposition(matches).map(|at| self.number(at));
        }
        let number = SlotNumber(*self.slots_by_key.get(key)?);
        self.slots.get(self.offset(number)?).filter(|slot| matches(slot)).map(|_| number)
    }

    /// Changes the key of a slot.
    pub fn set_key(&mut self, slot: SlotNumber, key: K) {
        let Some(at) = self.offset(slot) else { return };
        self.slots_by_key.insert(key.clone(), slot.0);
        self.slots[at].key = key;
    }
}

/// One slot. A closed slot accepts nothing.
impl<K, S> Sequencer<K, S> {
    /// The slot whose events are emitted at once.
    pub fn first_slot(&self) -> Option<SlotNumber> {
        (!self.slots.is_empty()).then_some(SlotNumber(self.closed_slots))
    }

    /// The slot that was opened last, unless it is closed.
    pub fn last_slot(&self) -> Option<SlotNumber> {
        let is_open = self.slots.back().is_some_and(|last| !last.is_closed);
        is_open.then(|| self.number(self.slots.len() - 1))
    }

    /// Number of slots from the first that is not closed.
    pub fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// The key of a slot.
    pub fn key(&self, slot: SlotNumber) -> Option<&K> {
        Some(&self.slots.get(self.offset(slot)?)?.key)
    }

    /// What the reader remembers of a slot.
    pub fn state(&mut self, slot: SlotNumber) -> Option<&mut S> {
        let at = self.offset(slot)?;
        Some(&mut self.slots.get_mut(at)?.state)
    }

    /// Changes what the reader remembers of a slot, and returns what it was.
    pub fn set_state(&mut self, slot: SlotNumber, state: S) -> Option<S> {
        self.state(slot).map(|known| std::mem::replace(known, state))
    }

    /// The position of a slot's block, for ledger entries.
    pub fn path(&self, slot: SlotNumber) -> LedgerPath {
        let slot = self.offset(slot).and_then(|at| self.slots.get(at));
        slot.map_or(LedgerPath::REPLY, |slot| LedgerPath::reply(slot.block_index as usize))
    }

    /// Begins a block, after the end of the slot's block before it.
    pub fn begin_block(&mut self, slot: SlotNumber, block: Block) {
        self.end_block(slot);
        let Some(at) = self.offset(slot) else { return };
        self.slots[at].has_open_block = true;
        self.slots[at].block_index = self.begun_blocks;
        self.begun_blocks += 1;
        self.has_calls |= matches!(block.content, BlockContent::ToolCall(_));
        self.has_refusal |= matches!(block.content, BlockContent::Refusal(_));
        self.push_to(at, StreamEvent::BlockStart { index: 0, block: Box::new(block) });
    }

    /// Appends to the open block of a slot. Returns false if it has none.
    pub fn push_delta(&mut self, slot: SlotNumber, delta: Delta) -> bool {
        let Some(at) = self.offset(slot).filter(|at| self.slots[*at].has_open_block) else {
            return false;
        };
        self.push_to(at, StreamEvent::Delta { index: 0, delta });
        true
    }

    /// Begins and ends a complete block.
    pub fn push_block(&mut self, slot: SlotNumber, block: Block) {
        let (block, deltas) = split_block(block);
        self.begin_block(slot, block);
        for delta in deltas {
            self.push_delta(slot, delta);
        }
        self.end_block(slot);
    }

    /// Ends the open block of a slot; another one may begin.
    pub fn end_block(&mut self, slot: SlotNumber) {
        let Some(at) = self.offset(slot) else { return };
        if std::mem::take(&mut self.slots[at].has_open_block) {
            self.push_to(at, StreamEvent::BlockEnd { index: 0 });
        }
    }

    /// Closes a slot, and emits the events that waited for it.
    pub fn close(&mut self, slot: SlotNumber) {
        self.end_block(slot);
        let Some(at) = self.offset(slot) else { return };
        self.slots[at].is_closed = true;
        while self.slots.front().is_some_and(|first| first.is_closed) {
            self.slots.pop_front();
            self.closed_slots += 1;
            let waiting = self.slots.front_mut().map(|first| std::mem::take(&mut first.waiting));
            for event in waiting.unwrap_or_default() {
                self.emit(event);
            }
        }
    }

    /// The position of a slot that is not closed.
    fn offset(&self, slot: SlotNumber) -> Option<usize> {
        let at = slot.0.checked_sub(self.closed_slots)?;
        self.slots.get(at).filter(|slot| !slot.is_closed).map(|_| at)
    }

    fn number(&self, at: usize) -> SlotNumber {
        SlotNumber(self.closed_slots + at)
    }

    fn push_to(&mut self, at: usize, event: StreamEvent) {
        if at == 0 {
            self.emit(event);
        } else {
            self.slots[at].waiting.push(event);
        }
    }

    fn emit(&mut self, mut event: StreamEvent) {
        match &mut event {
            _ if self.has_ended() => return,
            StreamEvent::BlockStart { index, .. } => {
                if self.stage == Stage::NotStarted {
                    self.stage = Stage::Streaming;
                    self.events.push(StreamEvent::Start { id: None, model: None });
                }
                *index = self.emitted_blocks;
                self.emitted_blocks += 1;
            }
            StreamEvent::Delta { index, .. } | StreamEvent::BlockEnd { index } => {
                *index = self.emitted_blocks.saturating_sub(1);
            }
            StreamEvent::Start { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Stop(_)
            | StreamEvent::Error(_)
            | StreamEvent::Ping
            | StreamEvent::Foreign { .. } => {}
        }
        self.events.push(event);
    }
}

/// The rule of the ledger entries, as in the notes of the dialects.
const STREAM_ORDER: &str = "stream-order";
const MAX_SCANNED_SLOTS: usize = 16;
