//! The HTTP response of a provider, and its streaming body.

use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderValue;
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use interlingua::ApiError;

use crate::ResponseHeaders;
use crate::client_pool::PooledClient;
use crate::error::{UpstreamError, to_api_error};
use crate::http1::Http1Body;
use crate::idle_timer::IdleTimer;
use crate::redaction::{BodyRedactor, Redactor};

/// The HTTP response of a provider, with any status.
pub struct UpstreamResponse {
    pub status: u16,
    pub headers: ResponseHeaders,
    pub body: UpstreamBody,
}

/// The body of a response, with an idle timeout. Dropping it cancels the call.
pub struct UpstreamBody {
    inner: BodyInner,
    idle_timer: IdleTimer,
    provider_name: String,
    is_done: bool,
    /// The pooled client, counted as busy while the body lasts.
    client: Option<Arc<PooledClient>>,
    /// Overwrites the provider's secrets; boxed, because bodies are moved often.
    redactor: Option<Box<BodyRedactor>>,
}

enum BodyInner {
    Pooled(Incoming),
    Http1(Http1Body),
    Boxed(UnsyncBoxBody<Bytes, Box<dyn Error + Send + Sync>>),
}

impl UpstreamBody {
    /// Wraps a body that was made in this process.
    pub fn new<B>(body: B) -> Self
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let inner = BodyInner::Boxed(body.map_err(Into::into).boxed_unsync());
        Self::from_inner(inner, NO_IDLE_TIMEOUT, String::new(), None)
    }

    pub(crate) fn pooled(
        body: Incoming,
        idle: Duration,
        name: String,
        pooled_client: Arc<PooledClient>,
    ) -> Self {
        Self::from_inner(BodyInner::Pooled(body), idle, name, Some(pooled_client))
    }

    pub(crate) fn http1(body: Http1Body, idle: Duration, name: String) -> Self {
        Self::from_inner(BodyInner::Http1(body), idle, name, None)
    }

    fn from_inner(
        inner: BodyInner,
        limit: Duration,
        provider_name: String,
        client: Option<Arc<PooledClient>>,
    ) -> Self {
        let idle_timer = IdleTimer::new(limit);
        Self { inner, idle_timer, provider_name, is_done: false, client, redactor: None }
    }

    /// Overwrites these secrets in the body.
    pub(crate) fn redact(mut self, redactor: Arc<Redactor>, headers: &ResponseHeaders) -> Self {
        let content_type = headers.content_type().map(HeaderValue::as_bytes).unwrap_or_default();
        let has_aws_messages = content_type
            .get(..AWS_EVENT_STREAM.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(AWS_EVENT_STREAM));
        self.redactor = Some(Box::new(BodyRedactor::new(redactor, has_aws_messages)));
        self
    }

    /// Reads the whole body, up to `limit` bytes.
    pub async fn collect(mut self, limit: usize) -> Result<Bytes, ApiError> {
        let too_large =
            |body: &Self| to_api_error(&body.provider_name, &UpstreamError::BodyTooLarge(limit));
        let Some(first) = self.chunk().await.transpose()? else { return Ok(Bytes::new()) };
        if first.len() > limit {
            return Err(too_large(&self));
        }
        let Some(second) = self.chunk().await.transpose()? else { return Ok(first) };
        let mut collected = BytesMut::from(first);
        let mut next = Some(second);
        while let Some(chunk) = next {
            if chunk.len() > limit - collected.len() {
                return Err(too_large(&self));
            }
            collected.extend_from_slice(&chunk);
            next = self.chunk().await.transpose()?;
        }
        Ok(collected.freeze())
    }

    /// Returns the next bytes; `None` at the end, which also follows an error.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, ApiError>> {
        loop {
            match self.frame().await? {
                Ok(frame) => match frame.into_data() {
                    Ok(data) if data.is_empty() => {}
                    Ok(data) => return Some(Ok(data)),
                    // Trailers have no meaning in any dialect.
                    Err(_) => {}
                },
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Whether all received bytes were returned, as far as this is known without a system call.
    /// False for HTTP/2, where another task may hold more.
    pub fn is_buffer_empty(&self) -> bool {
        if self.redactor.as_ref().is_some_and(|redactor| redactor.is_ready()) {
            return false;
        }
        match &self.inner {
            BodyInner::Http1(body) => body.is_buffer_empty(),
            BodyInner::Pooled(_) | BodyInner::Boxed(_) => false,
        }
    }

    /// As [`UpstreamBody::poll_inner`], with the secrets overwritten and without trailers.
    fn poll_redacted(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ApiError>>> {
        loop {
            let Some(redactor) = &mut self.redactor else { return self.poll_inner(context) };
            if let Some(data) = redactor.pop() {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
            if let Some(end) = redactor.take_end() {
                return Poll::Ready(end.err().map(Err));
            }
            let frame = ready!(self.poll_inner(context));
            let Some(redactor) = &mut self.redactor else { return Poll::Ready(frame) };
            match frame {
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data()
                        && let Some(redacted) = redactor.push(data)
                    {
                        return Poll::Ready(Some(Ok(Frame::data(redacted))));
                    }
                }
                Some(Err(error)) => redactor.finish(Err(error)),
                None => redactor.finish(Ok(())),
            }
        }
    }

    fn poll_inner(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ApiError>>> {
        let polled = match &mut self.inner {
            BodyInner::Pooled(body) => Pin::new(body).poll_frame(context).map(|frame| {
                frame.map(|frame| {
                    frame.map_err(|_| {
                        to_api_error(&self.provider_name, &UpstreamError::IncompleteBody)
                    })
                })
            }),
            BodyInner::Http1(body) => body.poll_data(context).map(|data| {
                let to_error = |error: UpstreamError| to_api_error(&self.provider_name, &error);
                data.map(|data| data.map(Frame::data).map_err(to_error))
            }),
            BodyInner::Boxed(body) => Pin::new(body).poll_frame(context).map(|frame| {
                frame.map(|frame| frame.map_err(|error| body_error(&self.provider_name, error)))
            }),
        };
        match polled {
            Poll::Ready(frame) => {
                self.idle_timer.record_activity();
                Poll::Ready(frame)
            }
            Poll::Pending => {
                let limit = ready!(self.idle_timer.poll_elapsed(context));
                Poll::Ready(Some(Err(to_api_error(
                    &self.provider_name,
                    &UpstreamError::IdleTimeout(limit),
                ))))
            }
        }
    }
}

/// Converts an error of a boxed body, which may be an API error already.
fn body_error(name: &str, error: Box<dyn Error + Send + Sync>) -> ApiError {
    match error.downcast::<ApiError>() {
        Ok(api_error) => *api_error,
        Err(_) => to_api_error(name, &UpstreamError::IncompleteBody),
    }
}

impl http_body::Body for UpstreamBody {
    type Data = Bytes;
    type Error = ApiError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ApiError>>> {
        if self.is_done {
            return Poll::Ready(None);
        }
        let frame = ready!(self.poll_redacted(context));
        self.is_done = !matches!(frame, Some(Ok(_)));
        if self.is_done {
            self.client = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        let is_inner_end = || match &self.inner {
            BodyInner::Pooled(body) => body.is_end_stream(),
            BodyInner::Http1(body) => body.is_end(),
            BodyInner::Boxed(body) => body.is_end_stream(),
        };
        let has_held_bytes = self.redactor.as_ref().is_some_and(|redactor| !redactor.is_empty());
        self.is_done || (!has_held_bytes && is_inner_end())
    }

    fn size_hint(&self) -> SizeHint {
        if self.redactor.as_ref().is_some_and(|redactor| !redactor.is_empty()) {
            return SizeHint::default();
        }
        match &self.inner {
            BodyInner::Pooled(body) => body.size_hint(),
            BodyInner::Http1(body) => {
                body.remaining_len().map(SizeHint::with_exact).unwrap_or_default()
            }
            BodyInner::Boxed(body) => body.size_hint(),
        }
    }
}

impl From<Bytes> for UpstreamBody {
    fn from(bytes: Bytes) -> Self {
        Self::new(Full::new(bytes))
    }
}

impl fmt::Debug for UpstreamBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamBody")
            .field("provider_name", &self.provider_name)
            .field("is_done", &self.is_done)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for UpstreamResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamResponse")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .field("body", &self.body)
            .finish()
    }
}

/// Bodies that are made in this process have no idle timeout.
const NO_IDLE_TIMEOUT: Duration = Duration::MAX;
const AWS_EVENT_STREAM: &[u8] = b"application/vnd.amazon.eventstream";
