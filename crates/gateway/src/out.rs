//! The body of what the client gets: whole, or event by event as the provider speaks.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use interlingua::Stream;
use interlingua_upstream::{self as upstream, Idle};
use serde_json::json;

use crate::captured::Stage;
use crate::config::Config;
use crate::remembered::Settling;
use crate::tale::Tale;

pub(crate) enum Out {
    Whole(Bytes),
    Stream(Box<Streaming>),
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
    /// It was left waiting once, for what the provider's connection has read and not yet given.
    gathers: bool,
    /// How long nothing was sent.
    quiet: Idle,
    /// What is kept of the reply is being written down; its end waits for that.
    settling: Option<Settling>,
    tale: Tale,
}

impl Streaming {
    /// Goes on with a stream of which some was read already.
    pub(crate) fn new(
        source: Option<upstream::Body>,
        stream: Stream,
        ready: Vec<u8>,
        config: &Config,
        mut tale: Tale,
    ) -> Self {
        let enough = ENOUGH.min(config.limits.buffer);
        let quiet = Idle::new(config.timeouts.heartbeat);
        tale.begins(Stage::ClientReply, || json!({"status": 200}), None);
        Self { source, stream, ready, enough, gathers: false, quiet, settling: None, tale }
    }

    /// Reads what the provider has sent by now, or waits for more. Of many events that came together the
    /// connection gives one after the other, each time that its turn comes: with something at hand, it gets a
    /// turn before that is sent, so that what came together leaves together.
    fn poll_source(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Some(source) = &mut self.source {
            match Pin::new(source).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    self.gathers = false;
                    if let Ok(data) = frame.into_data() {
                        self.tale.passes(Stage::ProviderReply, &data);
                        self.stream.push(&data, &mut self.ready);
                    }
                    if self.ready.len() >= self.enough {
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
                Poll::Pending if self.gathers => return Poll::Ready(()),
                Poll::Pending => {
                    self.gathers = true;
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
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
        std::task::ready!(self.quiet.poll(context));
        if self.stream.has_ended() {
            self.source = None;
            return Poll::Ready(None);
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

impl Body for Streaming {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if this.gathers || this.ready.is_empty() {
            match this.poll_source(context) {
                Poll::Ready(()) => this.gathers = false,
                Poll::Pending if this.gathers => return Poll::Pending,
                Poll::Pending => return this.poll_quiet(context),
            }
            if this.ready.is_empty() {
                return Poll::Ready(None);
            }
        }
        this.poll_send(context).map(|frame| Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.source.is_none() && self.ready.is_empty()
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.tale.streamed(&self.stream, self.source.is_none());
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
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Stream(stream) => stream.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

/// What is sent at once at most, of a provider that is faster than that.
const ENOUGH: usize = 16 * 1024;
/// Room for an event or two of most dialects.
const USUAL: usize = 512;
const CLOSING: Duration = Duration::from_millis(200);
