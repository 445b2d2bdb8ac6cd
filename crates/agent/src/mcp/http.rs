//! MCP over HTTP, on the connections that providers are asked on.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use interlingua::Failure;
use interlingua_upstream::{Answer, Body, Upstream};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use url::Url;

#[derive(Clone)]
pub(super) struct Http {
    upstream: Arc<Upstream>,
}

type Wrong = StreamableHttpError<Failure>;
type Events =
    std::pin::Pin<Box<dyn futures_core::Stream<Item = Result<Sse, SseError>> + Send + 'static>>;

impl Http {
    pub(super) fn new(upstream: Arc<Upstream>) -> Self {
        Self { upstream }
    }

    async fn send(
        &self,
        method: Method,
        uri: &str,
        asking: Asking,
        body: Bytes,
    ) -> Result<Answer, Wrong> {
        let url = Url::parse(uri)
            .map_err(|error| Wrong::UnexpectedServerResponse(error.to_string().into()))?;
        let held = asking.session.is_some();
        let headers = asking.headers()?;
        let answer = self.upstream.send(method, &url, headers, body).await;
        let answer = answer.map_err(StreamableHttpError::Client)?;
        match answer.status {
            401 => {
                let asks =
                    answer.headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
                let asks = AuthRequiredError::new(asks.unwrap_or_default().to_owned());
                Err(Wrong::AuthRequired(asks))
            }
            404 if held => Err(Wrong::SessionExpired),
            _ => Ok(answer),
        }
    }
}

/// What goes along with a message.
#[derive(Default)]
struct Asking {
    accept: &'static str,
    session: Option<Arc<str>>,
    last_event: Option<String>,
    auth: Option<String>,
    custom: HashMap<HeaderName, HeaderValue>,
}

impl Asking {
    fn headers(self) -> Result<HeaderMap, Wrong> {
        let value = |text: &str| {
            let odd = |_| Wrong::UnexpectedServerResponse("a header cannot be written".into());
            HeaderValue::from_str(text).map_err(odd)
        };
        let mut headers: HeaderMap = self.custom.into_iter().collect();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        headers.insert(ACCEPT, HeaderValue::from_static(self.accept));
        if let Some(session) = self.session {
            headers.insert("mcp-session-id", value(&session)?);
        }
        if let Some(last) = self.last_event {
            headers.insert("last-event-id", value(&last)?);
        }
        if let Some(auth) = self.auth {
            headers.insert(AUTHORIZATION, value(&format!("Bearer {auth}"))?);
        }
        Ok(headers)
    }
}

impl StreamableHttpClient for Http {
    type Error = Failure;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Wrong> {
        let body = serde_json::to_vec(&message)?.into();
        let asking = Asking { accept: BOTH, session, auth, custom, last_event: None };
        let Answer { status, headers, body } = self.send(Method::POST, &uri, asking, body).await?;
        if matches!(status, 202 | 204) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let session = headers.get("mcp-session-id").and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        if is(&headers, EVENTS) && (200..300).contains(&status) {
            return Ok(StreamableHttpPostResponse::Sse(events(body), session));
        }
        let body = body.whole(LARGEST).await.map_err(StreamableHttpError::Client)?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            // An error is an answer, whatever its status.
            Ok(message) if is(&headers, JSON) => {
                Ok(StreamableHttpPostResponse::Json(message, session))
            }
            _ if (200..300).contains(&status) => {
                let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
                Err(Wrong::UnexpectedContentType(kind.map(str::to_owned)))
            }
            _ => Err(Wrong::UnexpectedServerResponse(format!("status {status}").into())),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        custom: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Wrong> {
        let session = Some(session);
        let asking = Asking { accept: JSON, session, auth, custom, last_event: None };
        let answer = self.send(Method::DELETE, &uri, asking, Bytes::new()).await?;
        if answer.status == NOT_ALLOWED {
            return Err(Wrong::ServerDoesNotSupportDeleteSession);
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
    ) -> Result<Events, Wrong> {
        let asking = Asking { accept: EVENTS, session, last_event, auth, custom };
        let answer = self.send(Method::GET, &uri, asking, Bytes::new()).await?;
        match answer.status {
            NOT_ALLOWED => Err(Wrong::ServerDoesNotSupportSse),
            200..300 if is(&answer.headers, EVENTS) => Ok(events(answer.body)),
            status => Err(Wrong::UnexpectedServerResponse(format!("status {status}").into())),
        }
    }
}

fn events(body: Body) -> Events {
    Box::pin(SseStream::new(body))
}

fn is(headers: &HeaderMap, kind: &str) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok()).unwrap_or_default();
    said.starts_with(kind)
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const BOTH: &str = "application/json, text/event-stream";
const NOT_ALLOWED: u16 = 405;
const LARGEST: usize = 64 * 1024 * 1024;
