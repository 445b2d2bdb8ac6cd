//! Writes a reply as a stream, or as the one object that the stream ends with.

mod call;
mod message;
mod pen;
mod reasoning;

use bytestring::ByteString;
use interlingua_model::{
    Block, Body, Delta, Event, Exchange, Extras, Failure, Ledger, MediaKind, Place, Source, Stop,
    Usage,
};
use interlingua_wire::{Frame, Json, Text, Writer as JsonWriter};

use self::call::Call;
use self::message::Message;
use self::pen::Pen;
use self::reasoning::Reasoning;
use super::output::{MESSAGE, Seat};
use super::response::{Envelope, State};
use super::stop::Ending;
use super::{ID, error, parts, stop};
use crate::{StreamWriter, note};

/// Keeps every finished item: the last event repeats them all.
pub(super) struct Writer {
    pen: Pen,
    envelope: Envelope,
    exchange: Exchange,
    started: bool,
    ended: bool,
    /// The items that are done.
    items: Vec<Json>,
    open: Option<Item>,
    /// A text that is sealed and has said nothing yet: if nothing comes, it is nothing to see.
    held: Option<Block>,
    /// Blocks seen, for the ledger.
    blocks: usize,
    usage: Usage,
    refuses: bool,
    /// The last numbered event that the client got as it came.
    followed: Option<ByteString>,
}

/// An item that is being written.
enum Item {
    /// Stays open after a part, for the next part that belongs to it.
    Message(Message),
    Reasoning(Box<Reasoning>),
    Call(Box<Call>),
}

impl Writer {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            pen: Pen::default(),
            envelope: Envelope::new(exchange),
            exchange: exchange.clone(),
            started: false,
            ended: false,
            items: Vec::new(),
            open: None,
            held: None,
            blocks: 0,
            usage: Usage::default(),
            refuses: false,
            followed: None,
        }
    }

    /// Writes no events, only the whole response at the end.
    pub(super) fn whole(exchange: &Exchange, mut extras: Extras) -> Self {
        let mut writer = Self::new(exchange);
        writer.pen.whole = true;
        for (key, value) in exchange.repeats.of(ID) {
            if extras.find(ID, &key.contents()).is_none() {
                extras.put(ID, key.clone(), value.clone());
            }
        }
        writer.envelope.extras = extras;
        writer
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        self.lifecycle("response.created", out);
        self.lifecycle("response.in_progress", out);
    }

    /// An event that says how the response stands while it is being made.
    fn lifecycle(&mut self, event: &'static str, out: &mut Vec<u8>) {
        let ending = Ending { status: Text::word("in_progress"), reason: None };
        let state = State { ending: &ending, error: None, output: &[], usage: None };
        let envelope = &self.envelope;
        self.pen.event(event, out, |o| o.object("response", |o| envelope.write(&state, o)));
    }

    fn open(&mut self, block: &Block, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = Place::reply(self.blocks);
        self.blocks += 1;
        super::encode::note_extras(&block.extras, place, ledger);
        match &block.body {
            Body::Text { text, citations }
                if block.seal.is_some() && text.is_empty() && citations.is_empty() =>
            {
                note_seal(block, place, ledger);
                self.held = Some(Block { seal: None, ..block.clone() });
            }
            Body::Text { .. } | Body::Refusal(_) => {
                self.refuses |= matches!(block.body, Body::Refusal(_));
                self.part(block, out, |message, pen, out| {
                    message.open_part(block, place, pen, out, ledger);
                });
            }
            Body::Data(json) => {
                let text = json.text().unwrap_or_else(|| Text::new(json.as_str()));
                let block = Block::text(text);
                self.part(&block, out, |message, pen, out| {
                    message.open_part(&block, place, pen, out, ledger);
                });
            }
            Body::Thinking(thinking) => {
                self.close_item(out);
                let mut item = Reasoning::new(thinking, block, self.seat());
                item.write_start(&mut self.pen, out);
                self.open = Some(Item::Reasoning(Box::new(item)));
            }
            Body::ToolCall(call) => {
                self.close_item(out);
                note_seal(block, place, ledger);
                let mut item = Call::new(call, block, self.seat(), &self.exchange);
                item.write_start(&mut self.pen, out);
                self.open = Some(Item::Call(Box::new(item)));
            }
            Body::Foreign { dialect: ID, kind, json } if kind.raw().starts_with(parts::PART) => {
                self.part(block, out, |message, pen, out| message.whole_part(json, pen, out));
            }
            Body::Foreign { dialect: ID, json, .. } => {
                self.close_item(out);
                self.whole_item(json.clone(), out);
            }
            Body::Media(media) if media.kind == MediaKind::Image => match &media.source {
                Source::Base64 { data, .. } => self.image(data, out),
                Source::Url { .. } | Source::File { .. } | Source::Text(_) | Source::Blocks(_) => {
                    left_out("an image that is not given as data", place, ledger);
                }
            },
            Body::Media(_) => left_out("audio, a video or a document", place, ledger),
            Body::ToolResult(_) => left_out("a tool's result", place, ledger),
            Body::Foreign { dialect, kind, .. } => {
                left_out(&format!("`{kind}`, which only {dialect} knows"), place, ledger);
            }
        }
    }

    /// Makes sure that the message a part belongs to is open: the one that is, unless the part begins
    /// another.
    fn part(
        &mut self,
        block: &Block,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut Message, &mut Pen, &mut Vec<u8>),
    ) {
        let head = block.extras.find(ID, MESSAGE);
        if head.is_some() || !matches!(self.open, Some(Item::Message(_))) {
            self.close_item(out);
            let message = Message::new(head, self.seat());
            message.write_start(&mut self.pen, out);
            self.open = Some(Item::Message(message));
        }
        if let Some(Item::Message(message)) = &mut self.open {
            write(message, &mut self.pen, out);
        }
    }

    fn seat(&self) -> Seat<'_> {
        Seat { reply: &self.envelope.id, index: self.items.len() }
    }

    /// An item that comes whole.
    fn whole_item(&mut self, item: Json, out: &mut Vec<u8>) {
        self.close_item(out);
        self.pen.item("response.output_item.added", self.items.len(), &item, out);
        self.pen.item("response.output_item.done", self.items.len(), &item, out);
        self.items.push(item);
    }

    /// An image that a model made is the result of a tool here.
    fn image(&mut self, data: &Text, out: &mut Vec<u8>) {
        self.close_item(out);
        let id = self.seat().id("ig_");
        let item = Json::object(|o| {
            o.text("id", &id);
            o.known("type", "image_generation_call");
            o.known("status", "completed");
            o.text("result", data);
        });
        self.whole_item(item, out);
    }

    fn delta(&mut self, delta: &Delta, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = Place::reply(self.blocks.saturating_sub(1));
        if let Some(block) = self.held.take() {
            self.part(&block, out, |message, pen, out| {
                message.open_part(&block, place, pen, out, ledger);
            });
        }
        match (&mut self.open, delta) {
            (Some(Item::Message(message)), Delta::Text(text)) => {
                message.write_text(text, &mut self.pen, out);
            }
            (Some(Item::Message(message)), Delta::Citation(citation)) => {
                message.write_citation(citation, place, &mut self.pen, out, ledger);
            }
            (Some(Item::Reasoning(item)), Delta::Text(text)) => {
                item.write_text(text, &mut self.pen, out);
            }
            (Some(Item::Reasoning(item)), Delta::Seal(seal)) => item.seal(seal),
            (Some(Item::Call(item)), Delta::Args(text)) => {
                item.write_args(text, &mut self.pen, out);
            }
            (Some(Item::Message(_) | Item::Call(_)), Delta::Seal(seal)) => {
                let what = format!("left out the seal of {}", seal.origin.issuer);
                ledger.loss(note::FOREIGN_SEAL, place, what);
            }
            // Deltas of a block that was left out, or of another kind than its block.
            (
                None | Some(Item::Message(_) | Item::Reasoning(_) | Item::Call(_)),
                Delta::Text(_) | Delta::Args(_) | Delta::Seal(_) | Delta::Citation(_),
            ) => {}
        }
    }

    fn close(&mut self, out: &mut Vec<u8>, ledger: &mut Ledger) {
        let place = Place::reply(self.blocks.saturating_sub(1));
        if self.held.take().is_some() {
            return;
        }
        match &mut self.open {
            Some(Item::Message(message)) => message.close_part(&mut self.pen, out),
            Some(Item::Reasoning(item)) => {
                item.note(place, ledger);
                self.close_item(out);
            }
            Some(Item::Call(item)) => {
                item.note(place, ledger);
                self.close_item(out);
            }
            None => {}
        }
    }

    fn close_item(&mut self, out: &mut Vec<u8>) {
        let item = match self.open.take() {
            None => return,
            Some(Item::Message(mut message)) => {
                message.close_part(&mut self.pen, out);
                Some(message.done())
            }
            Some(Item::Reasoning(mut item)) => item.finish(&mut self.pen, out),
            Some(Item::Call(mut item)) => Some(item.finish(&mut self.pen, out)),
        };
        let Some(item) = item else { return };
        self.pen.item("response.output_item.done", self.items.len(), &item, out);
        self.items.push(item);
    }

    fn stop(&mut self, stop: &Stop, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if self.followed.is_none() {
            self.close_item(out);
        }
        let ending = stop::encode(stop, self.refuses, ledger);
        let failed = ending.status == stop::FAILED;
        let error = failed.then(|| error::of_stop(stop));
        let event = match (failed, &ending.reason) {
            (true, _) => "response.failed",
            (false, Some(_)) => "response.incomplete",
            (false, None) => "response.completed",
        };
        self.end(event, &ending, error.as_ref(), out);
    }

    fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        let ending = Ending { status: Text::word(stop::FAILED), reason: None };
        let error = error::in_stream(failure);
        self.end("response.failed", &ending, Some(&error), out);
    }

    fn end(
        &mut self,
        event: &'static str,
        ending: &Ending,
        error: Option<&Json>,
        out: &mut Vec<u8>,
    ) {
        self.ended = true;
        if let Some(last) = self.followed.take() {
            // The client has every item as it came.
            self.close_item(&mut Vec::new());
            self.pen.follow(&last);
        }
        let state = State { ending, error, output: &self.items, usage: Some(&self.usage) };
        let envelope = &self.envelope;
        if self.pen.whole {
            let fill = |whole: &mut JsonWriter| whole.object(|o| envelope.write(&state, o));
            JsonWriter::append(out, fill);
        } else {
            self.pen.event(event, out, |o| o.object("response", |o| envelope.write(&state, o)));
        }
    }
}

fn note_seal(block: &Block, place: Place, ledger: &mut Ledger) {
    if let Some(seal) = &block.seal {
        let what = format!("left out the seal of {}", seal.origin.issuer);
        ledger.loss(note::FOREIGN_SEAL, place, what);
    }
}

fn left_out(what: &str, place: Place, ledger: &mut Ledger) {
    ledger.loss(note::NO_SUCH_BLOCK, place, format!("left out {what}: a reply holds none here"));
}

impl StreamWriter for Writer {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        if self.ended {
            return;
        }
        if let Event::Start { id, model } = event {
            if let Some(id) = id.as_ref().filter(|_| !self.started) {
                self.envelope.id = id.clone();
            }
            if let Some(model) = model.as_ref().filter(|_| !self.started) {
                self.envelope.model = model.clone();
            }
        }
        self.start(out);
        match event {
            Event::Open { block, .. } => self.open(block, out, ledger),
            Event::Delta { delta, .. } => self.delta(delta, out, ledger),
            Event::Close { .. } => self.close(out, ledger),
            Event::Usage(usage) => self.usage.update(usage),
            Event::Stop(stop) => self.stop(stop, out, ledger),
            Event::Fail(failure) => self.fail(failure, out),
            // Clients count events, not comments, as a sign of life.
            Event::Ping => self.lifecycle("response.in_progress", out),
            // Steps of the provider's own tools; the item they belong to follows whole.
            Event::Start { .. } | Event::Foreign { .. } => {}
        }
    }

    fn follow(&mut self, frame: &Frame) {
        let Some(data) = &frame.data else { return };
        if self.followed.is_none() {
            self.envelope.follow(data);
        }
        if self.followed.is_none() || data.contains("\"sequence_number\"") {
            self.followed = Some(data.clone());
        }
    }
}
