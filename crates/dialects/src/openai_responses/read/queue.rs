//! One block at a time: what comes for later items waits its turn.

use interlingua_model::{Body, Event};

/// Events of an item, not numbered yet: their indices are given when they are told.
pub(super) type Steps = Vec<Event>;

#[derive(Default)]
pub(super) struct Queue {
    /// The item that is being told.
    front: usize,
    /// For each item what waits, and whether it is done.
    waiting: Vec<(Steps, bool)>,
    next: u32,
    /// Memory for the steps of one event.
    spare: Steps,
    pub(super) called: bool,
    pub(super) refused: bool,
}

impl Queue {
    /// An empty list for the steps of one event.
    pub(super) fn steps(&mut self) -> Steps {
        std::mem::take(&mut self.spare)
    }

    pub(super) fn begin(&mut self, events: &mut Vec<Event>) {
        self.waiting.push((Vec::new(), false));
        self.advance(events);
    }

    /// Tells the steps of item `at`, or keeps them until it is its turn.
    pub(super) fn take(&mut self, at: usize, mut steps: Steps, events: &mut Vec<Event>) {
        if at == self.front {
            for step in steps.drain(..) {
                self.tell(step, events);
            }
        } else if let Some((waiting, _)) = self.waiting.get_mut(at) {
            waiting.append(&mut steps);
        }
        self.spare = steps;
    }

    pub(super) fn done(&mut self, at: usize, events: &mut Vec<Event>) {
        if let Some((_, done)) = self.waiting.get_mut(at) {
            *done = true;
        }
        self.advance(events);
    }

    fn advance(&mut self, events: &mut Vec<Event>) {
        while let Some((waiting, done)) = self.waiting.get_mut(self.front) {
            let done = *done;
            for step in std::mem::take(waiting) {
                self.tell(step, events);
            }
            if !done {
                return;
            }
            self.front += 1;
        }
    }

    fn tell(&mut self, mut step: Event, events: &mut Vec<Event>) {
        match &mut step {
            Event::Open { index, block } => {
                *index = self.next;
                self.next += 1;
                self.called |= matches!(block.body, Body::ToolCall(_));
                self.refused |= matches!(block.body, Body::Refusal(_));
            }
            Event::Delta { index, .. } | Event::Close { index } => {
                *index = self.next.saturating_sub(1);
            }
            Event::Start { .. }
            | Event::Usage(_)
            | Event::Stop(_)
            | Event::Fail(_)
            | Event::Ping
            | Event::Foreign { .. } => {}
        }
        events.push(step);
    }
}
