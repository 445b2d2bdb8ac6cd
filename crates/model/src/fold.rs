//! Events to a reply, and a reply to events.

use interlingua_wire::{Pieces, Text};

use crate::{
    Args, Block, Body, Delta, Event, Failure, Form, Reply, Stop, StopReason, Usage, Verbatim,
};

/// Gathers the events of one reply.
#[derive(Debug, Default)]
pub struct Fold {
    reply: Reply,
    stopped: bool,
    failure: Option<Failure>,
    open: Option<Gathering>,
}

/// The block that is open, and the pieces that came for it.
#[derive(Debug)]
struct Gathering {
    index: u32,
    block: Block,
    text: Pieces,
    args: Pieces,
}

impl Fold {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event. Out of place, it is taken as what it most likely means.
    pub fn push(&mut self, event: &Event) {
        self.take(event.clone());
    }

    /// As [`Fold::push`], for an event that nobody needs any more.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::Start { id, model } => {
                self.reply.id = id;
                self.reply.model = model;
            }
            Event::Open { index, block } => {
                self.close();
                let (text, args) = <(Pieces, Pieces)>::default();
                self.open = Some(Gathering { index, block: *block, text, args });
            }
            Event::Delta { index, delta } => {
                if let Some(open) = self.open.as_mut().filter(|open| open.index == index) {
                    open.add(delta);
                }
            }
            Event::Close { .. } => self.close(),
            Event::Usage(usage) => self.reply.usage.update(&usage),
            Event::Stop(stop) => {
                self.close();
                self.reply.stop = stop;
                self.stopped = true;
            }
            Event::Fail(failure) => {
                self.close();
                self.failure = Some(*failure);
            }
            Event::Ping | Event::Foreign { .. } => {}
        }
    }

    /// The reply so far, for a stream that is still running or was cut.
    pub fn so_far(&self) -> &Reply {
        &self.reply
    }

    /// The last block that is complete, to be changed.
    pub fn last_mut(&mut self) -> Option<&mut Block> {
        self.reply.turn.blocks.last_mut().map(Verbatim::edit)
    }

    /// What broke the reply, if anything did.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// The whole reply, or what broke it.
    pub fn finish(mut self) -> Result<Reply, Failure> {
        self.close();
        match self.failure {
            Some(failure) => Err(failure),
            None if self.stopped => Ok(self.reply),
            None => Err(Failure::cut_short()),
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.reply.turn.blocks.push(Verbatim::new(open.whole()));
        }
    }
}

impl Gathering {
    fn add(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => self.text.push(&text),
            Delta::Args(text) => self.args.push(&text),
            Delta::Seal(seal) => self.block.seal = Some(seal),
            Delta::Citation(citation) => {
                if let Body::Text { citations, .. } = &mut self.block.body {
                    citations.push(*citation);
                }
            }
        }
    }

    fn whole(mut self) -> Block {
        match &mut self.block.body {
            Body::Text { text, .. } | Body::Refusal(text) => text.extend(self.text),
            Body::Thinking(thinking) => thinking.text.extend(self.text),
            Body::ToolCall(call) => match &mut call.args {
                Args::Freeform(text) => text.extend(self.args),
                Args::Malformed(text) => {
                    text.extend(self.args);
                    call.args = Args::from_text(text);
                }
                Args::Json(_) => {}
            },
            Body::Media(_) | Body::Data(_) | Body::ToolResult(_) | Body::Foreign { .. } => {}
        }
        self.block
    }
}

/// The events of a whole reply, as a provider that streams in large pieces would send them.
pub fn unfold(reply: &Reply) -> Vec<Event> {
    let mut events = Vec::with_capacity(reply.turn.blocks.len() * 3 + 3);
    events.push(Event::Start { id: reply.id.clone(), model: reply.model.clone() });
    for (index, block) in reply.turn.blocks.iter().enumerate() {
        unfold_block(index as u32, block, &mut events);
    }
    if reply.usage != Usage::default() {
        events.push(Event::Usage(reply.usage.clone()));
    }
    events.push(Event::Stop(reply.stop.clone()));
    events
}

/// The events of one whole block.
pub fn unfold_block(index: u32, block: &Block, events: &mut Vec<Event>) {
    let mut open = block.clone();
    let mut deltas = Vec::new();
    match &mut open.body {
        Body::Text { text, citations } => {
            deltas.push(Delta::Text(std::mem::take(text)));
            deltas.extend(citations.drain(..).map(|one| Delta::Citation(Box::new(one))));
        }
        Body::Refusal(text) => deltas.push(Delta::Text(std::mem::take(text))),
        Body::Thinking(thinking) => {
            deltas.push(Delta::Text(std::mem::take(&mut thinking.text)));
            if thinking.form != Form::Redacted {
                deltas.extend(open.seal.take().map(Delta::Seal));
            }
        }
        Body::ToolCall(call) => {
            deltas.push(Delta::Args(call.args.to_text()));
            call.args = match &call.args {
                Args::Freeform(_) => Args::Freeform(Text::EMPTY),
                Args::Json(_) | Args::Malformed(_) => Args::Malformed(Text::EMPTY),
            };
        }
        Body::Media(_) | Body::Data(_) | Body::ToolResult(_) | Body::Foreign { .. } => {}
    }
    deltas
        .retain(|delta| !matches!(delta, Delta::Text(text) | Delta::Args(text) if text.is_empty()));
    events.push(Event::Open { index, block: Box::new(open) });
    events.extend(deltas.into_iter().map(|delta| Event::Delta { index, delta }));
    events.push(Event::Close { index });
}

impl Default for Stop {
    fn default() -> Self {
        Self::new(StopReason::End)
    }
}
