//! Streams as events: reading, writing, and whether they are lawful.

use bytes::Bytes;
use interlingua::model::StopReason;
use interlingua::wire::{Framer, Limits};
use interlingua::{Dialect, Event, Exchange, Failure, Fold, Ledger, Reply};

/// The events of a whole stream in this dialect's usual framing, as its reader gives them.
pub fn read(dialect: &dyn Dialect, stream: &Bytes, exchange: &Exchange) -> Vec<Event> {
    let mut framer = Framer::new(dialect.framing(), Limits::default().bytes);
    let mut reader = dialect.reader(exchange);
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    framer.push(stream);
    while let Ok(Some(frame)) = framer.finish() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

/// The stream this dialect writes of these events.
pub fn write(dialect: &dyn Dialect, events: &[Event], exchange: &Exchange) -> Bytes {
    let mut writer = dialect.writer(exchange);
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    out.into()
}

/// The reply that events add up to.
pub fn fold(events: &[Event]) -> Result<Reply, Failure> {
    let mut fold = Fold::new();
    for event in events {
        fold.push(event);
    }
    fold.finish()
}

/// Whether the provider gave up in the middle of a reply. Dialects without a word for that say it as
/// a failure or as a usual end.
pub fn gave_up(reply: &Result<Reply, Failure>) -> bool {
    let gives_up = |reason| matches!(reason, StopReason::Error | StopReason::MalformedCall);
    reply.as_ref().is_ok_and(|reply| gives_up(reply.stop.reason))
}

/// A lawful stream is `Start, (Open Delta* Close)*, Stop | Fail`, its blocks numbered from 0.
pub fn lawful(events: &[Event]) -> Result<(), String> {
    let mut state = State::default();
    for (at, event) in events.iter().enumerate() {
        state.step(event).map_err(|why| format!("event {at} {event:?}: {why}"))?;
    }
    if state.ended { Ok(()) } else { Err("the events have no end".into()) }
}

#[derive(Default)]
struct State {
    started: bool,
    open: Option<u32>,
    opened: u32,
    ended: bool,
}

impl State {
    fn step(&mut self, event: &Event) -> Result<(), &'static str> {
        if self.ended {
            return Err("comes after the end");
        }
        match event {
            Event::Start { .. } if self.started => return Err("the reply has already started"),
            Event::Start { .. } => self.started = true,
            Event::Ping | Event::Foreign { .. } => {}
            _ if !self.started => return Err("comes before the start"),
            Event::Open { index, .. } => self.open(*index)?,
            Event::Delta { index, .. } if self.open == Some(*index) => {}
            Event::Delta { .. } => return Err("adds to a block that is not open"),
            Event::Close { index } if self.open == Some(*index) => self.open = None,
            Event::Close { .. } => return Err("closes a block that is not open"),
            Event::Usage(_) => {}
            Event::Stop(_) | Event::Fail(_) if self.open.is_some() => {
                return Err("ends while a block is open");
            }
            Event::Stop(_) | Event::Fail(_) => self.ended = true,
        }
        Ok(())
    }

    fn open(&mut self, index: u32) -> Result<(), &'static str> {
        if self.open.is_some() {
            return Err("opens a block while another is open");
        }
        if index != self.opened {
            return Err("has an index that leaves a gap");
        }
        self.open = Some(index);
        self.opened += 1;
        Ok(())
    }
}
