//! A model behind a provider's HTTP API.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use interlingua::{
    Dialect, Framing, JsonString, Ledger, ReplyContext, StreamTranslator, Target,
    TranslatedRequest, decode_reply, decode_request, parse_object,
};
use interlingua_dialects::native::Native;
use interlingua_guard::CallChecker;
use interlingua_model::{
    ApiError, ApiErrorKind, ConversationPatch, RetryAdvice, StreamEvent, unfold,
};
use interlingua_upstream::retry::{Backoff, random_u64, retry_after};
use interlingua_upstream::{
    Operation, Provider, UpstreamBody, UpstreamClient, UpstreamRequest, UpstreamResponse,
};
use interlingua_wire::FrameReader;

use crate::{EventCallback, Model, ModelReply, ModelRequest, ReplyFuture};

/// A model behind a provider's API, in any dialect.
#[derive(Clone, Debug)]
pub struct RemoteModel {
    upstream: Arc<UpstreamClient>,
    provider: Arc<Provider>,
    model: String,
    name: String,
    /// Maximum retries after errors that are retryable, such as overload and rate limits.
    pub retries: u32,
}

impl RemoteModel {
    /// `model` is the provider's name of the model.
    pub fn new(upstream: Arc<UpstreamClient>, provider: Arc<Provider>, model: &str) -> Self {
        let name = format!("{}/{model}", provider.name);
        Self { upstream, provider, model: model.to_owned(), name, retries: 3 }
    }

    /// Sets the name for users.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    async fn generate_with_retries(
        &self,
        request: ModelRequest<'_>,
        on_event: &mut EventCallback<'_>,
    ) -> Result<ModelReply, ApiError> {
        let mut ledger = Ledger::default();
        let body = Native.encode_request(request.conversation, &Target::default(), &mut ledger);
        let mut attempt = 0;
        loop {
            let mut has_started = false;
            let forward_event = &mut |event: &StreamEvent| {
                has_started |= matches!(event, StreamEvent::BlockStart { .. });
                on_event(event);
            };
            let error =
                match self.attempt(body.clone(), request.call_checker.clone(), forward_event).await
                {
                    Ok(reply) => return Ok(reply),
                    Err(error) => error,
                };
            let delay = match error.retry {
                _ if has_started || attempt >= self.retries => return Err(error),
                RetryAdvice::No => return Err(error),
                RetryAdvice::Yes => Backoff::default().delay(attempt, random_u64()),
                RetryAdvice::AfterMillis(millis) => Duration::from_millis(millis),
            };
            if delay > MAX_RETRY_WAIT {
                return Err(error);
            }
            tokio::time::sleep(delay).await;
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        body: Bytes,
        call_checker: Option<CallChecker>,
        on_event: &mut EventCallback<'_>,
    ) -> Result<ModelReply, ApiError> {
        let dialect = self.provider.dialect;
        let target = Target {
            model: Some(JsonString::new(&self.model)),
            flavor: self.provider.flavor,
            joins_instructions: self.provider.joins_instructions(),
            stream: true,
            pass_unknown_fields: true,
            keeps_replies: true,
            ..Target::default()
        };
        let body = parse_object(body).map_err(|error| unreadable_reply(&error))?;
        let decoded = decode_request(body, &Native, dialect, &target);
        let TranslatedRequest { body, ledger, reply_context: cx } =
            decoded.translate_segmented(&ConversationPatch::default());
        let request = UpstreamRequest {
            provider: &self.provider,
            operation: Operation::Turn { stream: true },
            model: &self.model,
            headers: HeaderMap::new(),
            body,
        };
        let UpstreamResponse { status, headers, body } = self.upstream.call(request).await?;
        if !(200..300).contains(&status) {
            let body = body.collect(MAX_ERROR_BYTES).await.unwrap_or_default();
            let mut api_error = dialect.decode_error(status, &body);
            if let Some(wait) = retry_after(&headers) {
                let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                api_error.retry = RetryAdvice::AfterMillis(millis);
            }
            return Err(api_error);
        }
        let mut reply = if is_json(&headers) {
            read_whole(body, dialect, &cx, call_checker.as_ref(), on_event).await?
        } else {
            read_stream(body, dialect, &cx, call_checker, on_event).await?
        };
        reply.ledger.entries.splice(0..0, ledger.entries);
        Ok(reply)
    }
}

impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn generate<'a>(
        &'a self,
        request: ModelRequest<'a>,
        on_event: &'a mut EventCallback<'a>,
    ) -> ReplyFuture<'a> {
        Box::pin(self.generate_with_retries(request, on_event))
    }
}

async fn read_stream(
    mut body: UpstreamBody,
    dialect: &dyn Dialect,
    cx: &ReplyContext,
    call_checker: Option<CallChecker>,
    on_event: &mut EventCallback<'_>,
) -> Result<ModelReply, ApiError> {
    let mut stream = StreamTranslator::new(dialect, &Native, cx);
    if let Some(call_checker) = call_checker {
        stream = stream.with_guard(call_checker);
    }
    let mut event_reader = NativeEventReader::new();
    let mut buffer = Vec::new();
    while let Some(chunk) = body.chunk().await {
        stream.push(&chunk?, &mut buffer);
        event_reader.drain(&mut buffer, on_event);
    }
    stream.finish(&mut buffer);
    event_reader.drain(&mut buffer, on_event);
    let findings = stream.take_findings();
    let (reply, ledger) = stream.into_reply();
    Ok(ModelReply { reply: reply?, findings, ledger })
}

/// Decodes the stream after its translation to the native dialect.
struct NativeEventReader {
    framer: FrameReader,
    reader: Box<dyn interlingua::StreamReader>,
    events: Vec<StreamEvent>,
}

impl NativeEventReader {
    fn new() -> Self {
        let reader = Native.reader(&ReplyContext::default());
        Self { framer: FrameReader::new(Framing::Sse, MAX_FRAME_BYTES), reader, events: Vec::new() }
    }

    fn drain(&mut self, buffer: &mut Vec<u8>, on_event: &mut EventCallback<'_>) {
        self.framer.push(&Bytes::from(std::mem::take(buffer)));
        while let Ok(Some(frame)) = self.framer.next() {
            self.reader.read(frame, &mut self.events, &mut Ledger::default());
        }
        self.events.drain(..).for_each(|event| on_event(&event));
    }
}

/// Reads a reply that is not streamed.
async fn read_whole(
    body: UpstreamBody,
    dialect: &dyn Dialect,
    cx: &ReplyContext,
    call_checker: Option<&CallChecker>,
    on_event: &mut EventCallback<'_>,
) -> Result<ModelReply, ApiError> {
    let body = body.collect(MAX_REPLY_BYTES).await?;
    let decoded = decode_reply(body, dialect, cx, call_checker).map_err(|error| match error {
        interlingua::ReplyError::Api(api_error) => *api_error,
        interlingua::ReplyError::InvalidBody(error) => unreadable_reply(&error),
    })?;
    for event in unfold(&decoded.reply) {
        on_event(&event);
    }
    Ok(ModelReply {
        reply: decoded.reply.into_value(),
        findings: decoded.findings,
        ledger: decoded.ledger,
    })
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|content_type| content_type.to_str().ok())
        .unwrap_or_default();
    content_type.starts_with("application/json")
}

fn unreadable_reply(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(ApiErrorKind::ServerError, JsonString::new(&error.to_string()))
}

const MAX_ERROR_BYTES: usize = 1024 * 1024;
const MAX_REPLY_BYTES: usize = 64 * 1024 * 1024;
const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;
/// Longer waits are returned as errors.
const MAX_RETRY_WAIT: Duration = Duration::from_mins(1);
