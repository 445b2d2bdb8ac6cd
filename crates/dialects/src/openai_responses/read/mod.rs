//! Reads a streamed reply.
//!
//! Items are emitted in the order in which they begin; events of a later item are buffered until
//! the earlier ones are done. A finished item repeats all its deltas: whatever the deltas lacked is
//! taken from it.

mod find_item;
mod item;
mod item_event;
mod item_index;
mod rewrite;
mod rewrite_items;

use bytestring::ByteString;
use interlingua_model::{ApiError, Ledger, LedgerPath, OrderFault, ReplyContext, StreamEvent};
use interlingua_wire::frame::is_sse_comment;
use interlingua_wire::json::Tape;
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonNode, JsonString};

use self::item::{ItemBlocks, ItemReader};
use self::item_event::ItemEvent;
use self::item_index::ItemIndex;
use self::rewrite::FrameRewriter;
use super::decode::output_item::ItemPosition;
use super::id::ID;
use super::{error, stop, usage};
use crate::dialect::{MissingEnd, StreamReader};
use crate::note;

pub(super) struct Reader {
    tape: Tape,
    exchange: ReplyContext,
    reply_id: JsonString,
    saw_created: bool,
    /// The first `response.in_progress` belongs to the start; later ones are heartbeats.
    saw_in_progress: bool,
    /// The previous frame, to detect a repetition.
    last_frame: ByteString,
    /// `[DONE]` was received.
    saw_done_marker: bool,
    missing_end: MissingEnd,
    items: Vec<ItemReader>,
    item_index: ItemIndex,
    blocks: ItemBlocks,
    rewriter: FrameRewriter,
}

impl Reader {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            tape: Tape::default(),
            exchange: cx.clone(),
            reply_id: JsonString::EMPTY,
            saw_created: false,
            saw_in_progress: false,
            last_frame: ByteString::new(),
            saw_done_marker: false,
            missing_end: MissingEnd::Nothing,
            items: Vec::new(),
            item_index: ItemIndex::default(),
            blocks: ItemBlocks::default(),
            rewriter: FrameRewriter::default(),
        }
    }

    fn ensure_started(&mut self, response: Option<JsonNode<'_>>) {
        if self.blocks.has_started() {
            return;
        }
        let response_field =
            |key: &str| response?.get(key)?.json_string().filter(|text| !text.is_empty());
        let id = response_field("id").or_else(|| self.exchange.fallback_id.clone());
        let model = response_field("model").or_else(|| self.exchange.client_model.clone());
        self.reply_id = id.clone().unwrap_or_default();
        self.blocks.start(id, model);
    }

    /// Starts the reply at its first event if that is no start. An event with the response has what
    /// a start has.
    fn add_missing_start(
        &mut self,
        kind: &str,
        response: Option<JsonNode<'_>>,
        ledger: &mut Ledger,
    ) {
        if !self.blocks.has_started() {
            if kind.starts_with("response.") && response.is_none() {
                OrderFault::MissingStart.record(ledger);
            }
            self.ensure_started(response);
        }
    }

    fn read_event(&mut self, kind: &str, root: JsonNode<'_>, ledger: &mut Ledger) {
        self.rewriter.ensure_created(kind, root.get("response"), &self.exchange);
        if let "response.created" | "response.queued" | "response.in_progress" = kind {
            let is_heartbeat = kind == "response.in_progress" && self.saw_in_progress;
            self.saw_in_progress |= kind == "response.in_progress";
            if kind == "response.created" && std::mem::replace(&mut self.saw_created, true) {
                OrderFault::SecondStart.record(ledger);
            }
            self.ensure_started(root.get("response"));
            if is_heartbeat {
                self.blocks.push(StreamEvent::Ping);
            }
            return;
        }
        let response = root.get("response").filter(|response| response.is_object());
        self.add_missing_start(kind, response, ledger);
        match kind {
            "response.output_item.added" => self.read_item_added(root),
            "response.output_item.done" => self.read_item_done(root, ledger),
            "response.completed" | "response.incomplete"
                if response.is_some_and(is_failed_response) =>
            {
                self.emit_error(error::decode_failed_response(response.unwrap_or(root)));
                self.missing_end = MissingEnd::ErrorEvent;
            }
            "response.completed" | "response.incomplete" => {
                self.read_completed(kind, response.unwrap_or(root), ledger);
            }
            "response.failed" | "error" => {
                self.emit_error(error::decode_failed_response(response.unwrap_or(root)));
                // Some clients ignore an `error` event that is not `response.failed`.
                self.missing_end =
                    if kind == "error" { MissingEnd::ErrorEvent } else { MissingEnd::Nothing };
            }
            "" if root.get("error").is_some() => {
                self.emit_error(error::decode_failed_response(root));
                self.missing_end = MissingEnd::ErrorEvent;
            }
            "keepalive" | "ping" => self.blocks.push(StreamEvent::Ping),
            _ => {
                let json = root.json();
                self.blocks.push(StreamEvent::Foreign {
                    dialect: ID,
                    kind: JsonString::new(kind),
                    json,
                });
            }
        }
    }

    /// Reads an event of an item with type `item_type`.
    fn read_item_event(&mut self, event: &ItemEvent<'_>, item_type: &str, ledger: &mut Ledger) {
        let mut at = self
            .find_item(event)
            .unwrap_or_else(|| self.begin_item(event.item_id(), event.output_index, item_type));
        if self.items[at].is_done() {
            let Some(next) = self.continue_done_message(at, event, ledger) else {
                return self.rewriter.drop_event();
            };
            at = next;
        }
        self.rewriter.rewrite_item_event(at, item_type, event);
        self.items[at].read_event(event, &mut self.blocks, ledger);
        if event.kind == "response.output_text.done"
            && let Some(text) = self.items[at].take_missing_text()
        {
            self.rewriter.insert_missing_text(at, event.part_index.unwrap_or(0), &text);
        }
    }

    fn read_item_added(&mut self, root: JsonNode<'_>) {
        let Some(node) = root.get("item") else { return };
        let (id, index) = (node.get("id").and_then(JsonNode::json_string), output_index(root));
        // A second start of an item is dropped, unless the first is done.
        let same_id = self.item_index.with_id(id.as_ref()).iter();
        let mut same_name = same_id.chain(self.item_index.with_output_index(index));
        let is_repeated = same_name.any(|at| {
            let item = &self.items[*at];
            !item.is_done() && item.matches(id.as_ref(), index)
        });
        if is_repeated {
            return self.rewriter.drop_event();
        }
        let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        let at = self.begin_item(id, index, &kind);
        self.rewriter.check_output_index(at, index);
        self.rewriter.rewrite_item_added(at, node);
        let position = ItemPosition { reply_id: &self.reply_id, index: at };
        self.items[at].read_added(node, position, &mut self.blocks);
    }

    fn begin_item(&mut self, id: Option<JsonString>, index: Option<u64>, kind: &str) -> usize {
        let at = self.items.len();
        self.rewriter.add_item(
            id.as_ref(),
            index,
            kind,
            ItemPosition { reply_id: &self.reply_id, index: at },
        );
        self.item_index.insert(at, id.as_ref(), index);
        let slot = self.blocks.open((), ());
        self.items.push(ItemReader::new(slot, id, index, kind));
        at
    }

    fn read_item_done(&mut self, root: JsonNode<'_>, ledger: &mut Ledger) {
        let Some(node) = root.get("item") else { return };
        let (id, index) = (node.get("id").and_then(JsonNode::json_string), output_index(root));
        let kind = node.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        let is_open = |at: &&usize| !self.items[**at].is_done();
        let same_id = self.item_index.with_id(id.as_ref()).iter().rfind(is_open);
        let same_index = self.item_index.with_output_index(index).iter();
        let same_type =
            || same_index.rev().find(|at| is_open(at) && self.items[**at].has_type(&kind));
        let at = same_id.or_else(same_type).copied();
        let at = at.unwrap_or_else(|| self.begin_item(id, index, &kind));
        self.rewriter.check_output_index(at, index);
        self.rewriter.rewrite_item_done(at, node);
        self.finish_item(at, Some(node), ledger);
    }

    /// Emits the rest of an item, and continues with the next.
    fn finish_item(&mut self, at: usize, item: Option<JsonNode<'_>>, ledger: &mut Ledger) {
        let position = ItemPosition { reply_id: &self.reply_id, index: at };
        let part = self.items[at].open_part_index();
        self.items[at].finish(item, position, &mut self.blocks, ledger);
        if let (Some(part), Some(text)) = (part, self.items[at].take_missing_text()) {
            self.rewriter.insert_missing_text(at, part, &text);
        }
        self.blocks.close(self.items[at].slot());
    }

    /// Reads the finished response: items without events of their own, the counts, and the stop.
    fn read_completed(&mut self, kind: &str, response: JsonNode<'_>, ledger: &mut Ledger) {
        let output = response.get("output").into_iter().flat_map(JsonNode::items);
        let is_completed = kind == "response.completed";
        let mut item_positions = Vec::new();
        for (position, node) in output.enumerate() {
            let at = self.find_output_item(position, node);
            item_positions.push(at);
            if !self.items[at].is_done() {
                self.finish_item(at, Some(node), ledger);
            }
            if is_completed {
                self.rewriter.finish_item_at_end(at, node);
            }
        }
        for (at, item) in self.items.iter().enumerate().filter(|_| is_completed) {
            self.rewriter.finish_item_from_deltas(at, item.kind(), item.emitted_text());
        }
        self.rewriter.rewrite_response(response, &item_positions, &self.reply_id);
        self.finish_items(ledger);
        if let Some(usage) = response.get("usage").and_then(usage::decode) {
            self.blocks.push(StreamEvent::Usage(usage));
        }
        self.emit_stop(response);
    }

    fn emit_stop(&mut self, response: JsonNode<'_>) {
        let (has_calls, has_refusal) = (self.blocks.has_calls(), self.blocks.has_refusal());
        self.blocks.stop(stop::decode(response, has_calls, has_refusal));
    }

    fn finish_items(&mut self, ledger: &mut Ledger) {
        for at in 0..self.items.len() {
            if self.items[at].is_done() {
                continue;
            }
            if !self.items[at].is_continuation {
                let message = "an item has no end event";
                ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
            }
            self.finish_item(at, None, ledger);
        }
    }

    fn emit_error(&mut self, error: ApiError) {
        // Emitted blocks stay; the error reports that the reply is incomplete.
        self.finish_items(&mut Ledger::default());
        self.blocks.fail(error);
    }

    /// Returns whether only the last event of the reply is missing. Finished items alone do not
    /// show that no more would follow; the end marker of another dialect does, if the server sends
    /// it.
    fn is_complete(&self) -> bool {
        self.saw_done_marker && !self.items.is_empty() && self.items.iter().all(ItemReader::is_done)
    }

    fn read_frame(&mut self, frame: Frame, ledger: &mut Ledger) {
        let Some(data) = frame.data else {
            if !is_sse_comment(&frame.raw) {
                self.rewriter.drop_frame();
            }
            return;
        };
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            self.saw_done_marker = true;
            // Clients stop reading at this marker, so the end must be written before it.
            if self.blocks.is_streaming() {
                self.emit_end(ledger);
                self.missing_end = MissingEnd::StopReason;
            }
            return;
        }
        if self.blocks.has_ended()
            && self.missing_end == MissingEnd::ErrorEvent
            && is_failed_event(frame.event.as_deref(), &data)
        {
            self.missing_end = MissingEnd::Nothing;
            return;
        }
        if self.blocks.record_late_event(ledger) {
            return;
        }
        let is_object = data.trim_start().starts_with('{');
        let doc = match JsonDoc::parse_with_tape(data, JsonLimits::default(), &mut self.tape) {
            Ok(doc) => doc,
            Err(error) => {
                let message = format!("left out a frame: {error}");
                ledger.record_loss(note::BAD_FRAME, LedgerPath::REPLY, message);
                // A malformed JSON event is still forwarded: the client must see the error.
                if !is_object {
                    self.rewriter.drop_frame();
                }
                return;
            }
        };
        let root = doc.root();
        let mut item_event = ItemEvent::from_node(root);
        if item_event.kind.is_empty() {
            item_event.kind = frame.event.as_deref().unwrap_or_default().into();
        }
        self.rewriter.begin_event(&item_event.kind, item_event.sequence_number);
        // A server that numbers its events never sends one twice; without numbers, two equal deltas
        // are possible.
        if self.last_frame == *doc.text()
            && item_event.sequence_number.is_some_and(|number| number > 0)
        {
            self.rewriter.drop_event();
            ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, "left out a repeated event");
        } else if let Some(item_type) = item_event::item_type_of_event(&item_event.kind) {
            self.rewriter.ensure_created(&item_event.kind, None, &self.exchange);
            self.add_missing_start(&item_event.kind, None, ledger);
            self.read_item_event(&item_event, item_type, ledger);
        } else {
            self.read_event(&item_event.kind, root, ledger);
        }
        self.rewriter.finish_event(&item_event.kind, root, item_event.sequence_number, &frame.raw);
        drop(item_event);
        self.last_frame = doc.recycle(&mut self.tape);
    }

    fn emit_end(&mut self, ledger: &mut Ledger) {
        self.ensure_started(None);
        if self.is_complete() {
            let message = "the reply ended without its end event";
            ledger.record_change(note::STREAM_ORDER, LedgerPath::REPLY, message);
            self.emit_stop(interlingua_wire::RawJson::EMPTY_OBJECT.to_doc().root());
        } else {
            self.emit_error(ApiError::truncated_stream());
        }
    }
}

/// Returns whether a response in a completed event has the status `failed`.
fn is_failed_response(response: JsonNode<'_>) -> bool {
    let has_failed_status =
        response.get("status").is_some_and(|status| status.str_or_empty() == stop::FAILED);
    has_failed_status && response.get("error").is_some_and(JsonNode::is_object)
}

fn output_index(root: JsonNode<'_>) -> Option<u64> {
    root.get("output_index").and_then(JsonNode::as_u64)
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        self.blocks.swap_events(events);
        self.read_frame(frame, ledger);
        self.blocks.swap_events(events);
    }

    fn finish(&mut self, events: &mut Vec<StreamEvent>, ledger: &mut Ledger) {
        if !self.blocks.has_ended() {
            self.blocks.swap_events(events);
            self.emit_end(ledger);
            self.blocks.swap_events(events);
        }
    }

    fn enable_passthrough(&mut self) {
        self.rewriter.enabled = true;
    }

    fn rewrite_frame(&mut self) -> Option<Vec<u8>> {
        self.rewriter.take_replacement()
    }

    fn missing_end(&self) -> MissingEnd {
        self.missing_end
    }

    fn is_terminated(&self) -> bool {
        self.blocks.has_ended() && self.missing_end != MissingEnd::ErrorEvent
    }
}

/// Returns whether the frame is `response.failed`.
fn is_failed_event(event: Option<&str>, data: &ByteString) -> bool {
    const FAILED_EVENT: &str = "response.failed";
    event.is_some_and(|event| event == FAILED_EVENT)
        || data.contains("\"type\":\"response.failed\"")
}
