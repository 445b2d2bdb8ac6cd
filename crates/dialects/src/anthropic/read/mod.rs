//! Reads a stream of this dialect.

mod block;
mod block_events;
mod missing_fields;
mod rewrite;

use interlingua_model::{
    ApiError, Ledger, LedgerPath, OrderFault, ReplyContext, Sequencer, Stop, StopReason,
    StreamEvent,
};
use interlingua_wire::frame::is_sse_comment;
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, JsonString, RawJson};

use self::block::{BlockEvent, BlockKey, BlockState};
use self::rewrite::{FrameRewriter, MessageState, RawFrame};
use super::id::ID;
use super::write::event::{CONTENT_BLOCK_DELTA, is_event_json};
use super::{error, reply, stop, usage};
use crate::common::name_set::NameSet;
use crate::dialect::{MissingEnd, StreamReader};
use crate::note;

#[derive(Debug)]
pub(super) struct Reader {
    tape: Tape,
    freeform_tools: NameSet,
    blocks: Sequencer<BlockKey, BlockState>,
    /// The merged token counts so far, as one object.
    usage: Option<RawJson>,
    stop: Option<Stop>,
    missing_end: MissingEnd,
    is_terminated: bool,
    rewriter: FrameRewriter,
    /// Supplies the id and the model of a message that has no start event.
    exchange: ReplyContext,
}

impl Reader {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            tape: Tape::default(),
            freeform_tools: NameSet::new(&cx.freeform_tools),
            blocks: Sequencer::default(),
            usage: None,
            stop: None,
            missing_end: MissingEnd::Nothing,
            is_terminated: false,
            rewriter: FrameRewriter::default(),
            exchange: ReplyContext {
                fallback_id: cx.fallback_id.clone(),
                client_model: cx.client_model.clone(),
                ..ReplyContext::default()
            },
        }
    }

    fn read_frame(&mut self, frame: Frame, ledger: &mut Ledger) {
        let event = frame.event.as_deref();
        let data = frame.data.filter(|data| data.starts_with('{') || !data.trim().is_empty());
        let Some(data) = data else {
            // SDKs fail to parse an event with a name but no data. A line that is no SSE field
            // could make clients detect another stream type if it is the first one.
            if event != Some("ping") && !is_sse_comment(&frame.raw) {
                self.rewriter.drop_frame();
            }
            return;
        };
        // The end marker of another dialect, which some hosts add.
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            return self.rewriter.drop_frame();
        }
        if self.blocks.record_late_event(ledger) {
            return;
        }
        let is_object = data.trim_start().starts_with('{');
        match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut self.tape) {
            Ok(doc) => {
                let root = doc.root();
                let kind = root.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
                let kind = if kind.is_empty() { event.unwrap_or("") } else { &kind };
                self.read_event(kind, root, &RawFrame { event, raw: &frame.raw }, ledger);
                doc.recycle(&mut self.tape);
            }
            Err(why) => {
                ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, format!("a frame is {why}"));
                // A malformed JSON event is still forwarded: the client must see the error.
                if !is_object {
                    self.rewriter.drop_frame();
                }
            }
        }
    }

    fn read_event(
        &mut self,
        kind: &str,
        root: JsonNode<'_>,
        raw_frame: &RawFrame<'_>,
        ledger: &mut Ledger,
    ) {
        if let "content_block_delta" | "content_block_start" | "content_block_stop" = kind {
            let block_event = BlockEvent::from_node(kind, root);
            self.rewriter.rewrite_block_event(&block_event, raw_frame, &self.exchange);
            return self.read_block_event(&block_event, ledger);
        }
        let state = MessageState {
            usage: self.usage.as_ref(),
            has_stop_reason: self.stop.is_some(),
            exchange: &self.exchange,
        };
        self.rewriter.rewrite_message_event(kind, root, raw_frame, &state);
        match kind {
            "message_start" if self.blocks.has_started() => OrderFault::SecondStart.record(ledger),
            "message_start" => self.read_message_start(root.get("message"), ledger),
            "message_delta" => self.read_message_delta(root, ledger),
            "message_stop" => {
                self.ensure_started(ledger);
                self.close_all_blocks(ledger);
                if self.stop.is_none() {
                    OrderFault::MissingStopReason.record(ledger);
                    self.missing_end = MissingEnd::StopReason;
                }
                self.emit_stop();
                self.is_terminated = true;
            }
            "ping" if self.blocks.has_started() => self.blocks.push(StreamEvent::Ping),
            "ping" => {}
            _ => match error::decode_embedded(root) {
                Some(error) => {
                    self.rewriter.rewrite_error(kind, &error);
                    self.emit_error(error);
                }
                None if self.blocks.has_started() => self.blocks.push(StreamEvent::Foreign {
                    dialect: ID,
                    kind: JsonString::new(kind),
                    json: root.json(),
                }),
                None => {
                    let message = format!("left out `{kind}` before the message began");
                    ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
                }
            },
        }
    }

    fn read_message_start(&mut self, message: Option<JsonNode<'_>>, ledger: &mut Ledger) {
        let (id, model) = message.map(reply::decode_id_and_model).unwrap_or_default();
        self.blocks.start(id, model);
        let Some(message) = message else { return };
        if let Some(counts) = message.get("usage").filter(|counts| counts.is_object()) {
            self.read_usage(counts);
        }
        self.emit_foreign_fields(message, MESSAGE_KEYS);
        for block in message.get("content").into_iter().flat_map(JsonNode::items) {
            let key = BlockKey { wire_index: 0, is_beside_call: false };
            let slot = self.blocks.open(key, BlockState::Complete);
            self.begin_block(slot, block, ledger);
            self.close_block(slot, true);
        }
    }

    /// Emits a message start if the stream has none.
    fn ensure_started(&mut self, ledger: &mut Ledger) {
        if !self.blocks.has_started() {
            OrderFault::MissingStart.record(ledger);
            self.blocks.start(None, None);
        }
    }

    fn read_message_delta(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        self.ensure_started(ledger);
        self.close_all_blocks(ledger);
        if let Some(delta) = root.get("delta") {
            self.stop = stop::decode_fields(delta).or(self.stop.take());
            self.emit_foreign_fields(delta, &["stop_reason", "stop_sequence"]);
        }
        self.emit_foreign_fields(root, &["type", "delta", "usage"]);
        if let Some(counts) = root.get("usage").filter(|counts| counts.is_object()) {
            self.read_usage(counts);
        }
    }

    /// Later counts replace earlier ones, field by field.
    fn read_usage(&mut self, counts: JsonNode<'_>) {
        let merged = match &self.usage {
            Some(earlier) if earlier.as_str().len() + counts.raw().len() <= MAX_MERGED_BYTES => {
                merge_counts(earlier, counts)
            }
            _ => counts.json(),
        };
        self.blocks.push(StreamEvent::Usage(usage::decode(merged.to_doc().root())));
        self.usage = Some(merged);
    }

    /// Emits fields that only this dialect has. A field that could be taken for an event is skipped.
    fn emit_foreign_fields(&mut self, node: JsonNode<'_>, known: &[&str]) {
        for field in node.fields() {
            let is_event = || {
                field.key_is(CONTENT_BLOCK_DELTA)
                    || is_event_json(&field.key_json_string(), &field.value.json())
            };
            if !field.value.is_null() && !known.contains(&&*field.key()) && !is_event() {
                let (kind, json) = (field.key_json_string(), field.value.json());
                self.blocks.push(StreamEvent::Foreign { dialect: ID, kind, json });
            }
        }
    }

    fn emit_stop(&mut self) {
        let stop = self.stop.take().unwrap_or(Stop::new(StopReason::EndTurn));
        self.blocks.stop(stop.adjusted_for_tool_calls(self.blocks.has_calls()));
    }

    fn emit_error(&mut self, error: ApiError) {
        while let Some(slot) = self.blocks.first_slot() {
            self.close_block(slot, false);
        }
        self.blocks.fail(error);
    }
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        self.blocks.swap_events(events);
        self.read_frame(frame, ledger);
        self.blocks.swap_events(events);
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, _: &mut Ledger) {
        if self.blocks.has_ended() {
            return;
        }
        self.blocks.swap_events(events);
        // A stop reason ends all blocks. A block that began after it and has no end was truncated.
        if self.stop.is_some() && self.blocks.first_slot().is_none() {
            self.emit_stop();
            self.missing_end = MissingEnd::Marker(MESSAGE_STOP_FRAME);
        } else {
            self.emit_error(ApiError::truncated_stream());
        }
        self.blocks.swap_events(events);
    }

    fn enable_passthrough(&mut self) {
        self.rewriter.enabled = true;
    }

    fn rewrite_frame(&mut self) -> Option<Vec<u8>> {
        self.rewriter.take_replacement()
    }

    fn has_stop_reason(&self) -> bool {
        self.stop.is_some()
    }

    fn missing_end(&self) -> MissingEnd {
        self.missing_end
    }

    fn is_terminated(&self) -> bool {
        self.is_terminated
    }
}

/// Merges two count objects. A later value replaces an earlier one unless it is null.
fn merge_counts(earlier: &RawJson, later: JsonNode<'_>) -> RawJson {
    let doc = earlier.to_doc();
    let later_value = |key: &str| later.get(key).filter(|value| !value.is_null());
    if doc.root().fields().all(|field| later_value(&field.key()).is_some()) {
        return later.json();
    }
    RawJson::object(|o| {
        for field in doc.root().fields() {
            let value = later_value(&field.key()).unwrap_or(field.value);
            o.key_json_string(&field.key_json_string()).json(&value.json());
        }
        for field in later.fields() {
            if doc.root().get(&field.key()).is_none() {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
    })
}

/// Counts are merged up to this size: every event with counts copies the merged ones.
const MAX_MERGED_BYTES: usize = 4 << 10;

const MESSAGE_KEYS: &[&str] =
    &["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"];

const MESSAGE_STOP_FRAME: &[u8] = b"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
