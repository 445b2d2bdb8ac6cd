//! Reads a stream: each chunk is a reply with new parts, and text goes on from chunk to chunk.
//!
//! A reply that comes whole is a stream of one chunk: parts of one chunk are blocks of their own, and
//! only the first may go on with a block of the chunk before it.

use interlingua_model::{Delta, Event, Exchange, Failure, Ledger, Place, Stop, StopReason, Usage};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Framing, Json, Limits, Node, Text};

use super::read_parts::{Parts, Standing};
use super::{Gemini, ID, citations, error, names, outcome, reply};
use crate::notice::given_up;
use crate::{Dialect as _, Lack, StreamReader, note};

pub(super) struct Reader {
    id: Option<Text>,
    tape: Tape,
    parts: Parts,
    stage: Stage,
    /// The last counts, and whether they were told.
    usage: Option<(Usage, bool)>,
    /// The counts that were told before the first word.
    early: Usage,
    end: Option<End>,
    /// The end mark of another dialect has come.
    marked: bool,
    lacks: Lack,
    /// What is said about the end.
    message: Option<Text>,
    /// Fields without a name that were told already: they repeat in each chunk.
    told: Vec<(Text, Json)>,
    /// Chunks leave as they come, but for the last one if something is said in its place.
    passes_on: bool,
    anew: Option<Vec<u8>>,
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

impl Reader {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            id: exchange.id.clone(),
            tape: Tape::default(),
            parts: Parts::new(exchange.freeform.clone()),
            stage: Stage::Waiting,
            usage: None,
            early: Usage::default(),
            end: None,
            marked: false,
            lacks: Lack::Nothing,
            message: None,
            told: Vec::new(),
            passes_on: false,
            anew: None,
        }
    }

    /// Says something in place of a frame that clients would misread.
    fn say(&mut self, instead: &[u8]) {
        self.anew = self.passes_on.then(|| instead.to_vec());
    }

    fn chunk(&mut self, chunk: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.has_ended() {
            return self.note_late(ledger);
        }
        if !chunk.is_object() {
            return ledger.loss(note::BAD_FRAME, Place::REPLY, "a chunk is not an object");
        }
        // Most chunks hold nothing but what is known, and one look shows it.
        let (mut known, others) = names::sort(chunk, reply::KNOWN);
        let mut response = chunk;
        if others {
            response = reply::unwrapped(chunk);
            known = names::sort(response, reply::KNOWN).0;
        }
        self.start(response, events);
        if others && let Some(error) = error::envelope(chunk) {
            return self.fail(error::of(error, None, chunk), events);
        }
        let [candidates, usage, ..] = known;
        if let Some(usage) = usage {
            let usage = outcome::decode_usage(usage);
            let early = self.usage.is_none() && self.parts.is_empty();
            if early {
                self.early = usage.clone();
                events.push(Event::Usage(usage.clone()));
            }
            self.usage = Some((usage, early));
        }
        if others {
            self.tell_others(names::others(response, reply::KNOWN), "reply", events);
            if self.end.is_none() && reply::is_blocked(response) {
                self.end = Some(End::Blocked);
            }
        }
        for (at, candidate) in candidates.into_iter().flat_map(Node::items).enumerate() {
            let (known, others) = names::sort(candidate, reply::CANDIDATE);
            let [content, finish, index, citations] = known;
            if index.and_then(Node::count).unwrap_or(at as u64) == 0 {
                self.content(content, finish, events, ledger);
                if others {
                    self.message = outcome::finish_message(candidate).or(self.message.take());
                }
                if others || citations.is_some() {
                    let known = self.cite(candidate, events);
                    self.tell_others(names::others(candidate, known), reply::FIRST, events);
                }
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
        self.parts.start(id.clone().or_else(|| self.id.take()));
        let model = names::get(response, "modelVersion").and_then(Node::text);
        events.push(Event::Start { id, model });
    }

    fn content(
        &mut self,
        content: Option<Node<'_>>,
        finish: Option<Node<'_>>,
        events: &mut Vec<Event>,
        ledger: &mut Ledger,
    ) {
        let finish = finish.and_then(Node::text).filter(|word| !word.is_empty());
        let parts = content.and_then(|content| names::get(content, "parts"));
        let alone = parts.is_some_and(|parts| parts.len() == 1);
        let last_word = alone && finish.is_some();
        let came_early = matches!(self.end, Some(End::Said(_))) && self.parts.is_empty();
        for (at, part) in parts.into_iter().flat_map(Node::items).enumerate() {
            self.parts.read(part, Standing { first: at == 0, last_word }, events, ledger);
        }
        if let Some(word) = finish {
            self.end = Some(End::Said(word));
        } else if came_early && !self.parts.is_empty() {
            // Some relays say a reason with every chunk that has no words, also before the first.
            self.end = None;
        }
    }

    /// Tells what the candidate says of its sources; returns the fields that are told then. Without
    /// a text to belong to, citations stay where they were written.
    fn cite(&mut self, candidate: Node<'_>, events: &mut Vec<Event>) -> &'static [&'static str] {
        let found = citations::find(candidate);
        if found.is_empty() {
            return reply::CANDIDATE;
        }
        let Some((index, text)) = self.parts.open_text() else {
            return &["content", "finishReason", "index"];
        };
        let text = text.contents();
        for citation in found {
            let delta = Delta::Citation(Box::new(citation.within(&text)));
            events.push(Event::Delta { index, delta });
        }
        reply::CANDIDATE
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

    fn fail(&mut self, failure: Failure, events: &mut Vec<Event>) {
        self.parts.close(events);
        self.stage = Stage::Ended;
        events.push(Event::Fail(Box::new(failure)));
    }

    /// Whether a reply that does not say why it ends is complete all the same. Without the mark it may have been cut,
    /// also behind a call: another may have been to follow.
    fn is_complete(&self) -> bool {
        self.marked && !self.parts.is_empty() && !self.parts.goes_on()
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
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(data) = frame.data else {
            if frame.raw.starts_with(b":") && !self.has_ended() {
                events.push(Event::Ping);
            }
            // Some packages take every line for a part of a chunk.
            if has_other_lines(&frame.raw, "") {
                self.say(Gemini.filler());
            }
            return;
        };
        // Some relays end the stream as another dialect does.
        if !data.starts_with('{') && data.trim() == "[DONE]" {
            self.marked = true;
            return self.say(b"");
        }
        let odd = self.passes_on && has_other_lines(&frame.raw, &data);
        let is_json = data.trim_start().starts_with(['{', '[']);
        let doc = match Doc::parse_on(data, Limits::default(), &mut self.tape) {
            Ok(doc) => doc,
            Err(malformed) => {
                let what = format!("left out a frame: {malformed}");
                // Of a chunk that is broken the client is to know.
                if !is_json {
                    self.say(b"");
                }
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
        if odd {
            let mut out = Vec::new();
            write_json(Framing::Sse, None, &mut out, |data| data.json(&root.json()));
            self.anew = Some(out);
        }
        doc.recycle(&mut self.tape);
    }

    fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.has_ended() {
            return;
        }
        let is_complete = self.is_complete();
        if std::mem::replace(&mut self.stage, Stage::Ended) == Stage::Waiting {
            events.push(Event::Start { id: None, model: None });
        }
        self.parts.close(events);
        let mut stop = match self.end.take() {
            Some(End::Said(word)) => outcome::decode_stop(word).with_calls(self.parts.has_calls()),
            Some(End::Blocked) => Stop::new(StopReason::Refusal),
            None if is_complete => {
                let what = "the reply does not say why it ended";
                ledger.change(note::STREAM_ORDER, Place::REPLY, what);
                self.lacks = Lack::Reason;
                Stop::new(StopReason::End).with_calls(self.parts.has_calls())
            }
            None => return events.push(Event::Fail(Box::new(Failure::cut_short()))),
        };
        if let Some((mut usage, false)) = self.usage.take() {
            outcome::supersede(&self.early, &mut usage);
            events.push(Event::Usage(usage));
        }
        stop.message = self.message.take();
        events.push(match given_up(&stop) {
            Some(failure) => Event::Fail(Box::new(failure)),
            None => Event::Stop(stop),
        });
    }

    fn passes_on(&mut self) {
        self.passes_on = true;
    }

    fn anew(&mut self) -> Option<Vec<u8>> {
        self.anew.take()
    }

    fn has_stopped(&self) -> bool {
        self.end.is_some()
    }

    fn lacks(&self) -> Lack {
        self.lacks
    }
}

/// Whether an event has other lines than its data. Packages read what is between two blank lines as one line
/// of data, and pass over the rest or give up.
fn has_other_lines(raw: &[u8], data: &str) -> bool {
    match raw.first() {
        Some(b'd') => raw.len() > LONGEST_FRAME + data.len(),
        // An element of an array begins with a mark or with space.
        Some(first) => *first == b':' || first.is_ascii_alphabetic(),
        None => false,
    }
}

/// What a frame may have around its data.
const LONGEST_FRAME: usize = b"data: \r\n\r\n".len();
