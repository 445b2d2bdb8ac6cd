//! A provider's answer, and its body as it comes.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use interlingua::Failure;

use crate::Headers;
use crate::error::{Trouble, failure};
use crate::idle::Idle;
use crate::lanes::Lane;
use crate::plain::PlainBody;

/// What a provider answered, with whatever status.
pub struct Answer {
    pub status: u16,
    pub headers: Headers,
    pub body: Body,
}

/// The body of an answer. Dropping it ends the call.
pub struct Body {
    source: Source,
    idle: Idle,
    name: String,
    over: bool,
    /// Held while the call lasts.
    lane: Option<Arc<Lane>>,
}

enum Source {
    Shared(Incoming),
    Plain(PlainBody),
    Other(UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>),
}

impl Body {
    /// A body from elsewhere than the network, for answers that are made in this process.
    pub fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let source = Source::Other(body.map_err(Into::into).boxed_unsync());
        Self::from_source(source, NEVER, String::new(), None)
    }

    pub(crate) fn shared(body: Incoming, idle: Duration, name: String, lane: Arc<Lane>) -> Self {
        Self::from_source(Source::Shared(body), idle, name, Some(lane))
    }

    pub(crate) fn plain(body: PlainBody, idle: Duration, name: String) -> Self {
        Self::from_source(Source::Plain(body), idle, name, None)
    }

    fn from_source(source: Source, limit: Duration, name: String, lane: Option<Arc<Lane>>) -> Self {
        Self { source, idle: Idle::new(limit), name, over: false, lane }
    }

    /// All of it, unless it is larger than so many bytes.
    pub async fn whole(mut self, limit: usize) -> Result<Bytes, Failure> {
        let too_large = |body: &Self| failure(&body.name, &Trouble::TooLarge(limit));
        let Some(first) = self.chunk().await.transpose()? else { return Ok(Bytes::new()) };
        if first.len() > limit {
            return Err(too_large(&self));
        }
        let Some(second) = self.chunk().await.transpose()? else { return Ok(first) };
        let mut whole = BytesMut::from(first);
        let mut next = Some(second);
        while let Some(chunk) = next {
            if chunk.len() > limit - whole.len() {
                return Err(too_large(&self));
            }
            whole.extend_from_slice(&chunk);
            next = self.chunk().await.transpose()?;
        }
        Ok(whole.freeze())
    }

    /// The next bytes; `None` at the end. An error is the end, too.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Failure>> {
        loop {
            match self.frame().await? {
                Ok(frame) => match frame.into_data() {
                    Ok(data) if data.is_empty() => {}
                    Ok(data) => return Some(Ok(data)),
                    // Trailers say nothing that any dialect knows.
                    Err(_) => {}
                },
                Err(failure) => return Some(Err(failure)),
            }
        }
    }

    /// Whether all that has come by now was given, as far as one can tell without asking the network. On a
    /// connection that is shared, some other task may have more.
    pub fn is_drained(&self) -> bool {
        match &self.source {
            Source::Plain(body) => body.is_drained(),
            Source::Shared(_) | Source::Other(_) => false,
        }
    }

    fn poll_source(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        let polled = match &mut self.source {
            Source::Shared(body) => Pin::new(body).poll_frame(context).map(|frame| {
                frame.map(|frame| frame.map_err(|_| failure(&self.name, &Trouble::CutShort)))
            }),
            Source::Plain(body) => body.poll(context).map(|data| {
                let told = |trouble: Trouble| failure(&self.name, &trouble);
                data.map(|data| data.map(Frame::data).map_err(told))
            }),
            Source::Other(body) => Pin::new(body)
                .poll_frame(context)
                .map(|frame| frame.map(|frame| frame.map_err(|error| told(&self.name, error)))),
        };
        match polled {
            Poll::Ready(frame) => {
                self.idle.heard();
                Poll::Ready(frame)
            }
            Poll::Pending => {
                let limit = ready!(self.idle.poll(context));
                Poll::Ready(Some(Err(failure(&self.name, &Trouble::Idle(limit)))))
            }
        }
    }
}

/// What was wrong with a body from elsewhere, if it says so in our words.
fn told(name: &str, error: Box<dyn Error + Send + Sync>) -> Failure {
    match error.downcast::<Failure>() {
        Ok(failure) => *failure,
        Err(_) => failure(name, &Trouble::CutShort),
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        if self.over {
            return Poll::Ready(None);
        }
        let frame = ready!(self.poll_source(context));
        self.over = !matches!(frame, Some(Ok(_)));
        if self.over {
            self.lane = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.over
            || match &self.source {
                Source::Shared(body) => body.is_end_stream(),
                Source::Plain(body) => body.is_over(),
                Source::Other(body) => body.is_end_stream(),
            }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Shared(body) => body.size_hint(),
            Source::Plain(body) => body.left().map(SizeHint::with_exact).unwrap_or_default(),
            Source::Other(body) => body.size_hint(),
        }
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self::new(Full::new(bytes))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("name", &self.name)
            .field("over", &self.over)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .field("body", &self.body)
            .finish()
    }
}

/// Longer than any clock: what is made in this process is not timed.
const NEVER: Duration = Duration::MAX;
