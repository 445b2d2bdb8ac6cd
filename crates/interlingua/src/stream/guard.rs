//! Runs the guard on the tool calls of a stream.
//!
//! Each call is checked when it is complete; its events are held back until then if the guard may
//! mend it.

use interlingua_dialects::{StreamWriter, portable_block};
use interlingua_guard::{CallChecker, Finding, GuardAction};
use interlingua_model::{
    Block, BlockContent, DialectId, Ledger, ReplyAccumulator, StreamEvent, push_block_events,
};

use crate::reply::record_mended_call;

#[derive(Debug)]
pub(super) struct StreamGuard {
    checker: CallChecker,
    /// The events of a call that is held back.
    held_events: Vec<StreamEvent>,
    pub(super) findings: Vec<Finding>,
    /// A call is open.
    in_call: bool,
    /// The current batch contains an error, so calls that end in it are incomplete.
    has_error: bool,
}

/// Destination of events: the client's writer, or none if the frames are passed through.
pub(super) struct EventSink<'w> {
    pub(super) writer: &'w mut dyn StreamWriter,
    pub(super) out: Option<&'w mut Vec<u8>>,
    pub(super) ledger: &'w mut Ledger,
    pub(super) to: DialectId,
}

impl EventSink<'_> {
    pub(super) fn write(&mut self, event: &StreamEvent) {
        let Some(out) = &mut self.out else { return };
        if let StreamEvent::BlockStart { index, block } = event
            && let Some(block) = portable_block(block, self.to)
        {
            let event = StreamEvent::BlockStart { index: *index, block: Box::new(block) };
            return self.writer.write(&event, out, self.ledger);
        }
        self.writer.write(event, out, self.ledger);
    }

    /// Writes complete blocks that only the client gets; `count` is the index of the first.
    pub(super) fn write_blocks(&mut self, blocks: impl Iterator<Item = Block>, count: usize) {
        for (offset, block) in blocks.enumerate() {
            let index = (count + offset) as u32;
            self.write(&StreamEvent::BlockStart { index, block: Box::new(block) });
            self.write(&StreamEvent::BlockEnd { index });
        }
    }
}

impl StreamGuard {
    pub(super) fn new(checker: CallChecker) -> Self {
        Self {
            checker,
            held_events: Vec::new(),
            findings: Vec::new(),
            in_call: false,
            has_error: false,
        }
    }

    /// Whether an event belongs to a call. Most do not, and skip the guard.
    #[inline]
    pub(super) fn concerns(&self, event: &StreamEvent) -> bool {
        self.in_call || matches!(event, StreamEvent::BlockStart { block, .. } if is_call(block))
    }

    /// Examines the next batch of events for an error, which means that its last call is
    /// incomplete.
    pub(super) fn observe_batch(&mut self, events: &[StreamEvent]) {
        self.has_error |= events.iter().any(|event| matches!(event, StreamEvent::Error(_)));
    }

    /// Processes an event: passes it to the writer and the accumulator.
    pub(super) fn process(
        &mut self,
        event: StreamEvent,
        reply_accumulator: &mut ReplyAccumulator,
        mut to: EventSink<'_>,
    ) {
        let StreamEvent::BlockEnd { index } = event else {
            self.in_call = match &event {
                StreamEvent::BlockStart { block, .. } => is_call(block),
                StreamEvent::Stop(_) | StreamEvent::Error(_) => false,
                _ => true,
            };
            if self.must_hold(&event, to.out.is_some()) {
                self.held_events.push(event.clone());
            } else {
                self.release_held(&mut to);
                to.write(&event);
            }
            reply_accumulator.push_owned(event);
            return;
        };
        self.in_call = false;
        let block_count = reply_accumulator.partial_reply().turn.blocks.len();
        reply_accumulator.push_owned(StreamEvent::BlockEnd { index });
        let blocks = &reply_accumulator.partial_reply().turn.blocks;
        let closed = blocks.last().filter(|_| blocks.len() > block_count && !self.has_error);
        if let Some(finding) = closed.and_then(|block| self.checker.check_block(block)) {
            if let (GuardAction::Mended(call), false) =
                (&finding.action, self.held_events.is_empty())
            {
                self.held_events.clear();
                if let Some(block) = reply_accumulator.last_block_mut() {
                    block.content = BlockContent::ToolCall((**call).clone());
                    push_block_events(index, block, &mut self.held_events);
                    // The end of the block is written below.
                    self.held_events.pop();
                }
                record_mended_call(&finding, to.ledger);
            }
            self.findings.push(finding);
        }
        self.release_held(&mut to);
        to.write(&StreamEvent::BlockEnd { index });
    }

    /// Whether an event must be held back: those of a call that may be mended.
    fn must_hold(&self, event: &StreamEvent, written: bool) -> bool {
        match event {
            StreamEvent::BlockStart { block, .. } => {
                written
                    && block.seal.is_none()
                    && matches!(&block.content, BlockContent::ToolCall(call) if self.checker.may_mend(&call.name))
            }
            StreamEvent::Delta { .. } => !self.held_events.is_empty(),
            StreamEvent::Start { .. }
            | StreamEvent::BlockEnd { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Stop(_)
            | StreamEvent::Error(_)
            | StreamEvent::Ping
            | StreamEvent::Foreign { .. } => false,
        }
    }

    /// Writes the events that were held back.
    fn release_held(&mut self, to: &mut EventSink<'_>) {
        for event in self.held_events.drain(..) {
            to.write(&event);
        }
    }
}

fn is_call(block: &Block) -> bool {
    matches!(block.content, BlockContent::ToolCall(_))
}
