//! MCP over HTTP, with the connection pool of the provider client.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use interlingua::ApiError;
use interlingua_upstream::{UpstreamBody, UpstreamClient, UpstreamResponse};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use url::Url;

#[derive(Clone)]
pub(super) struct McpHttpClient {
    upstream: Arc<UpstreamClient>,
}

type HttpError = StreamableHttpError<ApiError>;
type SseEvents =
    std::pin::Pin<Box<dyn futures_core::Stream<Item = Result<Sse, SseError>> + Send + 'static>>;

impl McpHttpClient {
    pub(super) fn new(upstream: Arc<UpstreamClient>) -> Self {
        Self { upstream }
    }

    async fn send(
        &self,
        method: Method,
        uri: &str,
        inputs: MessageHeaders,
        body: Bytes,
    ) -> Result<UpstreamResponse, HttpError> {
        let url = Url::parse(uri)
            .map_err(|error| HttpError::UnexpectedServerResponse(error.to_string().into()))?;
        let has_session = inputs.session.is_some();
        let headers = inputs.headers()?;
        let response = self.upstream.send_to_url(method, &url, headers, body).await;
        let response = response.map_err(StreamableHttpError::Client)?;
        match response.status {
            401 => {
                let challenge =
                    response.headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
                let challenge = AuthRequiredError::new(challenge.unwrap_or_default().to_owned());
                Err(HttpError::AuthRequired(challenge))
            }
            404 if has_session => Err(HttpError::SessionExpired),
            _ => Ok(response),
        }
    }
}

/// The inputs of a message's headers.
#[derive(Default)]
struct MessageHeaders {
    accept: &'static str,
    session: Option<Arc<str>>,
    last_event: Option<String>,
    auth: Option<String>,
    custom: HashMap<HeaderName, HeaderValue>,
}

impl MessageHeaders {
    fn headers(self) -> Result<HeaderMap, HttpError> {
        let value = |text: &str| {
            let to_http_error =
                |_| HttpError::UnexpectedServerResponse("invalid header value".into());
            HeaderValue::from_str(text).map_err(to_http_error)
        };
        let mut headers: HeaderMap = self.custom.into_iter().collect();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(ACCEPT, HeaderValue::from_static(self.accept));
        if let Some(session) = self.session {
            headers.insert("mcp-session-id", value(&session)?);
        }
        if let Some(event_id) = self.last_event {
            headers.insert("last-event-id", value(&event_id)?);
        }
        if let Some(auth) = self.auth {
            headers.insert(AUTHORIZATION, value(&format!("Bearer {auth}"))?);
        }
        Ok(headers)
    }
}

impl StreamableHttpClient for McpHttpClient {
    type Error = ApiError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let body = serde_json::to_vec(&message)?.into();
        let inputs = MessageHeaders {
            accept: JSON_OR_EVENT_STREAM,
            session,
            auth,
            custom,
            last_event: None,
        };
        let UpstreamResponse { status, headers, body } =
            self.send(Method::POST, &uri, inputs, body).await?;
        if matches!(status, 202 | 204) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        if has_content_type(&headers, EVENT_STREAM) && (200..300).contains(&status) {
            return Ok(StreamableHttpPostResponse::Sse(sse_events(body), session));
        }
        let body = body.collect(MAX_RESPONSE_BYTES).await.map_err(StreamableHttpError::Client)?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            // A JSON-RPC error is a reply with any status.
            Ok(message) if has_content_type(&headers, JSON) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ if (200..300).contains(&status) => {
                let content_type =
                    headers.get(CONTENT_TYPE).and_then(|content_type| content_type.to_str().ok());
                Err(HttpError::UnexpectedContentType(content_type.map(str::to_owned)))
            }
            _ => Err(HttpError::UnexpectedServerResponse(format!("status {status}").into())),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        let session = Some(session);
        let inputs = MessageHeaders { accept: JSON, session, auth, custom, last_event: None };
        let response = self.send(Method::DELETE, &uri, inputs, Bytes::new()).await?;
        if response.status == METHOD_NOT_ALLOWED {
            return Err(HttpError::ServerDoesNotSupportDeleteSession);
        }
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<SseEvents, HttpError> {
        let inputs = MessageHeaders { accept: EVENT_STREAM, session, last_event, auth, custom };
        let response = self.send(Method::GET, &uri, inputs, Bytes::new()).await?;
        match response.status {
            METHOD_NOT_ALLOWED => Err(HttpError::ServerDoesNotSupportSse),
            200..300 if has_content_type(&response.headers, EVENT_STREAM) => {
                Ok(sse_events(response.body))
            }
            status => Err(HttpError::UnexpectedServerResponse(format!("status {status}").into())),
        }
    }
}

fn sse_events(body: UpstreamBody) -> SseEvents {
    Box::pin(SseStream::new(body))
}

fn has_content_type(headers: &HeaderMap, expected: &str) -> bool {
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|content_type| content_type.to_str().ok())
        .unwrap_or_default();
    content_type.starts_with(expected)
}

impl fmt::Debug for McpHttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpHttpClient").finish_non_exhaustive()
    }
}

const JSON: &str = "application/json";
const EVENT_STREAM: &str = "text/event-stream";
const JSON_OR_EVENT_STREAM: &str = "application/json, text/event-stream";
const METHOD_NOT_ALLOWED: u16 = 405;
const MAX_RESPONSE_BYTES: usize = 64 * 1024 * 1024;
