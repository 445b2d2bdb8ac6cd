//! Streams, read: whatever servers make of the dialect's chunks, the events are lawful.

mod args;
mod delta;
mod queue;
mod thinking;

use interlingua_model::{
    Block, Delta, Event, Exchange, Failure, Ledger, Place, Stop, StopReason, Usage,
};
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Limits, Node, Text};

pub(super) use self::args::is_cut;
use self::queue::{Queue, What};
use super::flavor::{Flavor, Skill};
use super::tags::{Tags, Told};
use super::{ID, error, reply, stop, usage};
use crate::notice::given_up;
use crate::{Lack, StreamReader, note};

#[derive(Debug)]
pub(super) struct Reader {
    freeform: Vec<Text>,
    id: Option<Text>,
    model: Option<Text>,
    tape: Tape,
    queue: Queue,
    tags: Tags,
    usage: Option<Usage>,
    /// The end, held until the usage has come.
    stop: Option<Stop>,
    state: State,
    lacks: Lack,
    /// The end mark has come.
    over: bool,
    noted: Noted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Started,
    Ended,
}

/// What is noted once.
#[derive(Debug, Default)]
struct Noted {
    after_end: bool,
    answers: bool,
    logprobs: bool,
}

impl Reader {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self {
            freeform: exchange.freeform.clone(),
            id: exchange.id.clone(),
            model: exchange.model.clone(),
            tape: Tape::default(),
            queue: Queue::default(),
            tags: Tags::new(Flavor::find(exchange.flavor).can(Skill::ThinkTags)),
            usage: None,
            stop: None,
            state: State::Waiting,
            lacks: Lack::Nothing,
            over: false,
            noted: Noted::default(),
        }
    }

    fn chunk(&mut self, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let [choices, usage, error, groq] = root.pick(["choices", "usage", "error", "x_groq"]);
        let healthy = choices.is_some() && error.is_none() && groq.is_none();
        if let Some(failure) = (!healthy).then(|| error::in_band(root)).flatten() {
            return self.fail(failure, events, ledger);
        }
        let text = |key: &str| root.get(key).and_then(Node::text).filter(|text| !text.is_empty());
        if self.state == State::Waiting {
            self.id = text("id").or(self.id.take());
            self.model = text("model").or(self.model.take());
        }
        let counts = usage.filter(|usage| usage.is_object());
        let counts = counts.or_else(|| groq?.get("usage"));
        let counts = counts.or_else(|| choices?.items().next()?.get("usage"));
        let counts = counts.filter(|usage| usage.is_object()).map(usage::decode);
        let counted = counts.is_some();
        self.usage = counts.or(self.usage.take());
        if choices.is_none() && !counted {
            return self.unknown(root, events, ledger);
        }
        let mut answered = false;
        for choice in choices.into_iter().flat_map(Node::items) {
            if choice.get("index").is_some_and(|index| index.count().is_some_and(|at| at > 0)) {
                if !std::mem::replace(&mut self.noted.answers, true) {
                    let what = "only the first of several answers counts";
                    ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, what);
                }
                continue;
            }
            answered = true;
            self.start(events);
            self.choice(choice, events, ledger);
        }
        if counted && !answered && self.stop.is_some() {
            self.end(events, ledger);
        }
    }

    /// A frame that is no chunk.
    fn unknown(&self, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if !root.is_object() {
            ledger.loss(note::BAD_FRAME, Place::REPLY, "a frame is no object");
        } else if self.state == State::Started {
            let kind = root.get("object").and_then(Node::text).unwrap_or(Text::word("chunk"));
            events.push(Event::Foreign { dialect: ID, kind, json: root.json() });
        }
    }

    fn choice(&mut self, choice: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        // A whole message in place of a delta comes from servers that do not stream.
        let [delta, message, logprobs] = choice.pick(["delta", "message", "logprobs"]);
        let message = message.filter(|_| self.queue.is_untouched());
        if let Some(delta) = delta.filter(|delta| delta.is_object()).or(message) {
            self.delta(delta, ledger);
            self.queue.pump(events, ledger);
        }
        if logprobs.is_some_and(|logprobs| !logprobs.is_null())
            && !std::mem::replace(&mut self.noted.logprobs, true)
        {
            ledger.loss(note::NO_SUCH_FIELD, Place::REPLY, "left out `logprobs`");
        }
        if let Some(stop) = reply::ending(choice) {
            self.stop = Some(stop);
        }
    }

    fn said(&mut self, text: &Text) {
        let queue = &mut self.queue;
        self.tags.feed(text, &mut |told| tell(queue, told));
    }

    fn start(&mut self, events: &mut Vec<Event>) {
        if self.state == State::Waiting {
            self.state = State::Started;
            self.queue.reply.clone_from(&self.id);
            events.push(Event::Start { id: self.id.clone(), model: self.model.clone() });
        }
    }

    /// Closes what is open and tells the usage.
    fn wind_up(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        self.start(events);
        let queue = &mut self.queue;
        self.tags.finish(&mut |told| tell(queue, told));
        self.queue.finish(events, ledger);
        events.extend(self.usage.take().map(Event::Usage));
        self.state = State::Ended;
    }

    fn end(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        self.wind_up(events, ledger);
        self.lacks = Lack::Mark(MARK);
        let stop = self.stop.take().unwrap_or(Stop::new(StopReason::End));
        let stop = stop.with_calls(self.queue.has_calls());
        let cut = self.queue.calls.last().is_some_and(|call| call.args.is_cut());
        events.push(match given_up(&stop) {
            Some(failure) => Event::Fail(Box::new(failure)),
            None => Event::Stop(stop::of_cut_call(stop, cut, ledger)),
        });
    }

    fn fail(&mut self, failure: Failure, events: &mut Vec<Event>, ledger: &mut Ledger) {
        self.wind_up(events, ledger);
        events.push(Event::Fail(Box::new(failure)));
    }
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let data = frame.data.filter(|data| data.starts_with('{') || !data.trim().is_empty());
        let Some(data) = data else {
            if self.state == State::Started && !frame.raw.is_empty() {
                events.push(Event::Ping);
            }
            return;
        };
        let is_end = data.trim_start().starts_with(END);
        if self.state == State::Ended {
            if is_end {
                self.lacks = Lack::Nothing;
                self.over = true;
            }
            if !is_end && !std::mem::replace(&mut self.noted.after_end, true) {
                ledger.loss(
                    note::STREAM_ORDER,
                    Place::REPLY,
                    "what comes after the end is left out",
                );
            }
            return;
        }
        if is_end {
            if self.state == State::Started {
                let reason = self.stop.is_some();
                self.end(events, ledger);
                self.over = true;
                self.lacks = if reason { Lack::Nothing } else { Lack::Reason };
                if !reason {
                    let what = "the reply does not say why it ended";
                    ledger.change(note::STREAM_ORDER, Place::REPLY, what);
                }
            }
            return;
        }
        match Doc::parse_on(data, Limits::default(), &mut self.tape) {
            Ok(doc) => {
                self.chunk(doc.root(), events, ledger);
                doc.recycle(&mut self.tape);
            }
            Err(malformed) => {
                ledger.loss(note::BAD_FRAME, Place::REPLY, format!("a frame is {malformed}"));
            }
        }
    }

    fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if self.state == State::Ended {
            return;
        }
        if self.stop.is_some() {
            self.end(events, ledger);
        } else {
            self.fail(Failure::cut_short(), events, ledger);
        }
    }

    fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }

    fn lacks(&self) -> Lack {
        self.lacks
    }

    fn is_over(&self) -> bool {
        self.over
    }
}

fn tell(queue: &mut Queue, told: Told) {
    match told {
        Told::Thought(text) => queue.add(What::Thought, Delta::Text(text), thinking::plain),
        Told::Said(text) => {
            queue.add(What::Text, Delta::Text(text), || Block::text(Text::EMPTY));
        }
    }
}

const END: &str = "[DONE]";
const MARK: &[u8] = b"data: [DONE]\n\n";
