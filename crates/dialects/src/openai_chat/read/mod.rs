//! Streams, read: whatever servers make of the dialect's chunks, the events are lawful.

mod anew;
mod args;
mod delta;
mod queue;
mod thinking;

use interlingua_model::{
    Block, Delta, Event, Exchange, Failure, Ledger, Place, Stop, StopReason, Usage,
};
use interlingua_wire::frame::is_comment;
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Json, Limits, Node, Text};

use self::anew::Passed;
pub(super) use self::args::is_cut;
use self::queue::{Queue, What};
use super::flavor::{Flavor, Skill};
use super::tags::{Tags, Told};
use super::{ID, error, reply, stop, usage, write};
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
    /// Calls of a further answer, which may be those that the first ended for.
    aside: Vec<Json>,
    /// An error inside an answer.
    broken: Option<Failure>,
    passed: Passed,
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
struct Noted(Vec<Once>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Once {
    AfterEnd,
    Answers,
    Logprobs,
    Calls,
    Opaque,
}

impl Noted {
    /// Whether it is for the first time; from now on it is not.
    fn first(&mut self, what: Once) -> bool {
        let is_first = !self.0.contains(&what);
        self.0.extend(is_first.then_some(what));
        is_first
    }
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
            aside: Vec::new(),
            broken: None,
            passed: Passed::default(),
            noted: Noted::default(),
        }
    }

    fn chunk(&mut self, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let [choices, usage, error, groq, base] =
            root.pick(["choices", "usage", "error", "x_groq", "base_resp"]);
        let healthy = choices.is_some() && error.is_none() && groq.is_none() && base.is_none();
        if let Some(failure) = (!healthy).then(|| error::in_band(root)).flatten() {
            // Packages raise what stands under `error`, and nothing else.
            if error.is_none() && groq.is_none() {
                let mut anew = Vec::new();
                write::write_failure(&failure, &mut anew);
                self.passed.say(anew);
            }
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
        self.passed.begin();
        for choice in choices.into_iter().flat_map(Node::items) {
            if is_further(choice) {
                self.further(choice, ledger);
                continue;
            }
            answered = true;
            self.start(events);
            self.choice(choice, events, ledger);
        }
        self.passed.end(root);
        if counted && !answered && self.stop.is_some() {
            self.end(events, ledger);
        }
    }

    /// One of several answers that is not the first: it counts only if the first ended for its calls.
    fn further(&mut self, choice: Node<'_>, ledger: &mut Ledger) {
        let delta = choice.get("delta").or_else(|| choice.get("message"));
        let mut lost = false;
        for field in delta.into_iter().flat_map(Node::fields) {
            if field.is("tool_calls") && !self.queue.has_calls() {
                self.aside.extend(Some(field.value.json()).filter(|_| !field.value.is_empty()));
            } else {
                lost |= !field.is("role") && !matches!(field.value.raw(), "null" | "\"\"" | "[]");
            }
        }
        if lost {
            self.note_answers(ledger);
        }
    }

    fn note_answers(&mut self, ledger: &mut Ledger) {
        if !self.passed.on && self.noted.first(Once::Answers) {
            let what = "only the first of several answers counts";
            ledger.loss(note::NO_SUCH_BLOCK, Place::REPLY, what);
        }
    }

    /// Takes the calls of a further answer, if the first ended for calls and has none.
    fn adopt(&mut self, ledger: &mut Ledger) {
        let aside = std::mem::take(&mut self.aside);
        let ends_for_calls =
            self.stop.as_ref().is_some_and(|stop| stop.reason == StopReason::ToolUse);
        if aside.is_empty() || self.queue.has_calls() || !ends_for_calls {
            if !aside.is_empty() {
                self.note_answers(ledger);
            }
            return;
        }
        // Clients have them as they came.
        let on = std::mem::replace(&mut self.passed.on, false);
        for list in aside {
            self.tool_calls(list.doc().root(), ledger);
        }
        self.passed.on = on;
        if !on {
            ledger.change(note::ODD_INPUT, Place::REPLY, reply::ADOPTED);
        }
    }

    /// A frame that is no chunk.
    fn unknown(&mut self, root: Node<'_>, events: &mut Vec<Event>, ledger: &mut Ledger) {
        if !root.is_object() {
            self.passed.say(Vec::new());
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
        let delta = delta.filter(|delta| delta.is_object());
        self.passed.chunk.odd |= delta.is_none();
        self.passed.chunk.whole |= delta.is_none() && message.is_some();
        if let Some(delta) = delta.or(message) {
            let role = delta.get("role").filter(|_| self.passed.on);
            self.passed.chunk.odd |= role.is_some_and(anew::is_odd_role);
            self.delta(delta, ledger);
            self.queue.pump(events, ledger);
        }
        if logprobs.is_some_and(|logprobs| !logprobs.is_null())
            && !self.passed.on
            && self.noted.first(Once::Logprobs)
        {
            ledger.loss(note::NO_SUCH_FIELD, Place::REPLY, "left out `logprobs`");
        }
        if let Some(stop) = reply::ending(choice) {
            if self.passed.on {
                self.passed.settle();
                let other = matches!(stop.reason, StopReason::End | StopReason::Other);
                self.passed.chunk.ends_for_calls = other && self.passed.has_calls();
                self.passed.chunk.odd |= self.passed.chunk.ends_for_calls;
            }
            self.stop = Some(stop);
        }
        self.broken = error::in_choice(choice).or(self.broken.take());
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
        self.adopt(ledger);
        self.queue.finish(events, ledger);
        events.extend(self.usage.take().map(Event::Usage));
        self.state = State::Ended;
    }

    fn end(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        self.wind_up(events, ledger);
        self.lacks = Lack::Mark(MARK);
        let stop = self.stop.take().unwrap_or(Stop::new(StopReason::End));
        let stop = stop::with_calls(stop, self.queue.has_calls(), ledger);
        let cut = self.queue.calls.last().is_some_and(|call| call.args.is_cut());
        let broken = self.broken.take();
        events.push(match broken.or_else(|| given_up(&stop)) {
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
            if self.passed.on && !is_comment(&frame.raw) {
                self.passed.say(Vec::new());
            }
            return;
        };
        let is_end = data.trim_start().starts_with(END);
        if self.state == State::Ended {
            if is_end {
                self.lacks = Lack::Nothing;
                self.over = true;
            }
            if !is_end && self.noted.first(Once::AfterEnd) {
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
                if self.passed.on && !reason {
                    self.passed.pay(self.id.as_ref(), self.model.as_ref());
                }
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
            let failure = self.broken.take().unwrap_or_else(Failure::cut_short);
            self.fail(failure, events, ledger);
        }
    }

    fn passes_on(&mut self) {
        self.passed.on = true;
    }

    fn anew(&mut self) -> Option<Vec<u8>> {
        self.passed.take()
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

/// Whether a choice is another answer than the first.
fn is_further(choice: Node<'_>) -> bool {
    choice.get("index").is_some_and(|index| index.count().is_some_and(|at| at > 0))
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
