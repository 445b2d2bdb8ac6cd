//! The body of what the client gets: whole, or event by event as the provider speaks.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use interlingua::Stream;
use interlingua_upstream::{self as upstream, Idle};
use serde_json::json;

use crate::awaited::Early;
use crate::captured::Stage;
use crate::config::Config;
use crate::paused::Paused;
use crate::recent::Events;
use crate::refusal::stopped;
use crate::remembered::Settling;
use crate::tale::Tale;

pub(crate) enum Out {
    Whole(Bytes),
    Stream(Box<Streaming>),
    Events(Box<Events>),
    Early(Box<Early>),
}

/// A streamed answer. It owns the provider's body: when the client leaves, the provider's connection
/// is closed, and when the client does not read, the provider's is not read either.
pub(crate) struct Streaming {
    source: Option<upstream::Body>,
    stream: Stream,
    /// Written by the road, and not yet taken by the client.
    ready: Vec<u8>,
    /// With so much of that, nothing more is read.
    enough: usize,
    /// How often that was left waiting, for what the provider's connection has read and not yet given.
    waited: u8,
    burst: Burst,
    /// Where the provider may pause the turn.
    pub(crate) paused: Option<Box<Paused>>,
    /// How long nothing was sent.
    quiet: Idle,
    /// The provider has said why it ends, and may have more to say.
    lingers: bool,
    /// What is kept of the reply is being written down; its end waits for that.
    settling: Option<Settling>,
    /// Nobody waits for its end any longer.
    over: Arc<AtomicBool>,
    tale: Tale,
}

impl Streaming {
    /// Goes on with a stream of which some was read already.
    pub(crate) fn new(
        source: Option<upstream::Body>,
        stream: Stream,
        ready: Vec<u8>,
        config: &Config,
        over: &Arc<AtomicBool>,
        mut tale: Tale,
    ) -> Self {
        let enough = ENOUGH.min(config.limits.buffer);
        let quiet = Idle::new(config.timeouts.heartbeat);
        tale.begins(Stage::ClientReply, || json!({"status": 200}), None);
        Self {
            source,
            stream,
            ready,
            enough,
            waited: 0,
            burst: Burst::default(),
            paused: None,
            quiet,
            lingers: false,
            settling: None,
            over: Arc::clone(over),
            tale,
        }
    }

    /// Reads what the provider has sent by now, or waits for more. Of many events that came together the
    /// connection gives one after the other, each time that its turn comes: where there may be more, it gets
    /// a turn before something is sent, so that what came together leaves together.
    fn poll_source(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.stream.is_paused() {
                if !self.ready.is_empty() {
                    return Poll::Ready(());
                }
                std::task::ready!(self.poll_next(context));
            }
            let Some(source) = &mut self.source else { return Poll::Ready(()) };
            match Pin::new(&mut *source).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    if std::mem::take(&mut self.waited) > 0 {
                        self.burst.came();
                    }
                    if let Ok(data) = frame.into_data() {
                        self.tale.passes(Stage::ProviderReply, &data);
                        self.stream.push(&data, &mut self.ready);
                    }
                    // Whoever has taken this asks again.
                    let is_all = source.is_drained() && !self.ready.is_empty();
                    if is_all || self.ready.len() >= self.enough {
                        return Poll::Ready(());
                    }
                }
                Poll::Ready(Some(Err(failure))) => {
                    self.stream.fail(failure, &mut self.ready);
                    self.source = None;
                }
                Poll::Ready(None) => {
                    self.stream.finish(&mut self.ready);
                    self.source = None;
                }
                Poll::Pending if self.ready.is_empty() => return Poll::Pending,
                Poll::Pending if self.waited == 0 && !self.burst.is_tried() => {
                    return Poll::Ready(());
                }
                Poll::Pending if self.waited == ASKED => {
                    self.burst.stayed_away();
                    return Poll::Ready(());
                }
                Poll::Pending => {
                    self.waited += 1;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
        }
    }

    /// Goes on with a reply that the provider has paused, or leaves it there.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.source = None;
        let said = &self.stream.so_far().turn;
        let next = self.paused.as_mut().map(|on| on.poll_next(said, Some(&mut self.tale), context));
        match (next.map_or(Poll::Ready(None), |next| next), &self.paused) {
            (Poll::Pending, _) => return Poll::Pending,
            (Poll::Ready(Some(answer)), Some(paused)) => {
                self.source = Some(answer.body);
                self.stream.goes_on(paused.to, &paused.exchange);
            }
            _ => self.stream.stays(&mut self.ready),
        }
        Poll::Ready(())
    }

    /// Gives out what is ready; the end of a reply when it is kept.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Frame<Bytes>> {
        // Before the client has the call it cannot send it back.
        self.tale.found(&self.stream.findings());
        if self.stream.has_ended()
            && self.stream.failure().is_none()
            && let Some(settling) = self.tale.keeps(self.stream.so_far(), None)
        {
            self.settling = Some(settling);
        }
        if let Some(settling) = &mut self.settling {
            std::task::ready!(settling.as_mut().poll(context));
            self.settling = None;
        }
        Poll::Ready(self.send())
    }

    /// Says a word where nothing was sent for long, or is done where everything was.
    fn poll_quiet(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.lingers && self.stream.has_stopped() && !self.stream.has_ended() {
            self.lingers = true;
            self.quiet = Idle::new(LINGERING);
        }
        std::task::ready!(self.quiet.poll(context));
        if self.stream.has_stopped() {
            // A provider that stays without a word has said all that the client gets of it.
            if self.source.take().is_some() {
                self.stream.finish(&mut self.ready);
            }
            if self.ready.is_empty() {
                return Poll::Ready(None);
            }
            return self.poll_send(context).map(|frame| Some(Ok(frame)));
        }
        self.stream.ping(&mut self.ready);
        if self.ready.is_empty() {
            // The dialect has nothing to say between events; the timer must be heard again.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.poll_send(context).map(|frame| Some(Ok(frame)))
    }

    fn send(&mut self) -> Frame<Bytes> {
        self.quiet.heard();
        self.tale.sent(self.stream.has_begun());
        if self.stream.has_ended() {
            // The client has everything; the provider gets a moment to close, for its connection.
            self.quiet.limit(CLOSING);
        }
        let next = Vec::with_capacity(USUAL);
        let bytes = std::mem::replace(&mut self.ready, next).into();
        self.tale.passes(Stage::ClientReply, &bytes);
        Frame::data(bytes)
    }
}

/// Whether it is worth while to look for more before something is sent: the less often there was any, the
/// less often.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    /// So many are sent without a look.
    skipped: u8,
    /// So many are after the next look that finds nothing.
    next: u8,
}

impl Burst {
    fn is_tried(&mut self) -> bool {
        let tried = self.skipped == 0;
        self.skipped = self.skipped.saturating_sub(1);
        tried
    }

    fn came(&mut self) {
        *self = Self::default();
    }

    fn stayed_away(&mut self) {
        self.skipped = self.next;
        self.next = (self.next * 2 + 1).min(MOST_SKIPPED);
    }
}

impl Body for Streaming {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let goes_on = this.stream.is_paused();
        if this.over.load(Ordering::Relaxed) && (this.source.take().is_some() || goes_on) {
            this.stream.fail(stopped(), &mut this.ready);
            this.waited = 0;
        }
        if this.waited > 0 || this.ready.is_empty() {
            match this.poll_source(context) {
                Poll::Ready(()) => this.waited = 0,
                Poll::Pending if this.waited > 0 => return Poll::Pending,
                Poll::Pending => return this.poll_quiet(context),
            }
            if this.ready.is_empty() {
                return Poll::Ready(None);
            }
        }
        this.poll_send(context).map(|frame| Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.source.is_none() && self.ready.is_empty() && !self.stream.is_paused()
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        let whole = self.source.is_none() && !self.stream.is_paused();
        self.tale.streamed(&self.stream, whole);
    }
}

impl Body for Out {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream(stream) => Pin::new(stream.as_mut()).poll_frame(context),
            Self::Events(events) => events.poll_frame(context),
            Self::Early(early) => early.poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Stream(stream) => stream.is_end_stream(),
            Self::Events(_) => false,
            Self::Early(early) => early.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(_) | Self::Events(_) | Self::Early(_) => SizeHint::default(),
        }
    }
}

/// How often the client's connection asks for more each time that its turn comes: when it has asked once
/// more, the provider's had a turn, too.
const ASKED: u8 = 2;
/// As many events go out alone before it is seen that they come together.
const MOST_SKIPPED: u8 = 31;
/// What is sent at once at most, of a provider that is faster than that.
const ENOUGH: usize = 16 * 1024;
/// Room for an event or two of most dialects.
const USUAL: usize = 512;
/// The provider gets so long to close.
pub(crate) const CLOSING: Duration = Duration::from_millis(200);
/// It gets so long to say what the reply has cost, and that it is over.
pub(crate) const LINGERING: Duration = Duration::from_secs(3);
