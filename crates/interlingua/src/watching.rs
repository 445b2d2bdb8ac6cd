//! The guard on a stream: each call is looked at when it is finished, and waits until then if it may
//! be changed.

use interlingua_dialects::{StreamWriter, shown};
use interlingua_guard::{Done, Finding, Watch};
use interlingua_model::{Block, Body, DialectId, Event, Fold, Ledger, unfold_block};

use crate::reply::note_mended;

#[derive(Debug)]
pub(crate) struct Watching {
    watch: Watch,
    /// The events of a call that waits.
    held: Vec<Event>,
    pub(crate) findings: Vec<Finding>,
    /// A call is open.
    called: bool,
    /// What is closed now is closed because the reply breaks off.
    broken: bool,
}

/// Where events go: to the client's writer, unless the frames themselves went there.
pub(crate) struct Writing<'w> {
    pub(crate) writer: &'w mut dyn StreamWriter,
    pub(crate) out: Option<&'w mut Vec<u8>>,
    pub(crate) ledger: &'w mut Ledger,
    pub(crate) to: DialectId,
}

impl Writing<'_> {
    pub(crate) fn write(&mut self, event: &Event) {
        let Some(out) = &mut self.out else { return };
        if let Event::Open { index, block } = event
            && let Some(block) = shown(block, self.to)
        {
            let event = Event::Open { index: *index, block: Box::new(block) };
            return self.writer.write(&event, out, self.ledger);
        }
        self.writer.write(event, out, self.ledger);
    }

    /// Writes blocks that only the client gets, after so many.
    pub(crate) fn add(&mut self, blocks: impl Iterator<Item = Block>, count: usize) {
        for (at, block) in blocks.enumerate() {
            let index = (count + at) as u32;
            self.write(&Event::Open { index, block: Box::new(block) });
            self.write(&Event::Close { index });
        }
    }
}

impl Watching {
    pub(crate) fn new(watch: Watch) -> Self {
        Self { watch, held: Vec::new(), findings: Vec::new(), called: false, broken: false }
    }

    /// Whether an event is about a call. Most are not, and pass by.
    #[inline]
    pub(crate) fn is_about(&self, event: &Event) -> bool {
        self.called || matches!(event, Event::Open { block, .. } if is_call(block))
    }

    /// These events come next, together: a call that ends with the reply is not one that is finished.
    pub(crate) fn hears(&mut self, events: &[Event]) {
        self.broken |= events.iter().any(|event| matches!(event, Event::Fail(_)));
    }

    /// Takes the next event in the place of writer and fold.
    pub(crate) fn take(&mut self, event: Event, fold: &mut Fold, mut to: Writing<'_>) {
        let Event::Close { index } = event else {
            self.called = match &event {
                Event::Open { block, .. } => is_call(block),
                Event::Stop(_) | Event::Fail(_) => false,
                _ => true,
            };
            if self.waits(&event, to.out.is_some()) {
                self.held.push(event.clone());
            } else {
                self.release(&mut to);
                to.write(&event);
            }
            fold.take(event);
            return;
        };
        self.called = false;
        let before = fold.so_far().turn.blocks.len();
        fold.take(Event::Close { index });
        let blocks = &fold.so_far().turn.blocks;
        let closed = blocks.last().filter(|_| blocks.len() > before && !self.broken);
        if let Some(finding) = closed.and_then(|block| self.watch.look(block)) {
            if let (Done::Mended(call), false) = (&finding.done, self.held.is_empty()) {
                self.held.clear();
                if let Some(block) = fold.last_mut() {
                    block.body = Body::ToolCall((**call).clone());
                    unfold_block(index, block, &mut self.held);
                    // It ends with this event, which is written below.
                    self.held.pop();
                }
                note_mended(&finding, to.ledger);
            }
            self.findings.push(finding);
        }
        self.release(&mut to);
        to.write(&Event::Close { index });
    }

    /// Whether an event has to wait: those of a call that may be changed do.
    fn waits(&self, event: &Event, written: bool) -> bool {
        match event {
            Event::Open { block, .. } => {
                written
                    && block.seal.is_none()
                    && matches!(&block.body, Body::ToolCall(call) if self.watch.may_mend(&call.name))
            }
            Event::Delta { .. } => !self.held.is_empty(),
            Event::Start { .. }
            | Event::Close { .. }
            | Event::Usage(_)
            | Event::Stop(_)
            | Event::Fail(_)
            | Event::Ping
            | Event::Foreign { .. } => false,
        }
    }

    /// What waited goes on as it is.
    fn release(&mut self, to: &mut Writing<'_>) {
        for event in self.held.drain(..) {
            to.write(&event);
        }
    }
}

fn is_call(block: &Block) -> bool {
    matches!(block.body, Body::ToolCall(_))
}
