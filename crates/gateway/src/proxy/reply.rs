//! Turns a provider's successful reply into the client's response: streamed or whole, in the
//! client's dialect.

use std::time::Duration;

use bytes::{Buf as _, Bytes};
use http::Response;
use http::header::{CONTENT_TYPE, HeaderName};
use interlingua::{
    ApiError, DecodedReply, Dialect, Ledger, ReplyContext, ReplyError, StreamTranslator,
    TranslatedReply, decode_reply_with_limits, encode_reply, encode_reply_as_stream,
};
use interlingua_guard::{CallChecker, Finding};
use interlingua_model::{ApiErrorKind, Reply, Stop, StopReason};
use interlingua_upstream::UpstreamBody;
use tokio::time::{Instant, sleep_until, timeout};

use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::http_util::respond::{APPLICATION_JSON, TEXT_EVENT_STREAM, set_stream_headers};
use crate::proxy::call_provider::looks_like_sse;
use crate::proxy::continue_turn::TurnContinuation;
use crate::proxy::early_head::{EarlyHead, EarlyHeadStep};
use crate::proxy::limits;
use crate::proxy::provider_error::{AttemptError, ErrorCause};
use crate::proxy::request::RoutedRequest;
use crate::proxy::request_log::{RequestLog, capture_provider_bytes, set_repairs_header};
use crate::proxy::stream_body::{CLOSE_GRACE, LINGER_TIMEOUT, StartedStream};
use crate::services::guard;

/// A provider's reply with status 200, and what is needed to translate it.
pub(crate) struct ProviderReply<'o> {
    pub(crate) request: &'o RoutedRequest<'o>,
    pub(crate) provider_dialect: &'static dyn Dialect,
    pub(crate) exchange: Box<ReplyContext>,
    pub(crate) ledger: Ledger,
    pub(crate) body: UpstreamBody,
    pub(crate) watch: Option<CallChecker>,
    /// Continues the turn if the provider pauses it.
    pub(crate) continuation: Option<Box<TurnContinuation>>,
    /// No further attempt follows: even a malformed tool call goes to the client.
    pub(crate) is_last_attempt: bool,
}

impl ProviderReply<'_> {
    /// Streams a streamed reply. It is not passed on before its first content, so that a provider
    /// that fails before it can be replaced. A client that takes heartbeats gets the head and
    /// heartbeats meanwhile; for another one, the wait is at most [`FIRST_CONTENT_WAIT`].
    pub(crate) async fn forward_stream(
        &mut self,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let mut stream = self.stream_translator();
        if log.as_ref().is_some_and(|log| log.session_recorder.is_some()) {
            stream = stream.with_held_end();
        }
        let mut stream = Box::new(stream);
        let mut output = Vec::new();
        let mut head = EarlyHead::new(self.request);
        let timer = sleep_until(head.last_wait);
        tokio::pin!(timer);
        let mut is_timed = true;
        let (mut ended, mut connection_error) = (false, None);
        while !stream.has_content() && !stream.has_ended() && !ended {
            tokio::select! {
                chunk = self.body.chunk() => match chunk {
                    Some(Ok(chunk)) => {
                        capture_provider_bytes(log, &chunk);
                        stream.push(&chunk, &mut output);
                        if !stream.has_content()
                            && let Some(deadline) = head.schedule()
                        {
                            timer.as_mut().reset(deadline);
                            is_timed = true;
                        }
                    }
                    Some(Err(error)) => {
                        connection_error = Some(error.clone());
                        stream.fail(error, &mut output);
                    }
                    None => {
                        stream.finish(&mut output);
                        ended = true;
                    }
                },
                () = &mut timer, if is_timed => {
                    let (step, next) = head.advance(Instant::now());
                    match step {
                        EarlyHeadStep::SendHead => self.begin_early(log.as_ref()),
                        EarlyHeadStep::PassOn => break,
                        EarlyHeadStep::KeepWaiting => {}
                    }
                    is_timed = next.is_some();
                    timer.as_mut().reset(next.unwrap_or(head.last_wait));
                }
            }
        }
        if !stream.has_content()
            && let Some(error) = stream.error()
        {
            return Err(match connection_error {
                Some(error) => AttemptError::from_connection(error),
                None => AttemptError::from_provider(self.provider_dialect, error.clone()),
            });
        }
        if !stream.has_content() && stream.has_ended() {
            self.check_malformed_call(stream.partial_reply())?;
        }
        let mut response = self.response_head(log.as_ref());
        let content_type =
            if self.exchange.wants_json_array { APPLICATION_JSON } else { TEXT_EVENT_STREAM };
        set_stream_headers(response.headers_mut(), content_type);
        if let Some(log) = log.take() {
            let started = StartedStream {
                provider_body: (!ended).then(|| self.take_body()),
                translator: stream,
                output,
                continuation: self.continuation.take(),
                log: Box::new(log),
            };
            let drain_expired = &self.request.gateway.drain_expired;
            let body = started.into_body(self.request.config, drain_expired);
            *response.body_mut() = ResponseBody::stream(body);
        }
        Ok(response)
    }

    /// Has the head sent before there is content.
    fn begin_early(&self, log: Option<&RequestLog>) {
        let headers = std::mem::take(self.response_head(log).headers_mut());
        // Those of the first provider stay if another one follows.
        let _ = self.request.stream_start.headers.set(Box::new(headers));
    }

    fn stream_translator(&mut self) -> StreamTranslator {
        let mut stream = StreamTranslator::new(
            self.provider_dialect,
            self.request.client_dialect,
            &self.exchange,
        )
        .with_limits(limits::reply_limits(&self.request.config.limits));
        if self.continuation.is_some() {
            stream = stream.with_continuation();
        }
        match self.watch.take() {
            Some(call_checker) => stream.with_guard(call_checker),
            None => stream,
        }
    }

    pub(crate) async fn forward_whole(
        &mut self,
        body: Bytes,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let decoded = self.read_with_continuations(body, log).await?;
        let TranslatedReply { body, ledger, reply, findings } =
            decoded.encode(self.request.client_dialect, &self.exchange);
        Ok(self.finish_response(log, Some(body), &ledger, (&reply, &findings)).await)
    }

    /// Collects a streamed reply for a client that wants it whole.
    pub(crate) async fn collect_stream(
        &mut self,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let (reply, mut ledger, findings) = self.collect_reply(log).await?;
        let body = encode_reply(&reply, self.request.client_dialect, &self.exchange, &mut ledger);
        Ok(self.finish_response(log, Some(body.into()), &ledger, (&reply, &findings)).await)
    }

    /// The reply of a whole stream.
    pub(crate) async fn collect_reply(
        &mut self,
        log: &mut Option<RequestLog>,
    ) -> Result<(Reply, Ledger, Vec<Finding>), AttemptError> {
        let mut stream = self.stream_translator();
        let (mut scratch, mut total_bytes) = (Vec::new(), 0);
        loop {
            let chunk = self.next_chunk(trailing_timeout(&stream)).await.transpose();
            let chunk = chunk.map_err(AttemptError::from_connection)?;
            if let Some(chunk) = &chunk {
                capture_provider_bytes(log, chunk);
                total_bytes += chunk.len();
                if total_bytes > self.request.config.limits.reply {
                    return Err(failure(ApiErrorKind::ServerError, "the reply is too long").into());
                }
                stream.push(chunk, &mut scratch);
            } else {
                stream.finish(&mut scratch);
            }
            scratch.clear();
            if stream.is_paused() {
                self.continue_stream(&mut stream, log).await;
            } else if chunk.is_none() {
                break;
            }
        }
        let findings = stream.take_findings();
        let (reply, ledger) = stream.into_reply();
        let reply =
            reply.map_err(|error| AttemptError::from_provider(self.provider_dialect, error))?;
        self.check_malformed_call(&reply)?;
        Ok((reply, ledger, findings))
    }

    /// Continues a paused stream, or lets it end there.
    async fn continue_stream(
        &mut self,
        stream: &mut StreamTranslator,
        log: &mut Option<RequestLog>,
    ) {
        let partial = &stream.partial_reply().turn;
        let next = match &mut self.continuation {
            Some(continuation) => continuation.next_reply(partial, log).await,
            None => None,
        };
        match next {
            Some(response) => {
                self.body = response.body;
                stream.resume(self.provider_dialect, &self.exchange);
            }
            None => stream.release_stop(&mut Vec::new()),
        }
    }

    /// The next chunk, or `None` at the end or after `max_wait`.
    async fn next_chunk(&mut self, max_wait: Option<Duration>) -> Option<Result<Bytes, ApiError>> {
        match max_wait {
            Some(max_wait) => timeout(max_wait, self.body.chunk()).await.ok().flatten(),
            None => self.body.chunk().await,
        }
    }

    /// Converts a whole reply into an event stream.
    pub(crate) async fn stream_whole(
        &mut self,
        body: Bytes,
        log: &mut Option<RequestLog>,
    ) -> Result<Response<ResponseBody>, AttemptError> {
        let DecodedReply { reply, mut ledger, findings, .. } =
            self.read_with_continuations(body, log).await?;
        let out = encode_reply_as_stream(
            &reply,
            self.request.client_dialect,
            &self.exchange,
            &mut ledger,
        );
        let content_type =
            if self.exchange.wants_json_array { APPLICATION_JSON } else { TEXT_EVENT_STREAM };
        let mut response = self.finish_response(log, None, &ledger, (&reply, &findings)).await;
        if !response.status().is_success() {
            return Ok(response);
        }
        *response.body_mut() = ResponseBody::Full(out.into());
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    }

    /// Decodes a whole reply, with its continuations if the provider pauses the turn.
    pub(crate) async fn read_with_continuations(
        &mut self,
        body: Bytes,
        log: &mut Option<RequestLog>,
    ) -> Result<DecodedReply, AttemptError> {
        capture_provider_bytes(log, &body);
        let mut decoded = self.decode_reply(body)?;
        if self.continuation.is_some() && decoded.reply.is_paused() {
            // Boxed: an inline future of this rare case would make the future of every reply
            // larger.
            Box::pin(self.read_continuations(&mut decoded, log)).await;
        }
        Ok(decoded)
    }

    /// Appends continuations until the reply is no longer paused or the provider fails.
    async fn read_continuations(
        &mut self,
        decoded: &mut DecodedReply,
        log: &mut Option<RequestLog>,
    ) {
        while decoded.reply.is_paused()
            && let Some(continuation) = &mut self.continuation
            && let Some(response) = continuation.next_reply(&decoded.reply.turn, log).await
            && let Ok(body) = response.body.collect(self.request.config.limits.reply).await
        {
            capture_provider_bytes(log, &body);
            let Ok(next) = self.decode_reply(body) else { return };
            decoded.append_continuation(next);
        }
    }

    fn decode_reply(&self, body: Bytes) -> Result<DecodedReply, AttemptError> {
        let decoded = decode_reply_with_limits(
            body,
            self.provider_dialect,
            &self.exchange,
            self.watch.as_ref(),
            &limits::reply_limits(&self.request.config.limits),
        );
        let decoded = decoded.map_err(|error| reply_error(self.provider_dialect, error))?;
        self.check_malformed_call(&decoded.reply)?;
        Ok(decoded)
    }

    /// Rejects a reply that consists only of a tool call that the provider could not parse, unless
    /// the client's dialect can express that.
    fn check_malformed_call(&self, reply: &Reply) -> Result<(), AttemptError> {
        let Stop { reason, message, .. } = &reply.stop;
        let same_dialect = self.provider_dialect.id() == self.request.client_dialect.id();
        let is_malformed = *reason == StopReason::MalformedCall && reply.turn.is_blank();
        if self.is_last_attempt || same_dialect || !is_malformed {
            return Ok(());
        }
        let detail = message.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
        let message = format!("the provider could not read the model's call{detail}");
        let error = failure(ApiErrorKind::ServerError, &message);
        Err(AttemptError::new(ErrorCause::MalformedCall, error))
    }

    /// The whole body; `None` if it is an event stream despite its content type.
    pub(crate) async fn read_body(&mut self) -> Result<Option<Bytes>, AttemptError> {
        let body = self.take_body().collect(self.request.config.limits.reply).await;
        let mut body = body.map_err(AttemptError::from_connection)?;
        if body.starts_with(UTF8_BOM) {
            body.advance(UTF8_BOM.len());
        }
        if looks_like_sse(&body) {
            self.body = body.into();
            return Ok(None);
        }
        Ok(Some(body))
    }

    fn take_body(&mut self) -> UpstreamBody {
        std::mem::replace(&mut self.body, Bytes::new().into())
    }

    /// Builds the response for a whole reply, after everything that is stored of it is written; an
    /// error if it goes into a session and is not stored in time.
    pub(crate) async fn finish_response(
        &mut self,
        log: &mut Option<RequestLog>,
        body: Option<Bytes>,
        ledger: &Ledger,
        (reply, findings): (&Reply, &[Finding]),
    ) -> Response<ResponseBody> {
        let mut response = self.response_head(log.as_ref());
        response.headers_mut().insert(CONTENT_TYPE, APPLICATION_JSON);
        if let Some(value) = guard::findings_header(findings) {
            response.headers_mut().insert(GUARD_HEADER, value);
        }
        if let Some(log) = log {
            log.record_reply_changes(ledger);
            log.report_findings(findings);
            let unstored = match log.persist_reply(reply, body.as_ref()) {
                Some(flush) => flush.await.err(),
                None => None,
            };
            log.finish_reply(reply);
            if let Some(unstored) = unstored {
                // No `Err`: another attempt would generate the reply again.
                let error = ApiError::from(unstored);
                log.finish_failed(&error);
                return ErrorResponse::from(error).into_response(self.request.client_dialect);
            }
        }
        *response.body_mut() = ResponseBody::Full(body.unwrap_or_default());
        response
    }

    /// A response with the `x-interlingua-…` headers.
    fn response_head(&self, log: Option<&RequestLog>) -> Response<ResponseBody> {
        let mut response = Response::new(ResponseBody::Full(Bytes::new()));
        let headers = response.headers_mut();
        headers.reserve(HEADER_CAPACITY);
        let mut rules: Vec<&str> = self.ledger.entries.iter().map(|entry| entry.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        set_repairs_header(&rules, headers);
        if let Some(log) = log {
            log.set_route_headers(headers);
        }
        response
    }
}

/// How long to wait for the next chunk once the reply is complete: usage may follow, nothing else.
fn trailing_timeout(stream: &StreamTranslator) -> Option<Duration> {
    match (stream.has_ended(), stream.can_end()) {
        (true, _) => Some(CLOSE_GRACE),
        (_, stopped) => stopped.then_some(LINGER_TIMEOUT),
    }
}

fn reply_error(provider_dialect: &dyn Dialect, error: ReplyError) -> AttemptError {
    match error {
        ReplyError::Api(error) => AttemptError::from_provider(provider_dialect, *error),
        ReplyError::InvalidBody(error) => {
            let message = format!("the provider's reply cannot be read: {error}");
            ApiError { status: 502, ..failure(ApiErrorKind::ServerError, &message) }.into()
        }
    }
}

/// Capacity for the headers of most responses.
const HEADER_CAPACITY: usize = 9;
/// Some servers put a byte order mark before their JSON.
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
const GUARD_HEADER: HeaderName = HeaderName::from_static("x-interlingua-guard");
