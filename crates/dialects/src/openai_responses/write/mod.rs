//! Writes a reply as a stream, or as the single object that ends the stream.

mod event;
mod message;
mod reasoning;
mod tool_call;

use bytestring::ByteString;
use interlingua_model::{
    ApiError, Block, BlockContent, Delta, Extras, Ledger, LedgerPath, MediaKind, MediaSource,
    ReplyContext, Stop, StreamEvent, Usage,
};
use interlingua_wire::{Frame, JsonString, JsonWriter, RawJson};

use self::event::EventWriter;
use self::message::MessageItem;
use self::reasoning::ReasoningItem;
use self::tool_call::{CallItem, CalledTools};
use super::decode::block;
use super::decode::output_item::ItemPosition;
use super::encode::context;
use super::error;
use super::id::ID;
use super::response_object::{Envelope, ResponseState};
use super::stop::{self, ResponseStatus};
use crate::dialect::StreamWriter;
use crate::note;

/// Keeps every finished item: the last event repeats them.
pub(super) struct Writer {
    events: EventWriter,
    envelope: Envelope,
    called_tools: CalledTools,
    started: bool,
    ended: bool,
    items: Vec<RawJson>,
    open_item: Option<OpenItem>,
    /// A sealed text block without text so far: if no text follows, nothing is written.
    sealed_empty_text: Option<Block>,
    /// Number of blocks, for ledger paths.
    block_count: usize,
    usage: Usage,
    has_refusal: bool,
    /// The last passed-through event, if possible one with a sequence number.
    last_passthrough: Option<ByteString>,
}

enum OpenItem {
    /// Stays open after a part, for the next part of the message.
    Message(MessageItem),
    Reasoning(Box<ReasoningItem>),
    Call(Box<CallItem>),
}

impl Writer {
    pub(super) fn new(cx: &ReplyContext) -> Self {
        Self {
            events: EventWriter::default(),
            envelope: Envelope::new(cx),
            called_tools: CalledTools::new(cx),
            started: false,
            ended: false,
            items: Vec::new(),
            open_item: None,
            sealed_empty_text: None,
            block_count: 0,
            usage: Usage::default(),
            has_refusal: false,
            last_passthrough: None,
        }
    }

    /// Creates a writer that writes no events, only the complete response at the end.
    pub(super) fn for_complete_reply(cx: &ReplyContext, mut extras: Extras) -> Self {
        let mut writer = Self::new(cx);
        writer.events.is_silent = true;
        for (key, value) in cx.echoed_fields.fields_for(ID) {
            if extras.get(ID, &key.unescape()).is_none() {
                extras.push(ID, key.clone(), value.clone());
            }
        }
        writer.envelope.extras = extras;
        writer
    }

    fn write_start(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        self.write_lifecycle_event("response.created", out);
        self.write_lifecycle_event("response.in_progress", out);
    }

    /// Writes an event with the response in progress.
    fn write_lifecycle_event(&mut self, event: &'static str, out: &mut Vec<u8>) {
        let status = ResponseStatus {
            status: JsonString::from_static("in_progress"),
            incomplete_reason: None,
        };
        let state = ResponseState { status: &status, error: None, output: &[], usage: None };
        let envelope = &self.envelope;
        self.events
            .write_event(event, out, |o| o.object("response", |o| envelope.write(&state, o)));
    }

    fn write_open(&mut self, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let path = LedgerPath::reply(self.block_count);
        self.block_count += 1;
        context::note_dropped_extras(&block.extras, path, ledger);
        match &block.content {
            BlockContent::Text { text, citations }
                if block.seal.is_some() && text.is_empty() && citations.is_empty() =>
            {
                note_dropped_seal(block, path, ledger);
                self.sealed_empty_text = Some(Block { seal: None, ..block.clone() });
            }
            BlockContent::Text { .. } | BlockContent::Refusal(_) => {
                self.has_refusal |= matches!(block.content, BlockContent::Refusal(_));
                self.write_in_message(block, out, |message, writer, out| {
                    message.start_part(block, path, writer, out, ledger);
                });
            }
            BlockContent::Json(json) => {
                let text = json.json_string().unwrap_or_else(|| JsonString::new(json.as_str()));
                let block = Block::text(text);
                self.write_in_message(&block, out, |message, writer, out| {
                    message.start_part(&block, path, writer, out, ledger);
                });
            }
            BlockContent::Reasoning(thinking) => {
                self.finish_item(out);
                let mut item = ReasoningItem::new(thinking, block, self.next_position());
                item.write_start(&mut self.events, out);
                self.open_item = Some(OpenItem::Reasoning(Box::new(item)));
            }
            BlockContent::ToolCall(call) => {
                self.finish_item(out);
                note_dropped_seal(block, path, ledger);
                let mut item = CallItem::new(call, block, self.next_position(), &self.called_tools);
                item.write_start(&mut self.events, out);
                self.open_item = Some(OpenItem::Call(Box::new(item)));
            }
            BlockContent::Foreign { dialect: ID, kind, json }
                if kind.raw().starts_with(block::PART_KIND_PREFIX) =>
            {
                self.write_in_message(block, out, |message, writer, out| {
                    message.write_complete_part(json, writer, out);
                });
            }
            BlockContent::Foreign { dialect: ID, json, .. } => {
                self.finish_item(out);
                self.write_complete_item(json.clone(), out);
            }
            BlockContent::Media(media) if media.kind == MediaKind::Image => match &media.source {
                MediaSource::Base64 { data, .. } => self.write_image(data, out),
                MediaSource::Url { .. }
                | MediaSource::File { .. }
                | MediaSource::Text(_)
                | MediaSource::Blocks(_) => {
                    note_dropped_block("an image that is not base64 data", path, ledger);
                }
            },
            BlockContent::Media(_) => {
                note_dropped_block("audio, a video or a document", path, ledger);
            }
            BlockContent::ToolResult(_) => note_dropped_block("a tool result", path, ledger),
            BlockContent::Foreign { dialect, kind, .. } => {
                note_dropped_block(&format!("`{kind}`, which only {dialect} has"), path, ledger);
            }
        }
    }

    /// Writes to the open message. A new message is opened if none is open, or if the block begins
    /// one.
    fn write_in_message(
        &mut self,
        block: &Block,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut MessageItem, &mut EventWriter, &mut Vec<u8>),
    ) {
        let message_fields = block.extras.written_message(ID);
        if message_fields.is_some() || !matches!(self.open_item, Some(OpenItem::Message(_))) {
            self.finish_item(out);
            let message = MessageItem::new(message_fields, self.next_position());
            message.write_start(&mut self.events, out);
            self.open_item = Some(OpenItem::Message(message));
        }
        if let Some(OpenItem::Message(message)) = &mut self.open_item {
            write(message, &mut self.events, out);
        }
    }

    fn next_position(&self) -> ItemPosition<'_> {
        ItemPosition { reply_id: &self.envelope.id, index: self.items.len() }
    }

    /// Writes an item that was received complete.
    fn write_complete_item(&mut self, item: RawJson, out: &mut Vec<u8>) {
        self.finish_item(out);
        self.events.write_item_event("response.output_item.added", self.items.len(), &item, out);
        self.events.write_item_event("response.output_item.done", self.items.len(), &item, out);
        self.items.push(item);
    }

    /// In this dialect, an image of the model is the result of an image generation call.
    fn write_image(&mut self, data: &JsonString, out: &mut Vec<u8>) {
        self.finish_item(out);
        let id = self.next_position().derive_item_id("ig_");
        let item = RawJson::object(|o| {
            o.json_string("id", &id);
            o.static_str("type", "image_generation_call");
            o.static_str("status", "completed");
            o.json_string("result", data);
        });
        self.write_complete_item(item, out);
    }

    fn write_delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let path = LedgerPath::reply(self.block_count.saturating_sub(1));
        if let Some(block) = self.sealed_empty_text.take() {
            self.write_in_message(&block, out, |message, writer, out| {
                message.start_part(&block, path, writer, out, ledger);
            });
        }
        match (&mut self.open_item, delta) {
            (Some(OpenItem::Message(message)), Delta::Text(text)) => {
                message.write_text(text, &mut self.events, out);
            }
            (Some(OpenItem::Message(message)), Delta::Citation(citation)) => {
                message.write_citation(citation, path, &mut self.events, out, ledger);
            }
            (Some(OpenItem::Reasoning(item)), Delta::Text(text)) => {
                item.write_text(text, &mut self.events, out);
            }
            (Some(OpenItem::Reasoning(item)), Delta::Seal(seal)) => item.set_seal(seal),
            (Some(OpenItem::Call(item)), Delta::Args(text)) => {
                item.write_args(text, &mut self.events, out);
            }
            (Some(OpenItem::Message(_) | OpenItem::Call(_)), Delta::Seal(seal)) => {
                let description = format!("left out the seal of {}", seal.origin.issuer);
                ledger.record_loss(note::FOREIGN_SEAL, path, description);
            }
            // Deltas of a dropped block, or of another kind than the open block.
            (
                None | Some(OpenItem::Message(_) | OpenItem::Reasoning(_) | OpenItem::Call(_)),
                Delta::Text(_) | Delta::Args(_) | Delta::Seal(_) | Delta::Citation(_),
            ) => {}
        }
    }

    fn write_close(&mut self, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let path = LedgerPath::reply(self.block_count.saturating_sub(1));
        if self.sealed_empty_text.take().is_some() {
            return;
        }
        match &mut self.open_item {
            Some(OpenItem::Message(message)) => message.finish_part(&mut self.events, out),
            Some(OpenItem::Reasoning(item)) => {
                item.note_dropped_seal(path, ledger);
                self.finish_item(out);
            }
            Some(OpenItem::Call(item)) => {
                item.note_missing_args(path, ledger);
                self.finish_item(out);
            }
            None => {}
        }
    }

    fn finish_item(&mut self, out: &mut Vec<u8>) {
        let item = match self.open_item.take() {
            None => return,
            Some(OpenItem::Message(mut message)) => {
                message.finish_part(&mut self.events, out);
                Some(message.finished_item())
            }
            Some(OpenItem::Reasoning(mut item)) => item.finish(&mut self.events, out),
            Some(OpenItem::Call(mut item)) => Some(item.finish(&mut self.events, out)),
        };
        let Some(item) = item else { return };
        self.events.write_item_event("response.output_item.done", self.items.len(), &item, out);
        self.items.push(item);
    }

    fn write_stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if self.last_passthrough.is_none() {
            self.finish_item(out);
        }
        let status = stop::encode(stop, self.has_refusal, ledger);
        let is_failed = status.status == stop::FAILED;
        let error = is_failed.then(|| error::encode_stop_error(stop));
        let event = match (is_failed, &status.incomplete_reason) {
            (true, _) => "response.failed",
            (false, Some(_)) => "response.incomplete",
            (false, None) => "response.completed",
        };
        self.write_end(event, &status, error.as_ref(), out);
    }

    fn write_error(&mut self, api_error: &ApiError, out: &mut Vec<u8>) {
        let status = ResponseStatus {
            status: JsonString::from_static(stop::FAILED),
            incomplete_reason: None,
        };
        let error = error::encode_object(api_error);
        self.write_end("response.failed", &status, Some(&error), out);
    }

    fn write_end(
        &mut self,
        event: &'static str,
        status: &ResponseStatus,
        error: Option<&RawJson>,
        out: &mut Vec<u8>,
    ) {
        self.ended = true;
        if let Some(last_event) = self.last_passthrough.take() {
            // The client has received every item already.
            self.finish_item(&mut Vec::new());
            self.events.observe_passthrough(&last_event);
        }
        let state = ResponseState { status, error, output: &self.items, usage: Some(&self.usage) };
        let envelope = &self.envelope;
        if self.events.is_silent {
            let fill = |writer: &mut JsonWriter| writer.object(|o| envelope.write(&state, o));
            JsonWriter::append_to(out, fill);
        } else {
            self.events
                .write_event(event, out, |o| o.object("response", |o| envelope.write(&state, o)));
        }
    }
}

fn note_dropped_seal(block: &Block, path: LedgerPath, ledger: &mut Ledger) {
    if let Some(seal) = &block.seal {
        let message = format!("left out the seal of {}", seal.origin.issuer);
        ledger.record_loss(note::FOREIGN_SEAL, path, message);
    }
}

fn note_dropped_block(block_name: &str, path: LedgerPath, ledger: &mut Ledger) {
    ledger.record_loss(
        note::NO_SUCH_BLOCK,
        path,
        format!("left out {block_name}: replies of this dialect do not have it"),
    );
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if self.ended {
            return;
        }
        if let StreamEvent::Start { id, model } = event {
            if let Some(id) = id.as_ref().filter(|_| !self.started) {
                self.envelope.id = id.clone();
            }
            if let Some(model) = model.as_ref().filter(|_| !self.started) {
                self.envelope.model = model.clone();
            }
        }
        self.write_start(out);
        match event {
            StreamEvent::BlockStart { block, .. } => self.write_open(block, out, ledger),
            StreamEvent::Delta { delta, .. } => self.write_delta(delta, out, ledger),
            StreamEvent::BlockEnd { .. } => self.write_close(out, ledger),
            StreamEvent::Usage(usage) => self.usage.update(usage),
            StreamEvent::Stop(stop) => self.write_stop(stop, out, ledger),
            StreamEvent::Error(error) => self.write_error(error, out),
            // Clients reset their timeout for events, not for comments.
            StreamEvent::Ping => self.write_lifecycle_event("response.in_progress", out),
            // Events of the provider's own tools: their complete item follows.
            StreamEvent::Start { .. } | StreamEvent::Foreign { .. } => {}
        }
    }

    fn observe_passthrough(&mut self, frame: &Frame) {
        let Some(data) = &frame.data else { return };
        if self.last_passthrough.is_none() {
            self.envelope.observe_passthrough(data);
        }
        if self.last_passthrough.is_none() || data.contains("\"sequence_number\"") {
            self.last_passthrough = Some(data.clone());
        }
    }
}
