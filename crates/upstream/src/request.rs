//! Builds the HTTP request of a provider call: URI, headers and authentication.

use interlingua_providers::endpoints::{AuthScheme, DialectEndpoints};
use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri, Version};
use interlingua::{ApiError, SegmentedBytes};
use secrecy::{ExposeSecret as _, SecretString};

use crate::error::{UpstreamError, to_api_error};
use crate::request_head::RequestHead;
use crate::{Operation, Provider, aws};

/// One request to one provider.
#[derive(Clone)]
pub struct UpstreamRequest<'a> {
    pub provider: &'a Provider,
    pub operation: Operation,
    /// The provider's name of the model, for dialects with the model in the path.
    pub model: &'a str,
    /// Headers of the client that the gateway forwards.
    pub headers: HeaderMap,
    pub body: SegmentedBytes,
}

impl UpstreamRequest<'_> {
    /// Takes head and body out of this value, signed if the provider requires it.
    pub(crate) fn take_head_and_body(
        &mut self,
    ) -> Result<(Arc<RequestHead>, SegmentedBytes), ApiError> {
        let mut body = mem::take(&mut self.body);
        if self.operation == Operation::ListModels {
            body = SegmentedBytes::default();
        }
        let (provider, has_body) = (self.provider, !body.is_empty());
        let mut request_head = match self.operation {
            operation @ Operation::Turn { stream } if has_body && self.headers.is_empty() => {
                let is_constant = || provider.has_fixed_uri(operation);
                provider.heads.get_or_build(stream, is_constant, || self.build_head(has_body))?
            }
            _ => self.build_head(has_body)?,
        };
        if provider.auth == AuthScheme::SigV4 {
            let (mut head, ()) = request_head.into_request().into_parts();
            let bytes = body.into_bytes();
            self.sign(&head.method, &head.uri, &mut head.headers, &bytes)?;
            request_head = RequestHead::new(Request::from_parts(head, ()));
            body = bytes.into();
        }
        Ok((request_head, body))
    }

    fn build_head(&mut self, has_body: bool) -> Result<Arc<RequestHead>, ApiError> {
        let uri = self.provider.request_uri(self.operation, self.model)?;
        let mut headers = mem::take(&mut self.headers);
        if !headers.is_empty() {
            for name in &STRIPPED_HEADERS {
                headers.remove(name);
            }
        }
        if has_body {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in self.default_headers() {
            headers.entry(name).or_insert(value);
        }
        for (name, value) in &self.provider.headers {
            headers.insert(name, value.clone());
        }
        self.insert_api_key(&mut headers)?;
        let mut request = Request::new(());
        *request.method_mut() = self.operation.method();
        *request.uri_mut() = uri;
        *request.version_mut() = Version::HTTP_11;
        *request.headers_mut() = headers;
        Ok(RequestHead::new(request))
    }

    /// Headers that are sent unless the client or the configuration sets them.
    fn default_headers(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let dialect = self.provider.dialect;
        let accept = match self.operation {
            Operation::Turn { stream: true } => match dialect.framing() {
                interlingua::Framing::AwsEventStream => "application/vnd.amazon.eventstream",
                _ => "text/event-stream",
            },
            _ => "application/json",
        };
        [(header::ACCEPT, accept), (header::USER_AGENT, USER_AGENT_VALUE)]
            .into_iter()
            .chain(
                DialectEndpoints::for_dialect(dialect.id().0)
                    .default_headers
                    .iter()
                    .map(|(name, value)| (HeaderName::from_static(name), *value)),
            )
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
    }

    fn sign(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &mut HeaderMap,
        body: &[u8],
    ) -> Result<(), ApiError> {
        let name = &self.provider.name;
        let Some(credentials) = &self.provider.aws_credentials else {
            return Err(to_api_error(name, &UpstreamError::MissingAwsCredentials));
        };
        for name in &AUTH_HEADERS {
            headers.remove(name);
        }
        aws::sign(credentials, method, uri, headers, body, SystemTime::now())
            .ok_or_else(|| to_api_error(name, &UpstreamError::InvalidHeader("the AWS credentials")))
    }

    fn insert_api_key(&self, headers: &mut HeaderMap) -> Result<(), ApiError> {
        let provider = self.provider;
        let Some(key) = &provider.api_key else { return Ok(()) };
        let (name, prefix) = match provider.auth {
            AuthScheme::None | AuthScheme::SigV4 => return Ok(()),
            AuthScheme::Bearer => (header::AUTHORIZATION, "Bearer "),
            AuthScheme::XApiKey => (X_API_KEY, ""),
            AuthScheme::GoogApiKey => (X_GOOG_API_KEY, ""),
            AuthScheme::ApiKey => (API_KEY, ""),
        };
        // The client's own credentials must not reach the provider if the gateway has a key.
        for name in &AUTH_HEADERS {
            headers.remove(name);
        }
        let value = sensitive_header_value(prefix, key).ok_or_else(|| {
            to_api_error(&provider.name, &UpstreamError::InvalidHeader("the API key"))
        })?;
        headers.insert(name, value);
        Ok(())
    }
}

fn sensitive_header_value(prefix: &str, key: &SecretString) -> Option<HeaderValue> {
    let mut text = Vec::with_capacity(prefix.len() + key.expose_secret().len());
    text.extend_from_slice(prefix.as_bytes());
    text.extend_from_slice(key.expose_secret().as_bytes());
    let mut value = HeaderValue::from_maybe_shared(Bytes::from(text)).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for UpstreamRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamRequest")
            .field("provider", &self.provider)
            .field("operation", &self.operation)
            .field("model", &self.model)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body", &self.body.len())
            .finish()
    }
}

const USER_AGENT_VALUE: &str = concat!("interlingua/", env!("CARGO_PKG_VERSION"));

/// Client headers that are never forwarded: hop-by-hop headers, and those that would make the
/// response unreadable.
const STRIPPED_HEADERS: [HeaderName; 11] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::EXPECT,
    header::PROXY_AUTHORIZATION,
    header::ACCEPT_ENCODING,
    header::COOKIE,
];

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_GOOG_API_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");
const API_KEY: HeaderName = HeaderName::from_static("api-key");
const AUTH_HEADERS: [HeaderName; 4] = [header::AUTHORIZATION, X_API_KEY, X_GOOG_API_KEY, API_KEY];
