//! Reads a streamed reply.
//!
//! Items are told in the order they begin; what comes for a later item waits until the earlier ones
//! are done. A whole item says everything its pieces said: what the pieces left out is taken from it.

mod anew;
mod find;
mod item;
mod pieces;
mod queue;
mod whole;

use bytestring::ByteString;
use interlingua_model::{Event, Exchange, Failure, Ledger, Place};
use interlingua_wire::frame::is_comment;
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Limits, Node, Text};

use self::anew::Passed;
use self::item::Item;
use self::pieces::Piece;
use self::queue::Queue;
use super::output::Seat;
use super::{ID, error, stop, usage};
use crate::{Lack, StreamReader, note};

pub(super) struct Reader {
    tape: Tape,
    exchange: Exchange,
    reply: Text,
    stage: Stage,
    /// `response.in_progress` follows the start once; after that it is a sign of life.
    progressed: bool,
    /// The frame before, to know one that comes again.
    last: ByteString,
    /// `[DONE]` has come.
    marked: bool,
    lacks: Lack,
    items: Vec<Item>,
    queue: Queue,
    passed: Passed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Before,
    Making,
    Ended,
    /// Something came after the end, and that is noted.
    Late,
}

impl Reader {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            tape: Tape::default(),
            exchange: exchange.clone(),
            reply: Text::EMPTY,
            stage: Stage::Before,
            progressed: false,
            last: ByteString::new(),
            marked: false,
            lacks: Lack::Nothing,
            items: Vec::new(),
            queue: Queue::default(),
            passed: Passed::default(),
        }
    }

    fn start(&mut self, response: Option<Node<'_>>, events: &mut Vec<Event>) {
        if self.stage != Stage::Before {
            return;
        }
        self.stage = Stage::Making;
        let said = |key: &str| response?.get(key)?.text().filter(|text| !text.is_empty());
        let id = said("id").or_else(|| self.exchange.id.clone());
        let model = said("model").or_else(|| self.exchange.model.clone());
        self.reply = id.clone().unwrap_or_default();
        events.push(Event::Start { id, model });
    }

    fn event(&mut self, kind: &str, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        self.passed.create(kind, root.get("response"), &self.exchange);
        if let "response.created" | "response.queued" | "response.in_progress" = kind {
            let again = kind == "response.in_progress" && self.progressed;
            self.progressed |= kind == "response.in_progress";
            self.start(root.get("response"), events);
            if again {
                events.push(Event::Ping);
            }
            return;
        }
        let response = root.get("response").filter(|response| response.is_object());
        self.start(response, events);
        match kind {
            "response.output_item.added" => self.added(root, events),
            "response.output_item.done" => self.done(root, events, ledger),
            "response.completed" | "response.incomplete" if response.is_some_and(has_failed) => {
                self.fail(error::of_response(response.unwrap_or(root)), events);
                self.lacks = Lack::Failed;
            }
            "response.completed" | "response.incomplete" => {
                self.complete(kind, response.unwrap_or(root), events, ledger);
            }
            "response.failed" | "error" => {
                self.fail(error::of_response(response.unwrap_or(root)), events);
                // Some clients pass over an error that is an event of its own.
                self.lacks = if kind == "error" { Lack::Failed } else { Lack::Nothing };
            }
            "" if root.get("error").is_some() => {
                self.fail(error::of_response(root), events);
                self.lacks = Lack::Failed;
            }
            "keepalive" | "ping" => events.push(Event::Ping),
            _ => {
                let json = root.json();
                events.push(Event::Foreign { dialect: ID, kind: Text::new(kind), json });
            }
        }
    }

    /// A piece of an item of type `of`.
    fn piece(&mut self, piece: &Piece<'_>, of: &str, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let mut at = self
            .find(piece)
            .unwrap_or_else(|| self.begin(piece.id(), piece.output_index, of, events));
        if self.items[at].is_done() {
            let Some(next) = self.go_on(at, piece, events, ledger) else {
                return self.passed.leave_out();
            };
            at = next;
        }
        self.passed.piece(at, of, piece);
        let mut steps = self.queue.steps();
        self.items[at].piece(piece, &mut steps, ledger);
        if piece.kind == "response.output_text.done" {
            self.passed.untold(at, piece.part.unwrap_or(0), &steps);
        }
        self.queue.take(at, steps, events);
    }

    fn added(&mut self, root: Node<'_>, events: &mut Vec<Event>) {
        let Some(node) = root.get("item") else { return };
        let (id, index) = (node.get("id").and_then(Node::text), output_index(root));
        // An item that is begun twice is one item, unless the first is done.
        let again = self.items.iter().any(|item| !item.is_done() && item.is(id.as_ref(), index));
        if again {
            return self.passed.leave_out();
        }
        let kind = node.get("type").map(Node::word).unwrap_or_default();
        let at = self.begin(id, index, &kind, events);
        self.passed.place(at, index);
        self.passed.added(at, node);
        let mut steps = self.queue.steps();
        let seat = Seat { reply: &self.reply, index: at };
        self.items[at].added(node, seat, &mut steps);
        self.queue.take(at, steps, events);
    }

    fn begin(
        &mut self,
        id: Option<Text>,
        index: Option<u64>,
        kind: &str,
        events: &mut Vec<Event>,
    ) -> usize {
        let at = self.items.len();
        self.passed.item(id.as_ref(), index, kind, Seat { reply: &self.reply, index: at });
        self.items.push(Item::new(id, index, kind));
        self.queue.begin(events);
        at
    }

    fn done(&mut self, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(node) = root.get("item") else { return };
        let (id, index) = (node.get("id").and_then(Node::text), output_index(root));
        let kind = node.get("type").map(Node::word).unwrap_or_default();
        let open = |item: &Item| !item.is_done();
        let at = self
            .items
            .iter()
            .rposition(|item| open(item) && item.has_id(id.as_ref()))
            .or_else(|| {
                let same = |item: &Item| open(item) && item.is_of(&kind) && item.has_index(index);
                self.items.iter().rposition(same)
            });
        let at = at.unwrap_or_else(|| self.begin(id, index, &kind, events));
        self.passed.place(at, index);
        self.passed.done(at, node);
        self.finish_item(at, Some(node), events, ledger);
    }

    /// Tells what is still untold of an item, and goes on to the next.
    fn finish_item(
        &mut self,
        at: usize,
        whole: Option<Node<'_>>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        let mut steps = self.queue.steps();
        let seat = Seat { reply: &self.reply, index: at };
        let part = self.items[at].open_part_index();
        self.items[at].finish(whole, seat, &mut steps, ledger);
        if let Some(part) = part {
            self.passed.untold(at, part, &steps);
        }
        self.queue.take(at, steps, events);
        self.queue.done(at, events);
    }

    /// The response as a whole: items that did not come by themselves, the counts, and the end.
    fn complete(
        &mut self,
        kind: &str,
        response: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        let output = response.get("output").into_iter().flat_map(Node::items);
        let is_whole = kind == "response.completed";
        let mut found = Vec::new();
        for (position, node) in output.enumerate() {
            let at = self.find_whole(position, node, events);
            found.push(at);
            if !self.items[at].is_done() {
                self.finish_item(at, Some(node), events, ledger);
            }
            if is_whole {
                self.passed.done_at_end(at, node);
            }
        }
        for (at, item) in self.items.iter().enumerate().filter(|_| is_whole) {
            self.passed.never_done(at, item.kind(), item.told());
        }
        self.passed.complete(response, &found, &self.reply);
        self.finish_items(events, ledger);
        if let Some(usage) = response.get("usage").and_then(usage::decode) {
            events.push(Event::Usage(usage));
        }
        let stop = stop::decode(response, self.queue.called, self.queue.refused);
        self.stage = Stage::Ended;
        events.push(Event::Stop(stop));
    }

    fn finish_items(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        for at in 0..self.items.len() {
            if self.items[at].is_done() {
                continue;
            }
            if !self.items[at].goes_on {
                let what = "an item did not say that it is done";
                ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
            }
            self.finish_item(at, None, events, ledger);
        }
    }

    fn fail(&mut self, failure: Failure, events: &mut Vec<Event>) {
        // What was told so far stays told; that it is not complete is what the failure says.
        self.finish_items(events, &mut Ledger::default());
        self.stage = Stage::Ended;
        events.push(Event::Fail(Box::new(failure)));
    }

    /// Whether the reply is complete but for its last event: that items are done does not say that
    /// no more would come, but the mark of other dialects does, where a server sends it.
    fn is_complete(&self) -> bool {
        self.marked && !self.items.is_empty() && self.items.iter().all(Item::is_done)
    }
}

/// Whether a response that is said to be complete says in itself that it failed.
fn has_failed(response: Node<'_>) -> bool {
    let failed = response.get("status").is_some_and(|status| status.word() == stop::FAILED);
    failed && response.get("error").is_some_and(Node::is_object)
}

fn output_index(root: Node<'_>) -> Option<u64> {
    root.get("output_index").and_then(Node::count)
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(data) = frame.data else {
            if !is_comment(&frame.raw) {
                self.passed.leave_out_frame();
            }
            return;
        };
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            self.marked = true;
            // Clients stop reading here: they would not hear of an end that follows.
            if self.stage == Stage::Making {
                self.finish(events, ledger);
                self.lacks = Lack::Reason;
            }
            return;
        }
        if let Stage::Ended | Stage::Late = self.stage {
            if self.lacks == Lack::Failed && is_failed(frame.event.as_deref(), &data) {
                self.lacks = Lack::Nothing;
                return;
            }
            if self.stage == Stage::Ended {
                ledger.loss(note::STREAM_ORDER, Place::REPLY, "events came after the end");
            }
            self.stage = Stage::Late;
            return;
        }
        let is_object = data.trim_start().starts_with('{');
        let doc = match Doc::parse_on(data, Limits::default(), &mut self.tape) {
            Ok(doc) => doc,
            Err(malformed) => {
                let what = format!("a frame is left out: {malformed}");
                ledger.loss(note::BAD_FRAME, Place::REPLY, what);
                // Of an event that is broken the client is to know.
                if !is_object {
                    self.passed.leave_out_frame();
                }
                return;
            }
        };
        let root = doc.root();
        let mut piece = Piece::of(root);
        if piece.kind.is_empty() {
            piece.kind = frame.event.as_deref().unwrap_or_default().into();
        }
        self.passed.begin(&piece.kind, piece.number);
        // A server that counts its events never sends the same one twice; one that does not count may
        // well say the same piece again.
        if self.last == *doc.text() && piece.number.is_some_and(|number| number > 0) {
            self.passed.leave_out();
            ledger.loss(note::STREAM_ORDER, Place::REPLY, "an event that came twice counts once");
        } else if let Some(of) = pieces::kind_of(&piece.kind) {
            self.passed.create(&piece.kind, None, &self.exchange);
            self.start(None, events);
            self.piece(&piece, of, events, ledger);
        } else {
            self.event(&piece.kind, root, events, ledger);
        }
        self.passed.end(&piece.kind, root, piece.number, &frame.raw);
        drop(piece);
        self.last = doc.recycle(&mut self.tape);
    }

    fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if let Stage::Ended | Stage::Late = self.stage {
            return;
        }
        self.start(None, events);
        if self.is_complete() {
            ledger.change(note::STREAM_ORDER, Place::REPLY, "the reply ended without its end mark");
            let nothing = interlingua_wire::Json::EMPTY_OBJECT.doc();
            let stop = stop::decode(nothing.root(), self.queue.called, self.queue.refused);
            self.stage = Stage::Ended;
            events.push(Event::Stop(stop));
        } else {
            self.fail(Failure::cut_short(), events);
        }
    }

    fn passes_on(&mut self) {
        self.passed.on = true;
    }

    fn anew(&mut self) -> Option<Vec<u8>> {
        self.passed.take()
    }

    fn lacks(&self) -> Lack {
        self.lacks
    }

    fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Ended | Stage::Late) && self.lacks != Lack::Failed
    }
}

/// Whether a frame is the event that ends a reply that failed.
fn is_failed(event: Option<&str>, data: &ByteString) -> bool {
    const NAME: &str = "response.failed";
    event.is_some_and(|event| event == NAME) || data.contains("\"type\":\"response.failed\"")
}
