//! Converts streams to events and back, and checks the grammar of events.

use bytes::Bytes;
use interlingua::{ApiError, Dialect, Ledger, Reply, ReplyContext, StreamEvent};
use interlingua_model::{ReplyAccumulator, StopReason};
use interlingua_wire::{FrameReader, JsonLimits};

/// Decodes a complete stream in the dialect's framing.
pub fn read(dialect: &dyn Dialect, stream: &Bytes, cx: &ReplyContext) -> Vec<StreamEvent> {
    let mut framer = FrameReader::new(dialect.framing(), JsonLimits::default().max_bytes);
    let mut reader = dialect.reader(cx);
    let (mut events, mut ledger) = (Vec::new(), Ledger::default());
    framer.push(stream);
    while let Ok(Some(frame)) = framer.finish() {
        reader.read(frame, &mut events, &mut ledger);
    }
    reader.finish(&mut events, &mut ledger);
    events
}

/// Encodes events as a stream of the dialect.
pub fn write(dialect: &dyn Dialect, events: &[StreamEvent], cx: &ReplyContext) -> Bytes {
    let mut writer = dialect.writer(cx);
    let (mut out, mut ledger) = (Vec::new(), Ledger::default());
    for event in events {
        writer.write(event, &mut out, &mut ledger);
    }
    out.into()
}

/// Folds events to a complete reply.
pub fn fold_events(events: &[StreamEvent]) -> Result<Reply, ApiError> {
    let mut reply_accumulator = ReplyAccumulator::new();
    for event in events {
        reply_accumulator.push(event);
    }
    reply_accumulator.finish()
}

/// Whether the provider aborted a reply. Dialects without such a stop reason encode an error or a
/// normal end.
pub fn is_provider_abort(reply: &Result<Reply, ApiError>) -> bool {
    let is_abort = |reason| matches!(reason, StopReason::Error | StopReason::MalformedCall);
    reply.as_ref().is_ok_and(|reply| is_abort(reply.stop.reason))
}

/// Checks the grammar `Start, (Open Delta* Close)*, Stop | Fail`, with blocks numbered from 0.
pub fn check_grammar(events: &[StreamEvent]) -> Result<(), String> {
    let mut state = GrammarState::default();
    for (at, event) in events.iter().enumerate() {
        state.accept(event).map_err(|reason| format!("event {at} {event:?}: {reason}"))?;
    }
    if state.ended { Ok(()) } else { Err("the events have no end".into()) }
}

#[derive(Default)]
struct GrammarState {
    started: bool,
    open_block: Option<u32>,
    next_index: u32,
    ended: bool,
}

impl GrammarState {
    fn accept(&mut self, event: &StreamEvent) -> Result<(), &'static str> {
        if self.ended {
            return Err("comes after the end");
        }
        match event {
            StreamEvent::Start { .. } if self.started => {
                return Err("the reply has already started");
            }
            StreamEvent::Start { .. } => self.started = true,
            StreamEvent::Ping | StreamEvent::Foreign { .. } => {}
            _ if !self.started => return Err("comes before the start"),
            StreamEvent::BlockStart { index, .. } => self.open_block_at(*index)?,
            StreamEvent::Delta { index, .. } if self.open_block == Some(*index) => {}
            StreamEvent::Delta { .. } => return Err("adds to a block that is not open"),
            StreamEvent::BlockEnd { index } if self.open_block == Some(*index) => {
                self.open_block = None;
            }
            StreamEvent::BlockEnd { .. } => return Err("closes a block that is not open"),
            StreamEvent::Usage(_) => {}
            StreamEvent::Stop(_) | StreamEvent::Error(_) if self.open_block.is_some() => {
                return Err("ends while a block is open");
            }
            StreamEvent::Stop(_) | StreamEvent::Error(_) => self.ended = true,
        }
        Ok(())
    }

    fn open_block_at(&mut self, index: u32) -> Result<(), &'static str> {
        if self.open_block.is_some() {
            return Err("opens a block while another is open");
        }
        if index != self.next_index {
            return Err("has an index that leaves a gap");
        }
        self.open_block = Some(index);
        self.next_index += 1;
        Ok(())
    }
}
