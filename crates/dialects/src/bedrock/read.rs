//! Reads a stream: puts its events into their order, whatever order they come in.

use std::collections::VecDeque;

use interlingua_model::{Event, Exchange, Failure, Ledger, Place, Stop, StopReason};
use interlingua_wire::json::Tape;
use interlingua_wire::{Doc, Frame, Json, Limits, Node, Text};

use super::gather::{self, Adds, Gathering};
use super::{error, reply};
use crate::{StreamReader, note};

#[derive(Debug, Default)]
pub(super) struct Reader {
    tape: Tape,
    /// Tools whose free text was wrapped.
    freeform: Vec<Text>,
    phase: Phase,
    /// The number of the next block.
    next: u32,
    open: Option<Gathering>,
    /// The stream's numbers of blocks that are closed.
    closed: Vec<u64>,
    /// Steps of other blocks that came while one was open, block by block.
    waiting: VecDeque<(u64, Vec<(Step, Json)>)>,
    has_calls: bool,
    /// Held back until the usage has come, which follows it.
    stop: Option<Stop>,
    has_metadata: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Before,
    Running,
    Ended,
    /// Something came after the end, and that was noted.
    Late,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Start,
    Delta,
    Stop,
}

/// Where what was read goes.
struct Out<'o> {
    events: &'o mut Vec<Event>,
    ledger: &'o mut Ledger,
}

impl Reader {
    pub(super) fn new(exchange: &Exchange) -> Self {
        Self { freeform: exchange.freeform.clone(), ..Self::default() }
    }

    fn event(&mut self, name: &str, root: Node<'_>, out: &mut Out<'_>) {
        self.start(out);
        match name {
            "messageStart" => {}
            "contentBlockStart" => self.step(Step::Start, root, out),
            "contentBlockDelta" => self.step(Step::Delta, root, out),
            "contentBlockStop" => self.step(Step::Stop, root, out),
            "messageStop" => self.message_stop(root, out),
            "metadata" => self.metadata(root, out),
            _ => out.events.push(gather::foreign(name, root)),
        }
    }

    fn start(&mut self, out: &mut Out<'_>) {
        if self.phase == Phase::Before {
            self.phase = Phase::Running;
            out.events.push(Event::Start { id: None, model: None });
        }
    }

    /// A step of a block. While another block is open, it waits.
    fn step(&mut self, step: Step, root: Node<'_>, out: &mut Out<'_>) {
        if self.stop.is_some() {
            let what = "left out a block that came after the reply had stopped";
            out.ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
            return;
        }
        let open = self.open.as_ref().map(|open| open.wire);
        let [said, delta] = root.pick(["contentBlockIndex", "delta"]);
        let said = said.and_then(Node::count);
        let wire = said.or(open).unwrap_or_else(|| u64::from(self.next));
        if open.is_some_and(|open| open != wire) {
            self.wait(step, wire, root.json());
        } else {
            self.take(step, wire, root, delta, out);
            self.resume(out);
        }
    }

    fn wait(&mut self, step: Step, wire: u64, json: Json) {
        match self.waiting.iter_mut().rev().find(|(of, _)| *of == wire) {
            Some((_, steps)) => steps.push((step, json)),
            None => self.waiting.push_back((wire, vec![(step, json)])),
        }
    }

    fn take(
        &mut self,
        step: Step,
        wire: u64,
        root: Node<'_>,
        delta: Option<Node<'_>>,
        out: &mut Out<'_>,
    ) {
        match step {
            Step::Start => {
                self.close(out);
                let Some(start) = root.get("start") else { return note_empty(out) };
                let (next, events) = (self.next, &mut *out.events);
                let begun = Gathering::start(wire, next, start, &self.freeform, events);
                if !begun.counts() {
                    out.events.push(gather::foreign("contentBlockStart", root));
                }
                self.begin(begun);
            }
            Step::Delta => {
                let Some(delta) = delta else { return note_empty(out) };
                let adds = gather::adds(delta);
                self.open_for(adds, wire, out);
                if let Some(open) = &mut self.open {
                    open.add(adds, delta, root, out.events);
                }
            }
            Step::Stop => {
                if self.open.is_none() && self.closed.contains(&wire) {
                    let what = "a block was closed twice";
                    out.ledger.change(note::STREAM_ORDER, Place::REPLY, what);
                    return;
                }
                if self.open.as_ref().is_some_and(|open| !open.counts()) {
                    out.events.push(gather::foreign("contentBlockStop", root));
                }
                // A block that only ends is a text without words.
                self.open_for(Adds::Unknown, wire, out);
                self.close(out);
                self.closed.push(wire);
            }
        }
    }

    /// Sees to it that the open block takes such a delta.
    fn open_for(&mut self, adds: Adds, wire: u64, out: &mut Out<'_>) {
        if self.open.as_ref().is_some_and(|open| open.takes(adds)) {
            return;
        }
        if self.open.is_some() {
            let what = "a block changed its kind: the rest is a block of its own";
            out.ledger.change(note::STREAM_ORDER, Place::REPLY, what);
            self.close(out);
        } else if adds == Adds::Input {
            let what = "a call began without its name";
            out.ledger.change(note::STREAM_ORDER, Place::REPLY, what);
        }
        let adds = if adds == Adds::Unknown { Adds::Text } else { adds };
        let begun = Gathering::begin(wire, self.next, adds, out.events);
        self.begin(begun);
    }

    fn begin(&mut self, begun: Gathering) {
        self.next += u32::from(begun.counts());
        self.has_calls |= begun.is_call();
        self.open = Some(begun);
    }

    fn close(&mut self, out: &mut Out<'_>) {
        if let Some(open) = self.open.take() {
            open.close(out.ledger, out.events);
        }
    }

    /// Takes the steps of blocks that waited, until one of them stays open.
    fn resume(&mut self, out: &mut Out<'_>) {
        while self.open.is_none()
            && let Some((wire, steps)) = self.waiting.pop_front()
        {
            for (step, json) in steps {
                let doc = json.doc();
                self.take(step, wire, doc.root(), doc.root().get("delta"), out);
            }
        }
    }

    /// Closes the open block and all that wait.
    fn close_all(&mut self, out: &mut Out<'_>) {
        while self.open.is_some() || !self.waiting.is_empty() {
            self.close(out);
            self.resume(out);
        }
    }

    fn message_stop(&mut self, root: Node<'_>, out: &mut Out<'_>) {
        if self.open.is_some() {
            let what = "the reply stopped before its last block was closed";
            out.ledger.change(note::STREAM_ORDER, Place::REPLY, what);
            self.close_all(out);
        }
        let word = root.get("stopReason").and_then(Node::text);
        let mut stop = word.map(reply::read_stop).unwrap_or_default();
        if let Some(more) = root.get("additionalModelResponseFields").filter(|more| !more.is_null())
        {
            stop.sequence = reply::stop_sequence(more);
            out.events.push(gather::foreign("messageStop", root));
        }
        self.stop = Some(stop.with_calls(self.has_calls));
        if self.has_metadata {
            self.end(out);
        }
    }

    fn metadata(&mut self, root: Node<'_>, out: &mut Out<'_>) {
        // Times mean nothing to others; anything more is for those who know it.
        if root.fields().any(|field| !["usage", "metrics", "p"].contains(&&*field.name())) {
            out.events.push(gather::foreign("metadata", root));
        }
        if let Some(usage) = root.get("usage").filter(|usage| usage.is_object()) {
            out.events.push(Event::Usage(reply::read_usage(usage)));
        }
        self.has_metadata = true;
        if self.stop.is_some() {
            self.end(out);
        }
    }

    fn end(&mut self, out: &mut Out<'_>) {
        let stop = self.stop.take().unwrap_or_default();
        out.events.push(Event::Stop(stop));
        self.phase = Phase::Ended;
    }

    fn fail(&mut self, failure: Failure, out: &mut Out<'_>) {
        self.start(out);
        self.close_all(out);
        out.events.push(Event::Fail(Box::new(failure)));
        self.phase = Phase::Ended;
    }

    fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended | Phase::Late)
    }

    fn note_late(&mut self, ledger: &mut Ledger) {
        if self.phase == Phase::Ended {
            self.phase = Phase::Late;
            let what = "left out what came after the end of the reply";
            ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
        }
    }
}

fn note_empty(out: &mut Out<'_>) {
    let what = "left out an event that says nothing of its block";
    out.ledger.loss(note::BAD_FRAME, Place::REPLY, what);
}

impl StreamReader for Reader {
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let name = frame.event.as_deref().unwrap_or_default();
        if self.has_ended() {
            self.note_late(ledger);
            return;
        }
        let mut out = Out { events, ledger };
        if let Some(name) = name.strip_prefix("exception:").or(name.strip_prefix("error:")) {
            self.fail(error::of_exception(name, frame.data.as_deref()), &mut out);
            return;
        }
        let Some(data) = frame.data else { return };
        let mut tape = std::mem::take(&mut self.tape);
        match Doc::parse_on(data, Limits::default(), &mut tape) {
            Ok(doc) => {
                self.event(name, doc.root(), &mut out);
                doc.recycle(&mut tape);
            }
            Err(malformed) => {
                let what = format!("left out a `{name}` event: {malformed}");
                out.ledger.loss(note::BAD_FRAME, Place::REPLY, what);
            }
        }
        self.tape = tape;
    }

    fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let mut out = Out { events, ledger };
        if self.has_ended() {
            return;
        }
        if self.stop.is_none() && self.has_metadata {
            // Metadata comes last: only the word for the end is missing.
            self.close_all(&mut out);
            self.stop = Some(Stop::new(StopReason::End).with_calls(self.has_calls));
        }
        if self.stop.is_some() {
            self.end(&mut out);
        } else {
            self.fail(Failure::cut_short(), &mut out);
        }
    }

    fn has_stopped(&self) -> bool {
        self.stop.is_some()
    }
}
