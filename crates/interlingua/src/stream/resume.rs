//! Continues a streamed reply that the provider paused, with another stream.

use bytes::BytesMut;
use interlingua_dialects::{Dialect, note};
use interlingua_model::{LedgerPath, ReplyContext, StreamEvent};

use super::{Input, StreamTranslator};
use crate::continuation::CONTINUED_NOTE;

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
        self.continuation.as_ref().is_some_and(|continuation| continuation.is_paused())
    }

    /// Whether the reply could end here, even if the provider sends no more.
    pub fn can_end(&self) -> bool {
        self.ended || (self.reader.has_stop_reason() && !self.is_paused())
    }

    /// Continues with another stream of the provider, whose blocks follow those so far.
    pub fn resume(&mut self, from: &dyn Dialect, cx: &ReplyContext) {
        let partial = self.accumulator.partial_reply();
        if let Some(continuation) = &mut self.continuation {
            continuation.start_next(partial);
        }
        self.ledger.record_change(note::PAUSED_TURN, LedgerPath::REPLY, CONTINUED_NOTE);
        self.reader = from.reader(cx);
        self.list_keys = from.reply_list_keys();
        self.input = Input::Detecting { framing: from.framing(), leading_space: BytesMut::new() };
    }

    /// Ends a reply that the provider does not continue: writes the stop that was held back.
    pub fn release_stop(&mut self, out: &mut Vec<u8>) {
        let stop = self.continuation.take().and_then(|continuation| continuation.into_held_stop());
        self.events.extend(stop.map(StreamEvent::Stop));
        self.emit_events(Some(out));
    }
}
