//! Continues a streamed reply that the provider paused, with another stream.

use bytes::BytesMut;
use interlingua_dialects::{Dialect, note};
use interlingua_model::{
    BlockContent, LedgerPath, ReplyContext, Stop, StopReason, StreamEvent, Usage,
};

use super::{Input, StreamTranslator};
use crate::continuation::CONTINUED_NOTE;

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
}

impl StreamTranslator {
    /// Holds back the end of a reply that the provider paused. If [`StreamTranslator::is_paused`]
    /// returns true, the caller either continues it with [`StreamTranslator::resume`] or ends it
    /// with [`StreamTranslator::release_stop`].
    #[must_use]
    pub fn with_continuation(mut self) -> Self {
        self.continuation = Some(Box::default());
        self
    }

    /// Whether the provider paused the reply and its stop is held back.
    pub fn is_paused(&self) -> bool {
        self.continuation.as_ref().is_some_and(|continuation| continuation.held_stop.is_some())
    }

    /// Whether the reply could end here, even if the provider sends no more.
    pub fn can_end(&self) -> bool {
        self.ended || (self.reader.has_stop_reason() && !self.is_paused())
    }

    /// Continues with another stream of the provider, whose blocks follow those so far.
    pub fn resume(&mut self, from: &dyn Dialect, cx: &ReplyContext) {
        let partial = self.accumulator.partial_reply();
        if let Some(continuation) = &mut self.continuation {
            continuation.held_stop = None;
            continuation.block_offset = Some(partial.turn.blocks.len() as u32);
            (continuation.usage_before, continuation.usage_now) =
                (partial.usage.clone(), Usage::default());
        }
        self.ledger.record_change(note::PAUSED_TURN, LedgerPath::REPLY, CONTINUED_NOTE);
        self.reader = from.reader(cx);
        self.list_keys = from.reply_list_keys();
        self.input = Input::Detecting { framing: from.framing(), leading_space: BytesMut::new() };
    }

    /// Ends a reply that the provider does not continue: writes the stop that was held back.
    pub fn release_stop(&mut self, out: &mut Vec<u8>) {
        let stop = self.continuation.take().and_then(|continuation| continuation.held_stop);
        self.events.extend(stop.map(StreamEvent::Stop));
        self.emit_events(Some(out));
    }
}
