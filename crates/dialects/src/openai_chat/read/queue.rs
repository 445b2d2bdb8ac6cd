//! Blocks in the order they first appear. The first streams on; later ones wait until it is closed.

use std::collections::VecDeque;

use interlingua_model::{Args, Block, Body, Delta, Event, Ledger, Place, Seal, Thinking, ToolCall};
use interlingua_wire::{Json, Text};

use super::args::Arguments;
use crate::note;
use crate::openai_chat::calls::{self, Nameless};

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Building>,
    /// Whether the first of `waiting` has been opened.
    opened: bool,
    next: u32,
    pub(super) calls: Vec<Call>,
    /// Seals that came before the call with their id.
    seals: Vec<(Text, Seal)>,
    /// The reply's id, for calls without one.
    pub(super) reply: Option<Text>,
}

/// A block being received.
#[derive(Debug)]
pub(super) struct Building {
    pub(super) what: What,
    /// As it will be opened; calls are made when they are.
    block: Block,
    /// What came and was not sent yet.
    pending: Vec<Delta>,
    /// The text of reasoning so far, to know it again.
    thought: Vec<Text>,
    /// The provider's id of reasoning, where an entry tells it.
    pub(super) id: Option<Text>,
    pub(super) sealed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Text,
    Refusal,
    /// Reasoning from a plain field.
    Thought,
    /// An entry of `reasoning_details`: its form and index.
    Entry(Form, u64),
    /// By its place in `calls`.
    Call(usize),
    /// Complete at once.
    Whole,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Summary,
    /// Nothing to read, or nothing anybody else understands: complete at once.
    Closed,
}

/// A call, remembered after it is closed.
#[derive(Debug, Default)]
pub(super) struct Call {
    pub(super) index: Option<u64>,
    pub(super) id: Text,
    pub(super) name: Text,
    pub(super) kind: CallKind,
    pub(super) args: Arguments,
    /// Arguments that came as an object: each is told whole, so the last one counts.
    pub(super) object: Option<Json>,
    pub(super) opened: bool,
    pub(super) closed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallKind {
    #[default]
    Function,
    Freeform,
    /// A function that stands for a tool with free text: it is unwrapped when it is whole.
    Wrapped,
}

impl Queue {
    /// Adds to the last block if it is of this kind, or begins one.
    pub(super) fn add(&mut self, what: What, delta: Delta, block: impl FnOnce() -> Block) {
        let last = self.waiting.back_mut().filter(|last| last.what == what && !last.sealed);
        match last {
            Some(last) => last.push(delta),
            None => self.begin(what, block()).push(delta),
        }
    }

    pub(super) fn begin(&mut self, what: What, block: Block) -> &mut Building {
        let building = Building {
            what,
            id: None,
            block,
            pending: Vec::new(),
            thought: Vec::new(),
            sealed: false,
        };
        self.waiting.push_back(building);
        let last = self.waiting.len() - 1;
        &mut self.waiting[last]
    }

    pub(super) fn last(&mut self) -> Option<&mut Building> {
        self.waiting.back_mut()
    }

    /// The last block of this kind that is not closed yet.
    pub(super) fn find(&mut self, what: What) -> Option<&mut Building> {
        self.waiting.iter_mut().rev().find(|building| building.what == what)
    }

    /// Begins a call; gives its place in `calls`.
    pub(super) fn begin_call(&mut self, call: Call) -> usize {
        let at = self.calls.len();
        self.calls.push(call);
        self.begin(What::Call(at), Block::text(Text::EMPTY));
        at
    }

    pub(super) fn name_call(&mut self, at: usize, name: &Text, ledger: &mut Ledger) {
        let Some(call) = self.calls.get_mut(at) else { return };
        if name.is_empty() || call.name == *name {
            return;
        }
        if call.opened {
            ledger.loss(
                note::STREAM_ORDER,
                Place::REPLY,
                "a call's name changes after its beginning",
            );
        } else {
            call.name = Text::concat([&call.name, name]);
        }
    }

    /// Takes a piece of arguments; gives what of it is new.
    pub(super) fn call_args(
        &mut self,
        at: usize,
        piece: &Text,
        ledger: &mut Ledger,
    ) -> Option<Text> {
        let call = self.calls.get_mut(at)?;
        if !piece.is_empty() {
            replace(&mut call.object, None, ledger);
        }
        if call.closed {
            let fresh = call.args.push(piece);
            if fresh.as_ref().is_some_and(|fresh| !fresh.is_blank()) {
                ledger.loss(
                    note::STREAM_ORDER,
                    Place::REPLY,
                    "arguments after the end of their call",
                );
            }
            return fresh;
        }
        let fresh = if call.kind == CallKind::Freeform {
            Some(piece.clone()).filter(|piece| !piece.is_empty())
        } else {
            call.args.push(piece)
        };
        if let (Some(fresh), Some(building)) = (&fresh, self.find(What::Call(at))) {
            building.pending.push(Delta::Args(fresh.clone()));
        }
        fresh
    }

    /// Arguments as an object, of a call that has none as text.
    pub(super) fn call_object(&mut self, at: usize, object: Json, ledger: &mut Ledger) {
        match self.calls.get_mut(at).filter(|call| call.args.is_empty()) {
            Some(call) => replace(&mut call.object, Some(object), ledger),
            None => {
                self.call_args(at, &Text::new(object.as_str()), ledger);
            }
        }
    }

    /// A seal for the call with this id, which may still come.
    pub(super) fn seal_call(&mut self, id: &Text, seal: Seal) {
        let at = self.calls.iter().rposition(|call| call.id == *id && !call.closed);
        match at.and_then(|at| self.find(What::Call(at))) {
            Some(building) => building.push(Delta::Seal(Box::new(seal))),
            None => self.seals.push((id.clone(), seal)),
        }
    }

    /// Nothing has come yet.
    pub(super) fn is_untouched(&self) -> bool {
        self.waiting.is_empty() && self.next == 0
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Sends what can be sent.
    pub(super) fn pump(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        while let Some(first) = self.waiting.front() {
            let done = self.waiting.len() > 1 && self.is_done(first);
            if !self.opened && (done || self.is_ready(first)) {
                self.open(done, events, ledger);
            }
            if self.opened {
                self.send(events);
            }
            if !done {
                return;
            }
            self.close(events);
        }
    }

    /// Closes everything that is left, in order.
    pub(super) fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger) {
        for (id, seal) in std::mem::take(&mut self.seals) {
            let thinking = Thinking { text: Text::EMPTY, form: interlingua_model::Form::Redacted };
            let seal = Seal { id: Some(id), ..seal };
            self.begin(What::Whole, Block::new(Body::Thinking(thinking)).sealed(Some(seal)));
        }
        while !self.waiting.is_empty() {
            if !self.opened {
                self.open(true, events, ledger);
            }
            self.send(events);
            self.close(events);
        }
    }

    fn is_done(&self, first: &Building) -> bool {
        match first.what {
            What::Call(at) => self.calls.get(at).is_none_or(Call::is_done),
            // The seal of a text may come after the next entry has begun.
            What::Entry(Form::Text, _) => {
                let is_entry = |later: &Building| matches!(later.what, What::Entry(..));
                first.sealed || !self.waiting.iter().skip(1).all(is_entry)
            }
            What::Text
            | What::Refusal
            | What::Thought
            | What::Entry(Form::Summary | Form::Closed, _)
            | What::Whole => true,
        }
    }

    /// The name of a call may come in pieces; it is whole when arguments follow.
    fn is_ready(&self, first: &Building) -> bool {
        let What::Call(at) = first.what else { return true };
        let wrapped = self.calls.get(at).is_some_and(|call| call.kind == CallKind::Wrapped);
        !wrapped && first.pending.iter().any(|delta| matches!(delta, Delta::Args(_)))
    }

    /// Opens the first block. `whole` says that nothing more will come for it.
    fn open(&mut self, whole: bool, events: &mut Vec<Event>, ledger: &mut Ledger) {
        let Some(first) = self.waiting.front_mut() else { return };
        if let What::Call(at) = first.what {
            let Some(call) = self.calls.get_mut(at) else { return };
            call.opened = true;
            let object = call.object.take().map(|object| Text::new(object.as_str()));
            if let Some(text) = object.and_then(|text| call.args.push(&text)) {
                first.pending.push(Delta::Args(text));
            }
            if call.id.is_empty() {
                ledger.change(note::ODD_INPUT, Place::REPLY, "a call without an id gets one");
                call.id = Nameless { reply: self.reply.as_ref(), number: at }.id(&call.name);
            }
            let args = if call.kind == CallKind::Function {
                Args::Malformed(Text::EMPTY)
            } else {
                Args::Freeform(Text::EMPTY)
            };
            if call.kind == CallKind::Wrapped && whole {
                first.pending.retain(|delta| !matches!(delta, Delta::Args(_)));
                let text = match Args::from_text(&call.args.whole()) {
                    Args::Json(json) => calls::unwrapped(&json),
                    Args::Malformed(text) | Args::Freeform(text) => text,
                };
                first.pending.push(Delta::Args(text));
            }
            let body = ToolCall { id: call.id.clone(), name: call.name.clone(), args };
            first.block = Block::new(Body::ToolCall(body));
            if let Some(found) = self.seals.iter().position(|(id, _)| *id == call.id) {
                let (_, seal) = self.seals.remove(found);
                first.pending.push(Delta::Seal(Box::new(seal)));
            }
        }
        let block = std::mem::replace(&mut first.block, Block::text(Text::EMPTY));
        events.push(Event::Open { index: self.next, block: Box::new(block) });
        self.opened = true;
    }

    fn send(&mut self, events: &mut Vec<Event>) {
        let index = self.next;
        if let Some(first) = self.waiting.front_mut() {
            events.extend(first.pending.drain(..).map(|delta| Event::Delta { index, delta }));
        }
    }

    fn close(&mut self, events: &mut Vec<Event>) {
        if let Some(Building { what: What::Call(at), .. }) = self.waiting.pop_front()
            && let Some(call) = self.calls.get_mut(at)
        {
            call.closed = true;
        }
        events.push(Event::Close { index: self.next });
        self.next += 1;
        self.opened = false;
    }
}

impl Call {
    pub(super) fn has_arguments(&self) -> bool {
        self.object.is_some() || !self.args.is_empty()
    }

    /// All arguments have come, as far as one can tell.
    pub(super) fn is_done(&self) -> bool {
        self.object.is_some() || self.args.is_complete()
    }
}

/// Puts one object in place of another, which should be a part of it.
fn replace(earlier: &mut Option<Json>, later: Option<Json>, ledger: &mut Ledger) {
    let has = |key: &str| later.as_ref().is_some_and(|later| later.doc().root().get(key).is_some());
    let lost = earlier
        .as_ref()
        .is_some_and(|earlier| earlier.doc().root().fields().any(|field| !has(&field.name())));
    if lost {
        let what = "arguments that came earlier are not among those that came later";
        ledger.loss(note::STREAM_ORDER, Place::REPLY, what);
    }
    *earlier = later;
}

impl Building {
    pub(super) fn push(&mut self, delta: Delta) {
        match &delta {
            Delta::Text(text) if text.is_empty() => return,
            Delta::Text(text) if self.what == What::Thought => self.thought.push(text.clone()),
            Delta::Seal(_) => self.sealed = true,
            Delta::Text(_) | Delta::Args(_) | Delta::Citation(_) => {}
        }
        self.pending.push(delta);
    }

    /// Whether this is reasoning whose text so far is this one.
    pub(super) fn is_thought(&self, text: &Text) -> bool {
        self.what == What::Thought
            && !self.sealed
            && !text.is_empty()
            && Text::concat(&self.thought) == *text
    }
}
