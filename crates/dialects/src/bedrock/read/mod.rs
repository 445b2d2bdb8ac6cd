//! Reads a stream, and reorders its events so that only one block is open at a time.

mod block;

use std::collections::HashSet;

use interlingua_model::{
    ApiError, Ledger, LedgerPath, ReplyContext, Stop, StopReason, StreamEvent,
};
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, RawJson};

use self::block::{DeltaKind, OpenBlock};
use super::{error, stop, usage};
use crate::common::name_set::NameSet;
use crate::common::pending_events::PendingEvents;
use crate::dialect::StreamReader;
use crate::note;

#[derive(Debug, Default)]
pub(super) struct Reader {
    tape: Tape,
    /// Tools with wrapped free text.
    freeform_tools: NameSet,
    state: ReaderState,
    next_index: u32,
    open_block: Option<OpenBlock>,
    /// Provider indices of closed blocks.
    closed_wire_indices: HashSet<u64>,
    pending_events: PendingEvents<(BlockEventKind, RawJson)>,
    has_calls: bool,
    /// Held back until the metadata event that follows it.
    stop: Option<Stop>,
    has_metadata: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReaderState {
    #[default]
    NotStarted,
    Streaming,
    Ended,
    /// An event after the end was already noted.
    LateNoted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockEventKind {
    Start,
    Delta,
    Stop,
}

/// Receives the events and ledger entries of one frame.
struct EventSink<'o> {
    events: &'o mut Vec<StreamEvent>,
    ledger: &'o mut Ledger,
}

impl Reader {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self { freeform_tools: NameSet::new(&cx.freeform_tools), ..Self::default() }
    }

    fn read_event(&mut self, name: &str, root: JsonNode<'_>, out: &mut EventSink<'_>) {
        self.ensure_started(out);
        match name {
            "messageStart" => {}
            "contentBlockStart" => self.read_block_event(BlockEventKind::Start, root, out),
            "contentBlockDelta" => self.read_block_event(BlockEventKind::Delta, root, out),
            "contentBlockStop" => self.read_block_event(BlockEventKind::Stop, root, out),
            "messageStop" => self.read_message_stop(root, out),
            "metadata" => self.read_metadata(root, out),
            _ => out.events.push(block::foreign_event(name, root)),
        }
    }

    fn ensure_started(&mut self, out: &mut EventSink<'_>) {
        if self.state == ReaderState::NotStarted {
            self.state = ReaderState::Streaming;
            out.events.push(StreamEvent::Start { id: None, model: None });
        }
    }

    /// Applies a block event, or defers it while another block is open.
    fn read_block_event(
        &mut self,
        kind: BlockEventKind,
        root: JsonNode<'_>,
        out: &mut EventSink<'_>,
    ) {
        if self.stop.is_some() {
            let message = "left out a block that came after the stop event";
            out.ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
            return;
        }
        let open_index = self.open_block.as_ref().map(|open_index| open_index.wire_index);
        let [index, delta] = root.get_many(["contentBlockIndex", "delta"]);
        let index = index.and_then(JsonNode::as_u64);
        let wire_index = index.or(open_index).unwrap_or_else(|| u64::from(self.next_index));
        if open_index.is_some_and(|open_index| open_index != wire_index) {
            self.pending_events.push(wire_index, (kind, root.json()));
        } else {
            self.apply_block_event(kind, wire_index, root, delta, out);
            self.replay_pending_events(out);
        }
    }

    fn apply_block_event(
        &mut self,
        kind: BlockEventKind,
        wire_index: u64,
        root: JsonNode<'_>,
        delta: Option<JsonNode<'_>>,
        out: &mut EventSink<'_>,
    ) {
        match kind {
            BlockEventKind::Start => {
                self.close_block(out);
                let Some(start) = root.get("start") else { return note_empty_event(out) };
                let (next_index, events) = (self.next_index, &mut *out.events);
                let block = OpenBlock::from_start_event(
                    wire_index,
                    next_index,
                    start,
                    &self.freeform_tools,
                    events,
                );
                if !block.has_index() {
                    out.events.push(block::foreign_event("contentBlockStart", root));
                }
                self.set_open_block(block);
            }
            BlockEventKind::Delta => {
                let Some(delta) = delta else { return note_empty_event(out) };
                let delta_kind = block::delta_kind(delta);
                self.ensure_open_for(delta_kind, wire_index, out);
                if let Some(open) = &mut self.open_block {
                    open.apply_delta(delta_kind, delta, root, out.events);
                }
            }
            BlockEventKind::Stop => {
                if self.open_block.is_none() && self.closed_wire_indices.contains(&wire_index) {
                    let message = "a block was closed twice";
                    out.ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
                    return;
                }
                if self.open_block.as_ref().is_some_and(|open| !open.has_index()) {
                    out.events.push(block::foreign_event("contentBlockStop", root));
                }
                // A block with only an end event is an empty text.
                self.ensure_open_for(DeltaKind::Unknown, wire_index, out);
                self.close_block(out);
                self.closed_wire_indices.insert(wire_index);
            }
        }
    }

    /// Ensures that the open block accepts a delta of this kind.
    fn ensure_open_for(&mut self, delta_kind: DeltaKind, wire_index: u64, out: &mut EventSink<'_>) {
        if self.open_block.as_ref().is_some_and(|open| open.accepts(delta_kind)) {
            return;
        }
        if self.open_block.is_some() {
            let message = "a block changed its kind: a new block is opened";
            out.ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
            self.close_block(out);
        } else if delta_kind == DeltaKind::ToolInput {
            let message = "a call began without a start event";
            out.ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
        }
        let delta_kind =
            if delta_kind == DeltaKind::Unknown { DeltaKind::Text } else { delta_kind };
        let block =
            OpenBlock::from_first_delta(wire_index, self.next_index, delta_kind, out.events);
        self.set_open_block(block);
    }

    fn set_open_block(&mut self, block: OpenBlock) {
        self.next_index += u32::from(block.has_index());
        self.has_calls |= block.is_tool_use();
        self.open_block = Some(block);
    }

    fn close_block(&mut self, out: &mut EventSink<'_>) {
        if let Some(open) = self.open_block.take() {
            open.close(out.ledger, out.events);
        }
    }

    /// Applies deferred block events until a block stays open.
    fn replay_pending_events(&mut self, out: &mut EventSink<'_>) {
        while self.open_block.is_none()
            && let Some((wire_index, pending)) = self.pending_events.pop_first()
        {
            for (kind, json) in pending {
                let doc = json.to_doc();
                self.apply_block_event(kind, wire_index, doc.root(), doc.root().get("delta"), out);
            }
        }
    }

    /// Closes the open block and all blocks with deferred events.
    fn close_all_blocks(&mut self, out: &mut EventSink<'_>) {
        while self.open_block.is_some() || !self.pending_events.is_empty() {
            self.close_block(out);
            self.replay_pending_events(out);
        }
    }

    fn read_message_stop(&mut self, root: JsonNode<'_>, out: &mut EventSink<'_>) {
        if self.open_block.is_some() {
            let message = "the stop event came before the end of the last block";
            out.ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
            self.close_all_blocks(out);
        }
        let reason = root.get("stopReason").and_then(JsonNode::json_string);
        let mut stop = reason.map(stop::read_stop).unwrap_or_default();
        if let Some(additional_fields) = root
            .get("additionalModelResponseFields")
            .filter(|additional_fields| !additional_fields.is_null())
        {
            stop.sequence = stop::stop_sequence(additional_fields);
            out.events.push(block::foreign_event("messageStop", root));
        }
        self.stop = Some(stop.adjusted_for_tool_calls(self.has_calls));
        if self.has_metadata {
            self.emit_stop(out);
        }
    }

    fn read_metadata(&mut self, root: JsonNode<'_>, out: &mut EventSink<'_>) {
        // Metrics are dropped: other dialects do not have them. Other fields are passed on as a
        // foreign event.
        if root.fields().any(|field| !["usage", "metrics", "p"].contains(&&*field.key())) {
            out.events.push(block::foreign_event("metadata", root));
        }
        if let Some(usage) = root.get("usage").filter(|usage| usage.is_object()) {
            out.events.push(StreamEvent::Usage(usage::read_usage(usage)));
        }
        self.has_metadata = true;
        if self.stop.is_some() {
            self.emit_stop(out);
        }
    }

    fn emit_stop(&mut self, out: &mut EventSink<'_>) {
        let stop = self.stop.take().unwrap_or_default();
        out.events.push(StreamEvent::Stop(stop));
        self.state = ReaderState::Ended;
    }

    fn emit_error(&mut self, error: ApiError, out: &mut EventSink<'_>) {
        self.ensure_started(out);
        self.close_all_blocks(out);
        out.events.push(StreamEvent::Error(Box::new(error)));
        self.state = ReaderState::Ended;
    }

    fn has_ended(&self) -> bool {
        matches!(self.state, ReaderState::Ended | ReaderState::LateNoted)
    }

    fn note_late_event(&mut self, ledger: &mut Ledger) {
        if self.state == ReaderState::Ended {
            self.state = ReaderState::LateNoted;
            let message = "left out an event after the end of the reply";
            ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
        }
    }
}

fn note_empty_event(out: &mut EventSink<'_>) {
    let message = "left out a block event without content";
    out.ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        let name = frame.event.as_deref().unwrap_or_default();
        if self.has_ended() {
            self.note_late_event(ledger);
            return;
        }
        let mut out = EventSink { events, ledger };
        if let Some(name) = name.strip_prefix("exception:").or(name.strip_prefix("error:")) {
            self.emit_error(error::decode_exception(name, frame.data.as_deref()), &mut out);
            return;
        }
        let Some(data) = frame.data else { return };
        let mut tape = std::mem::take(&mut self.tape);
        match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut tape) {
            Ok(doc) => {
                self.read_event(name, doc.root(), &mut out);
                doc.recycle(&mut tape);
            }
            Err(error) => {
                let message = format!("left out a `{name}` event: {error}");
                out.ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
            }
        }
        self.tape = tape;
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        let mut out = EventSink { events, ledger };
        if self.has_ended() {
            return;
        }
        if self.stop.is_none() && self.has_metadata {
            // Metadata is the last event: only the stop event was lost.
            self.close_all_blocks(&mut out);
            self.stop =
                Some(Stop::new(StopReason::EndTurn).adjusted_for_tool_calls(self.has_calls));
        }
        if self.stop.is_some() {
            self.emit_stop(&mut out);
        } else {
            self.emit_error(ApiError::truncated_stream(), &mut out);
        }
    }

    fn has_stop_reason(&self) -> bool {
        self.stop.is_some()
    }
}
