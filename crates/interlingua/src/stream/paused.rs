//! A streamed reply that its provider pauses, and that goes on in another stream.

use interlingua_dialects::{Dialect, note};
use interlingua_model::{Body, Event, Exchange, Place, Stop, StopReason, Usage};

use super::{Input, Stream};
use crate::paused::WENT_ON;

/// What came before the stream that is read, and how it ended.
#[derive(Debug, Default)]
pub(super) struct Paused {
    /// The end of what was said so far, of which the client has not heard.
    held: Option<Stop>,
    /// As many blocks came in earlier streams, if there were any.
    blocks: Option<u32>,
    /// What they have cost, and what this one has.
    before: Usage,
    usage: Usage,
    /// A call is the client's to answer: nobody goes on before that.
    calls: bool,
}

impl Paused {
    /// Says the events that come next as those of one reply, up to a pause.
    pub(super) fn take(&mut self, events: &mut Vec<Event>) {
        events.retain_mut(|event| self.held.is_none() && self.is_told(event));
    }

    fn is_told(&mut self, event: &mut Event) -> bool {
        let before = self.blocks.unwrap_or(0);
        match event {
            Event::Start { .. } => return self.blocks.is_none(),
            Event::Open { index, block } => {
                self.calls |= matches!(block.body, Body::ToolCall(_));
                *index += before;
            }
            Event::Delta { index, .. } | Event::Close { index } => *index += before,
            Event::Usage(usage) if self.blocks.is_some() => {
                self.usage.update(usage);
                usage.clone_from(&self.before);
                usage.add(&self.usage);
            }
            Event::Stop(stop) if stop.reason == StopReason::Pause && !self.calls => {
                self.held = Some(stop.clone());
                return false;
            }
            _ => {}
        }
        true
    }
}

impl Stream {
    /// Holds back the end of a reply that its provider pauses: [`Stream::is_paused`] tells, and then it
    /// [goes on](Stream::goes_on) or [stays](Stream::stays) there.
    #[must_use]
    pub fn pausing(mut self) -> Self {
        self.paused = Some(Box::default());
        self
    }

    pub fn is_paused(&self) -> bool {
        self.paused.as_ref().is_some_and(|paused| paused.held.is_some())
    }

    /// Whether it could end here, whatever its provider may have to add.
    pub fn has_stopped(&self) -> bool {
        self.ended || (self.reader.has_stopped() && !self.is_paused())
    }

    /// The provider goes on in another stream, with what follows on everything so far.
    pub fn goes_on(&mut self, from: &dyn Dialect, exchange: &Exchange) {
        let said = self.fold.so_far();
        if let Some(paused) = &mut self.paused {
            paused.held = None;
            paused.blocks = Some(said.turn.blocks.len() as u32);
            (paused.before, paused.usage) = (said.usage.clone(), Usage::default());
        }
        self.ledger.change(note::PAUSED_TURN, Place::REPLY, WENT_ON);
        self.reader = from.reader(exchange);
        self.input = Input::Waiting { framing: from.framing(), space: Vec::new() };
    }

    /// The provider does not go on: the client hears the end.
    pub fn stays(&mut self, out: &mut Vec<u8>) {
        let stop = self.paused.take().and_then(|paused| paused.held);
        self.events.extend(stop.map(Event::Stop));
        self.take_events(Some(out));
    }
}
