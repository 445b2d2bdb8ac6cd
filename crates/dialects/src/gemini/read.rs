//! Reads a stream: each chunk is a reply with new parts, and text goes on from chunk to chunk.
//!
//! A reply that comes whole is a stream of one chunk: parts of one chunk are blocks of their own, and
//! only the first may go on with a block of the chunk before it.

use interlingua_model::{
    Args, Block, Body, Delta, Event, Exchange, Extras, Failure, Ledger, Place, Stop, StopReason,
    ToolCall, Usage,
};
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Json, Limits, Node, Text};

use super::part::{self, NO_ID, Pairing};
use super::partial::Tree;
use super::{ID, citations, error, names, outcome, reply};
use crate::{StreamReader, note};

pub(super) struct Reader {
    freeform: Vec<Text>,
    id: Option<Text>,
    tape: Tape,
    pairing: Pairing,
    stage: Stage,
    open: Option<Open>,
    partial: Option<Partial>,
    /// The index of the next block.
    next: u32,
    has_calls: bool,
    /// The last counts, and whether they were told.
    usage: Option<(Usage, bool)>,
    end: Option<End>,
    /// Fields without a name that were told already: they repeat in each chunk.
    told: Vec<(Text, Json)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Waiting,
    Started,
    Ended,
    /// More came after the end, and that is noted.
    Overrun,
}

/// Why the reply ends.
enum End {
    Said(Text),
    /// The prompt was blocked: there is no reply.
    Blocked,
}

/// A text or thought that may go on.
struct Open {
    thought: bool,
    pieces: Vec<Text>,
}

/// A call whose arguments come in pieces.
struct Partial {
    block: Block,
    args: Tree,
}

/// Where a part stands in its chunk.
#[derive(Clone, Copy)]
struct Standing {
    first: bool,
    /// The only part of the chunk that ends the reply.
    last_word: bool,
}

impl Reader {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            freeform: exchange.freeform.clone(),
            id: exchange.id.clone(),
            tape: Tape::default(),
            pairing: Pairing::default(),
            stage: Stage::Waiting,
            open: None,
            partial: None,
            next: 0,
            has_calls: false,
            usage: None,
            end: None,
            told: Vec::new(),
        }
    }

    fn chunk(&mut self, chunk: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.has_ended() {
            return self.note_late(ledger);
        }
        if !chunk.is_object() {
            return ledger.loss(note::BAD_FRAME, Place::REPLY, "a chunk is not an object");
        }
        let response = reply::unwrapped(chunk);
        self.start(response, events);
        if let Some(error) = error::envelope(chunk) {
            return self.fail(error::of(error, None, chunk), events);
        }
        if let Some(usage) = names::get(response, "usageMetadata") {
            let usage = outcome::decode_usage(usage);
            let early = self.usage.is_none() && self.next == 0;
            if early {
                events.push(Event::Usage(usage.clone()));
            }
            self.usage = Some((usage, early));
        }
        self.tell_others(names::others(response, reply::KNOWN), "reply", events);
        if self.end.is_none() && reply::is_blocked(response) {
            self.end = Some(End::Blocked);
        }
        let candidates = names::get(response, "candidates").into_iter().flat_map(Node::items);
        for (at, candidate) in candidates.enumerate() {
            let index = names::get(candidate, "index").and_then(Node::count).unwrap_or(at as u64);
            if index == 0 {
                self.candidate(candidate, events, ledger);
            } else {
                let json = candidate.json();
                events.push(Event::Foreign {
                    dialect: ID,
                    kind: Text::word(reply::CANDIDATES),
                    json,
                });
            }
        }
    }

    fn start(&mut self, response: Node<'_>, events: &mut Vec<Event>) {
        if self.stage != Stage::Waiting {
            return;
        }
        self.stage = Stage::Started;
        let id = names::get(response, "responseId").and_then(Node::text);
        self.pairing = Pairing::of_reply(id.clone().or_else(|| self.id.take()));
        let model = names::get(response, "modelVersion").and_then(Node::text);
        events.push(Event::Start { id, model });
    }

    fn candidate(&mut self, candidate: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let finish = names::get(candidate, "finishReason").and_then(Node::text);
        let parts =
            names::get(candidate, "content").and_then(|content| names::get(content, "parts"));
        let alone = parts.is_some_and(|parts| parts.len() == 1);
        let last_word = alone && finish.is_some();
        for (at, part) in parts.into_iter().flat_map(Node::items).enumerate() {
            self.part(part, Standing { first: at == 0, last_word }, events, ledger);
        }
        if let Some(word) = finish {
            self.end = Some(End::Said(word));
        }
        let found = citations::find(candidate);
        let mut known = reply::CANDIDATE;
        if let Some(open) = self.open.as_ref().filter(|open| !open.thought && !found.is_empty()) {
            let text = Text::concat(&open.pieces);
            let text = text.contents();
            for citation in found {
                let delta = Delta::Citation(Box::new(citation.within(&text)));
                events.push(Event::Delta { index: self.next - 1, delta });
            }
        } else if !found.is_empty() {
            known = &["content", "finishReason", "index"];
        }
        self.tell_others(names::others(candidate, known), reply::FIRST, events);
    }

    /// Tells fields that only this dialect knows, each once.
    fn tell_others(&mut self, others: Option<Json>, kind: &'static str, events: &mut Vec<Event>) {
        let Some(others) = others else { return };
        let doc = others.doc();
        let mut news = Vec::new();
        for field in doc.root().fields() {
            let entry = (field.key(), field.value.json());
            if !self.told.contains(&entry) {
                self.told.push(entry.clone());
                news.push(entry);
            }
        }
        if !news.is_empty() {
            let json = Json::object(|object| {
                for (key, value) in &news {
                    object.key_text(key).json(value);
                }
            });
            events.push(Event::Foreign { dialect: ID, kind: Text::word(kind), json });
        }
    }

    fn part(
        &mut self,
        part: Node<'_>,
        standing: Standing,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        if self.partial_call(part, events, ledger) {
            return;
        }
        let place = Place::reply(self.next as usize);
        let mut block = part::decode(part, &mut self.pairing, place, ledger).into_value();
        if reply::is_wrapped_freeform(&block, &self.freeform) {
            reply::unwrap_freeform(&mut block);
        }
        match &block.body {
            Body::Text { .. } | Body::Thinking(_) => self.text(block, standing, events),
            Body::ToolCall(_) => self.call(block, events),
            Body::Refusal(_)
            | Body::Media(_)
            | Body::Data(_)
            | Body::ToolResult(_)
            | Body::Foreign { .. } => {
                self.close(events);
                self.open_block(block, events);
                self.close_block(events);
            }
        }
    }

    fn text(&mut self, mut block: Block, standing: Standing, events: &mut Vec<Event>) {
        let (text, thought) = match &mut block.body {
            Body::Text { text, .. } => (std::mem::take(text), false),
            Body::Thinking(thinking) => (std::mem::take(&mut thinking.text), true),
            _ => return,
        };
        let plain = block.seal.is_none() && block.extras.is_empty();
        if plain && text.is_empty() && standing.last_word && self.next > 0 {
            return;
        }
        let goes_on = self.open.as_ref().is_some_and(|open| open.thought == thought);
        if !(plain && standing.first && goes_on) {
            self.close(events);
            // A thought's signature comes at its end, as it does elsewhere.
            let seal = if thought { block.seal.take() } else { None };
            self.open_block(block, events);
            self.push_text(&text, events);
            if let Some(seal) = seal {
                events.push(Event::Delta { index: self.next - 1, delta: Delta::Seal(seal) });
            }
            if plain {
                self.open = Some(Open { thought, pieces: vec![text] });
            } else {
                self.close_block(events);
            }
            return;
        }
        self.push_text(&text, events);
        if let Some(open) = &mut self.open {
            open.pieces.push(text);
        }
    }

    fn push_text(&self, text: &Text, events: &mut Vec<Event>) {
        if !text.is_empty() {
            let delta = Delta::Text(text.clone());
            events.push(Event::Delta { index: self.next - 1, delta });
        }
    }

    fn call(&mut self, mut block: Block, events: &mut Vec<Event>) {
        self.close(events);
        self.has_calls = true;
        let Body::ToolCall(call) = &mut block.body else { return };
        let args = call.args.to_text();
        call.args = match &call.args {
            Args::Freeform(_) => Args::Freeform(Text::EMPTY),
            Args::Json(_) | Args::Malformed(_) => Args::Malformed(Text::EMPTY),
        };
        self.open_block(block, events);
        if !args.is_empty() {
            events.push(Event::Delta { index: self.next - 1, delta: Delta::Args(args) });
        }
        self.close_block(events);
    }

    /// Takes a piece of a call's arguments; whether the part was one.
    fn partial_call(
        &mut self,
        part: Node<'_>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) -> bool {
        let call = names::get(part, "functionCall").filter(|call| call.is_object());
        let Some(call) = call else { return false };
        let pieces = names::get(call, "partialArgs");
        let named = names::get(call, "name").is_some();
        let goes_on = names::get(call, "willContinue").and_then(Node::boolean) == Some(true);
        if named && pieces.is_none() && !goes_on || !named && self.partial.is_none() {
            return false;
        }
        if named {
            self.close(events);
            let place = Place::reply(self.next as usize);
            let block = part::decode(part, &mut self.pairing, place, ledger).into_value();
            let mut extras = Extras::default();
            if let Some(id) = block.extras.find(ID, "id") {
                extras.put(ID, NO_ID, id.clone());
            }
            let block = Block { extras, ..block };
            self.partial = Some(Partial { block, args: Tree::default() });
        }
        if let Some(partial) = &mut self.partial {
            for piece in pieces.into_iter().flat_map(Node::items) {
                partial.args.take(piece);
            }
            if let Some(args) = names::get(call, "args").filter(|args| !args.is_empty()) {
                partial.args.replace(args.json());
            }
        }
        if !goes_on {
            self.close(events);
        }
        true
    }

    fn open_block(&mut self, block: Block, events: &mut Vec<Event>) {
        events.push(Event::Open { index: self.next, block: Box::new(block) });
        self.next += 1;
    }

    fn close_block(&self, events: &mut Vec<Event>) {
        events.push(Event::Close { index: self.next - 1 });
    }

    /// Ends whatever is still going on.
    fn close(&mut self, events: &mut Vec<Event>) {
        if self.open.take().is_some() {
            self.close_block(events);
        }
        if let Some(Partial { mut block, args }) = self.partial.take() {
            if let Body::ToolCall(ToolCall { args: written, .. }) = &mut block.body {
                *written = Args::Json(args.json());
            }
            if reply::is_wrapped_freeform(&block, &self.freeform) {
                reply::unwrap_freeform(&mut block);
            }
            self.call(block, events);
        }
    }

    fn fail(&mut self, failure: Failure, events: &mut Vec<Event>) {
        self.close(events);
        self.stage = Stage::Ended;
        events.push(Event::Fail(Box::new(failure)));
    }

    fn has_ended(&self) -> bool {
        matches!(self.stage, Stage::Ended | Stage::Overrun)
    }

    fn note_late(&mut self, ledger: &mut Ledger) {
        if std::mem::replace(&mut self.stage, Stage::Overrun) == Stage::Ended {
            let what = "left out what came after the end of the stream";
            ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
        }
    }
}

impl StreamReader for Reader {
    fn read(&mut self, frame: &Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(data) = &frame.data else {
            if frame.raw.starts_with(b":") && !self.has_ended() {
                events.push(Event::Ping);
            }
            return;
        };
        // Some relays end the stream as another dialect does.
        if data.trim() == "[DONE]" {
            return;
        }
        let doc = match Doc::parse_on(data.clone(), Limits::default(), &mut self.tape) {
            Ok(doc) => doc,
            Err(malformed) => {
                let what = format!("left out a frame: {malformed}");
                return ledger.loss(note::BAD_FRAME, Place::REPLY, what);
            }
        };
        let root = doc.root();
        if root.is_array() {
            for chunk in root.items() {
                self.chunk(chunk, events, ledger);
            }
        } else {
            self.chunk(root, events, ledger);
        }
        doc.recycle(&mut self.tape);
    }

    fn finish(&mut self, events: &mut Vec<Event>, _: &mut Ledger) {
        if self.has_ended() {
            return;
        }
        if std::mem::replace(&mut self.stage, Stage::Ended) == Stage::Waiting {
            events.push(Event::Start { id: None, model: None });
        }
        self.close(events);
        let stop = match self.end.take() {
            Some(End::Said(word)) => outcome::decode_stop(word).with_calls(self.has_calls),
            Some(End::Blocked) => Stop::new(StopReason::Refusal),
            None => return events.push(Event::Fail(Box::new(Failure::cut_short()))),
        };
        if let Some((usage, false)) = self.usage.take() {
            events.push(Event::Usage(usage));
        }
        events.push(Event::Stop(stop));
    }
}
