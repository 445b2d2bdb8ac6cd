//! Adjusts the events of a reply that spans several streams, because the provider paused it.

use interlingua_model::{BlockContent, Reply, Stop, StopReason, StreamEvent, Usage};

/// State of a reply that spans several provider streams.
#[derive(Debug, Default)]
pub(super) struct Continuation {
    /// The stop that is held back from the client.
    held_stop: Option<Stop>,
    /// Number of blocks in earlier streams, added to indices; `None` for the first stream.
    block_offset: Option<u32>,
    /// Usage of the earlier streams and of the current one.
    usage_before: Usage,
    usage_now: Usage,
    /// The reply has a call that the client must answer, so it cannot be continued.
    has_client_calls: bool,
}

impl Continuation {
    /// Adjusts the next events so that they continue the reply, up to a pause.
    pub(super) fn apply(&mut self, events: &mut Vec<StreamEvent>) {
        events.retain_mut(|event| self.held_stop.is_none() && self.adjust(event));
    }

    fn adjust(&mut self, event: &mut StreamEvent) -> bool {
        let offset = self.block_offset.unwrap_or(0);
        match event {
            StreamEvent::Start { .. } => return self.block_offset.is_none(),
            StreamEvent::BlockStart { index, block } => {
                self.has_client_calls |= matches!(block.content, BlockContent::ToolCall(_));
                *index += offset;
            }
            StreamEvent::Delta { index, .. } | StreamEvent::BlockEnd { index } => *index += offset,
            StreamEvent::Usage(usage) if self.block_offset.is_some() => {
                self.usage_now.update(usage);
                usage.clone_from(&self.usage_before);
                usage.add(&self.usage_now);
            }
            StreamEvent::Stop(stop)
                if stop.reason == StopReason::Pause && !self.has_client_calls =>
            {
                self.held_stop = Some(stop.clone());
                return false;
            }
            _ => {}
        }
        true
    }

    /// Whether the provider paused the reply, whose stop is held back.
    pub(super) fn is_paused(&self) -> bool {
        self.held_stop.is_some()
    }

    /// Begins the next stream, whose blocks follow those of the reply so far.
    pub(super) fn start_next(&mut self, partial: &Reply) {
        self.held_stop = None;
        self.block_offset = Some(partial.turn.blocks.len() as u32);
        (self.usage_before, self.usage_now) = (partial.usage.clone(), Usage::default());
    }

    pub(super) fn into_held_stop(self) -> Option<Stop> {
        self.held_stop
    }
}
