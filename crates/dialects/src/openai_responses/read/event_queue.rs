//! Emits the events of one block at a time; events of later items are buffered.

use interlingua_model::{BlockContent, StreamEvent};

/// Events of an item without their final index, which is assigned when they are emitted.
pub(super) type UnnumberedEvents = Vec<StreamEvent>;

#[derive(Default)]
pub(super) struct EventQueue {
    /// The item that currently emits its events.
    current_item: usize,
    /// The buffered events of each item, and whether it is done.
    pending: Vec<(UnnumberedEvents, bool)>,
    next_index: u32,
    /// A buffer that is reused for the events of each frame.
    spare_buffer: UnnumberedEvents,
    pub(super) has_calls: bool,
    pub(super) has_refusal: bool,
}

impl EventQueue {
    pub(super) fn take_buffer(&mut self) -> UnnumberedEvents {
        std::mem::take(&mut self.spare_buffer)
    }

    pub(super) fn add_item(&mut self, events: &mut Vec<StreamEvent>) {
        self.pending.push((Vec::new(), false));
        self.advance(events);
    }

    /// Emits the events of item `at`, or buffers them until it is current.
    pub(super) fn push_events(
        &mut self,
        at: usize,
        mut item_events: UnnumberedEvents,
        events: &mut Vec<StreamEvent>,
    ) {
        if at == self.current_item {
            for event in item_events.drain(..) {
                self.emit(event, events);
            }
        } else if let Some((buffered, _)) = self.pending.get_mut(at) {
            buffered.append(&mut item_events);
        }
        self.spare_buffer = item_events;
    }

    pub(super) fn finish_item(&mut self, at: usize, events: &mut Vec<StreamEvent>) {
        if let Some((_, is_done)) = self.pending.get_mut(at) {
            *is_done = true;
        }
        self.advance(events);
    }

    fn advance(&mut self, events: &mut Vec<StreamEvent>) {
        while let Some((buffered, is_done)) = self.pending.get_mut(self.current_item) {
            let is_done = *is_done;
            for event in std::mem::take(buffered) {
                self.emit(event, events);
            }
            if !is_done {
                return;
            }
            self.current_item += 1;
        }
    }

    fn emit(&mut self, mut event: StreamEvent, events: &mut Vec<StreamEvent>) {
        match &mut event {
            StreamEvent::BlockStart { index, block } => {
                *index = self.next_index;
                self.next_index += 1;
                self.has_calls |= matches!(block.content, BlockContent::ToolCall(_));
                self.has_refusal |= matches!(block.content, BlockContent::Refusal(_));
            }
            StreamEvent::Delta { index, .. } | StreamEvent::BlockEnd { index } => {
                *index = self.next_index.saturating_sub(1);
            }
            StreamEvent::Start { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Stop(_)
            | StreamEvent::Error(_)
            | StreamEvent::Ping
            | StreamEvent::Foreign { .. } => {}
        }
        events.push(event);
    }
}
