//! Sends the head and heartbeats to the client while the provider has sent no content yet.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http::header::{CONNECTION, HeaderMap, HeaderValue};
use http_body::{Body, Frame};
use interlingua::{ApiError, Dialect, Ledger, stream_writer};
use interlingua_model::{ApiErrorKind, ReplyContext, StreamEvent};
use interlingua_upstream::IdleTimer;
use metrics::counter;
use uuid::Uuid;

use crate::client_name::shortened;
use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::{ErrorResponse, error_kind_name, failure, shutdown_error};
use crate::http_util::respond::{TEXT_EVENT_STREAM, set_stream_headers, set_turn_id_headers};
use crate::proxy::request::StreamStart;

pub(crate) type ResponseFuture = Pin<Box<dyn Future<Output = DispatchedResponse> + Send>>;

/// The response to a request, or why it was rejected.
pub(crate) struct DispatchedResponse {
    pub(crate) result: Result<Response<ResponseBody>, ApiError>,
    /// Otherwise the rest of the body would be taken for the next request.
    pub(crate) is_body_read: bool,
}

/// A response in progress, with the state that is needed to send heartbeats for it.
pub(crate) struct PendingResponse {
    pub(crate) response: ResponseFuture,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) stream_start: Arc<StreamStart>,
    /// The shutdown drain time is over: end with an error.
    pub(crate) drain_expired: Arc<AtomicBool>,
    pub(crate) heartbeat_interval: Duration,
    pub(crate) heartbeat_timer: Option<IdleTimer>,
    pub(crate) peer: IpAddr,
}

/// The body after an early head: heartbeats, then the real response body.
struct HeartbeatBody {
    pending: PendingResponse,
    /// The first heartbeat is sent immediately after the head.
    first_sent: bool,
    body: Option<ResponseBody>,
}

impl PendingResponse {
    /// The response, or an early head with heartbeats if it takes longer than the heartbeat
    /// interval, or if a provider's reply has begun without content.
    pub(crate) async fn respond(mut self) -> Response<ResponseBody> {
        match poll_fn(|cx| self.poll_head(cx)).await {
            Some(response) => response,
            None => self.into_early_response(),
        }
    }

    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Option<Response<ResponseBody>>> {
        if let Poll::Ready(response) = self.poll_response(cx) {
            return Poll::Ready(Some(response));
        }
        if self.stream_start.headers.get().is_some() {
            return Poll::Ready(None);
        }
        if self.stream_start.turn_id.get().is_some() && self.dialect.heartbeat_extends_timeout() {
            return self.poll_heartbeat(cx).map(|()| None);
        }
        Poll::Pending
    }

    fn poll_heartbeat(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let timer =
            self.heartbeat_timer.get_or_insert_with(|| IdleTimer::new(self.heartbeat_interval));
        timer.poll_elapsed(cx).map(|_| ())
    }

    fn poll_response(&mut self, cx: &mut Context<'_>) -> Poll<Response<ResponseBody>> {
        let rejected = |error| ErrorResponse::from(error).into_response(self.dialect);
        if self.drain_expired.load(Ordering::Relaxed) {
            return Poll::Ready(rejected(shutdown_error()));
        }
        // A panic fails this request only, not the worker thread.
        let (mut response, is_body_read) =
            match catch_unwind(AssertUnwindSafe(|| self.response.as_mut().poll(cx))) {
                Ok(Poll::Ready(DispatchedResponse { result: Ok(response), is_body_read })) => {
                    (response, is_body_read)
                }
                Ok(Poll::Ready(DispatchedResponse { result: Err(error), is_body_read })) => {
                    log_rejected(&error, self.peer);
                    (rejected(error), is_body_read)
                }
                Ok(Poll::Pending) => return Poll::Pending,
                Err(_) => {
                    tracing::error!("a request handler panicked; the client gets an error");
                    let message = "internal error of the gateway";
                    (rejected(failure(ApiErrorKind::ServerError, message)), false)
                }
            };
        if !is_body_read {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        Poll::Ready(response)
    }

    fn into_early_response(self) -> Response<ResponseBody> {
        let turn = self.stream_start.turn_id.get().map(Uuid::to_string);
        let begun = self.stream_start.headers.get().map(|headers| HeaderMap::clone(headers));
        let mut response = Response::new(ResponseBody::stream(HeartbeatBody {
            pending: self,
            first_sent: false,
            body: None,
        }));
        let headers = response.headers_mut();
        *headers = begun.unwrap_or_default();
        set_stream_headers(headers, TEXT_EVENT_STREAM);
        set_turn_id_headers(headers, &turn.unwrap_or_default());
        response
    }

    /// The rest of the response after an early head: the body, or an error event because the status
    /// line was already sent.
    fn body_after_head(&self, response: Response<ResponseBody>) -> ResponseBody {
        if response.status().is_success() {
            return response.into_body();
        }
        let known_error = response.extensions().get::<ApiError>().cloned();
        let error = known_error
            .unwrap_or_else(|| failure(ApiErrorKind::ServerError, "the gateway has no response"));
        let mut out = Vec::new();
        let event = StreamEvent::Error(Box::new(error));
        let mut writer = stream_writer(self.dialect, &ReplyContext::default());
        writer.write(&event, &mut out, &mut Ledger::default());
        ResponseBody::Full(out.into())
    }
}

impl Body for HeartbeatBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if this.body.is_none()
            && let Poll::Ready(response) = this.pending.poll_response(cx)
        {
            this.body = Some(this.pending.body_after_head(response));
        }
        if let Some(body) = &mut this.body {
            return Pin::new(body).poll_frame(cx);
        }
        if std::mem::replace(&mut this.first_sent, true) {
            ready!(this.pending.poll_heartbeat(cx));
        }
        let heartbeat = Bytes::from_static(this.pending.dialect.heartbeat_bytes());
        Poll::Ready(Some(Ok(Frame::data(heartbeat))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_some_and(ResponseBody::is_end_stream)
    }
}

/// Counts and logs a request that was rejected before it became a turn.
fn log_rejected(error: &ApiError, peer: IpAddr) {
    let (kind, status) = (error_kind_name(error.kind), error.status);
    counter!("interlingua_refused_total", "kind" => kind).increment(1);
    let message = error.message.unescape();
    let why = shortened(&message);
    tracing::info!(%peer, kind, status, why, "refused");
}
