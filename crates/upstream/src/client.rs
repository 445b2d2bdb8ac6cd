//! Sends requests to providers, with timeouts and one retry if a pooled connection was stale.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{Extensions, HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use interlingua::{ApiError, SegmentedBytes};
use tokio::time::timeout;
use url::Url;

use crate::client_pool::{ClientPool, PooledClient};
use crate::connect::{CaBundle, Proxies, RespondedFlag};
use crate::endpoints::to_uri;
use crate::error::{UpstreamError, map_hyper_error, tls_error, to_api_error};
use crate::http1::{Http1Client, TransportError};
use crate::redaction::Redactor;
use crate::request_head::RequestHead;
use crate::{ResponseHeaders, UpstreamBody, UpstreamRequest, UpstreamResponse};

/// Timeouts of one call. The total time of a stream is not limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For DNS, TCP and TLS handshake together.
    pub connect: Duration,
    /// For the head of the response.
    pub response_head: Duration,
    /// Between two chunks of the body.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            response_head: Duration::from_mins(10),
            idle: Duration::from_mins(5),
        }
    }
}

/// Where a request goes, besides its URI.
struct Destination<'a> {
    name: &'a str,
    ca_bundle: Option<&'a Arc<CaBundle>>,
    /// Overwrites the provider's secrets in the response.
    redactor: Option<Arc<Redactor>>,
}

/// Why a call has no response.
#[derive(Debug)]
struct AttemptError {
    error: ApiError,
    /// The pooled connection had responded before and was closed while idle, so the request can be
    /// sent again on a new connection.
    is_retryable: bool,
}

/// Calls providers. One per process, because it owns the connection pools.
pub struct UpstreamClient {
    timeouts: Timeouts,
    proxies: Arc<Proxies>,
    http1: Http1Client,
    clients: ClientPool,
}

impl UpstreamClient {
    /// Creates a client that uses no proxies.
    pub fn new(timeouts: Timeouts) -> Result<Self, ApiError> {
        Self::with_proxies(timeouts, Arc::default())
    }

    /// Creates a client that uses the given proxies.
    pub fn with_proxies(timeouts: Timeouts, proxies: Arc<Proxies>) -> Result<Self, ApiError> {
        let http1 = Http1Client::new(timeouts.connect, &proxies);
        let client_pool = ClientPool::new(timeouts.connect, Arc::clone(&proxies));
        let client_pool = client_pool.map_err(|error| to_api_error("", &tls_error(&error)))?;
        Ok(Self { timeouts, proxies, http1, clients: client_pool })
    }

    /// Calls a provider. A response with any status is `Ok`.
    pub async fn call(&self, call: UpstreamRequest<'_>) -> Result<UpstreamResponse, ApiError> {
        let retry = call.clone();
        self.send_with_retry(call, || Some(retry)).await
    }

    /// As [`UpstreamClient::call`], but holds the request only until it is sent. If a pooled
    /// connection turns out to be closed, `rebuild` builds the request a second time.
    pub async fn send_with_retry<'c>(
        &self,
        mut call: UpstreamRequest<'_>,
        rebuild: impl FnOnce() -> Option<UpstreamRequest<'c>>,
    ) -> Result<UpstreamResponse, ApiError> {
        let attempt_error = match self.call_once(&mut call, true).await {
            Ok(response) => return Ok(response),
            Err(attempt_error) => attempt_error,
        };
        match attempt_error.is_retryable.then(rebuild).flatten() {
            Some(mut call) => {
                self.call_once(&mut call, false).await.map_err(|attempt_error| attempt_error.error)
            }
            None => Err(attempt_error.error),
        }
    }

    /// Sends the request once; on an idle connection, if `allow_reuse` is set.
    async fn call_once(
        &self,
        call: &mut UpstreamRequest<'_>,
        allow_reuse: bool,
    ) -> Result<UpstreamResponse, AttemptError> {
        let provider = call.provider;
        let destination = Destination {
            name: &provider.name,
            ca_bundle: provider.ca_bundle.as_ref(),
            redactor: provider.redactor(),
        };
        let (request_head, body) = call
            .take_head_and_body()
            .map_err(|error| AttemptError { error, is_retryable: false })?;
        let result = self.dispatch(destination, (request_head, body), allow_reuse).await;
        result.map_err(|TransportError { error, on_reused_connection }| AttemptError {
            error: to_api_error(&provider.name, &error),
            is_retryable: on_reused_connection && error == UpstreamError::ClosedBeforeResponse,
        })
    }

    /// Sends a request to a URL that is not a provider's.
    pub async fn send_to_url(
        &self,
        method: Method,
        to: &Url,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<UpstreamResponse, ApiError> {
        let name = to.host_str().unwrap_or_default();
        let uri = to_uri(to).ok_or_else(|| to_api_error(name, &UpstreamError::InvalidBaseUrl))?;
        let mut request = Request::new(());
        *request.method_mut() = method;
        *request.headers_mut() = headers;
        *request.uri_mut() = uri;
        let destination = Destination { name, ca_bundle: None, redactor: None };
        let request = (RequestHead::new(request), body.into());
        let result = self.dispatch(destination, request, true).await;
        result.map_err(|transport_error| to_api_error(name, &transport_error.error))
    }

    /// Sends a request through the cleartext HTTP/1 client or the pooled clients.
    async fn dispatch(
        &self,
        destination: Destination<'_>,
        (request_head, body): (Arc<RequestHead>, SegmentedBytes),
        allow_reuse: bool,
    ) -> Result<UpstreamResponse, TransportError> {
        let Destination { name, ca_bundle, redactor } = destination;
        let limit = self.timeouts.response_head;
        let to_timeout = |_| TransportError {
            error: UpstreamError::HeadTimeout(limit),
            on_reused_connection: false,
        };
        let uri = request_head.request.uri();
        let is_cleartext = uri.scheme() == Some(&Scheme::HTTP);
        let (status, mut headers, mut body) = if is_cleartext
            && self.proxies.proxy_for(uri).is_none()
        {
            let sending = self.http1.send(&request_head, body, allow_reuse);
            let (head, body) = timeout(limit, sending).await.map_err(to_timeout)??;
            let body = UpstreamBody::http1(body, self.timeouts.idle, name.to_owned());
            (head.status, head.headers, body)
        } else {
            let sending = self.send_pooled(ca_bundle, request_head, body);
            let (response, pooled_client) = timeout(limit, sending).await.map_err(to_timeout)??;
            let (head, body) = response.into_parts();
            let body =
                UpstreamBody::pooled(body, self.timeouts.idle, name.to_owned(), pooled_client);
            (head.status, head.headers.into(), body)
        };
        if let Some(redactor) = redactor {
            headers = headers.redact(&redactor);
            body = body.redact(redactor, &headers);
        }
        check_response_head(status, &headers)
            .map_err(|error| TransportError { error, on_reused_connection: false })?;
        Ok(UpstreamResponse { status: status.as_u16(), headers, body })
    }

    /// Sends a request through a pooled client, which may share its connection by HTTP/2.
    async fn send_pooled(
        &self,
        ca_bundle: Option<&Arc<CaBundle>>,
        request_head: Arc<RequestHead>,
        body: SegmentedBytes,
    ) -> Result<(Response<Incoming>, Arc<PooledClient>), TransportError> {
        let mut request = request_head.into_request();
        if let Some(authorization) = self.proxies.proxy_authorization(request.uri()) {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, authorization);
        }
        let pooled_client = self.clients.checkout(request.uri(), ca_bundle);
        let pooled_client =
            pooled_client.map_err(|error| TransportError { error, on_reused_connection: false })?;
        match pooled_client.client.request(request.map(|()| Full::new(body))).await {
            Ok(response) => {
                if let Some(responded_flag) = response.extensions().get::<RespondedFlag>() {
                    responded_flag.set();
                }
                Ok((response, pooled_client))
            }
            Err(error) => {
                let on_reused_connection = error.connect_info().is_some_and(|connection_info| {
                    let mut extensions = Extensions::new();
                    connection_info.get_extras(&mut extensions);
                    extensions.get::<RespondedFlag>().is_some_and(RespondedFlag::is_set)
                });
                Err(TransportError { error: map_hyper_error(&error), on_reused_connection })
            }
        }
    }

    /// Posts a body to a URL that is not a provider's; returns the response status.
    pub async fn post(&self, to: &Url, headers: HeaderMap, body: Bytes) -> Result<u16, ApiError> {
        let UpstreamResponse { status, body, .. } =
            self.send_to_url(Method::POST, to, headers, body).await?;
        // A connection is reusable only after its body was read; a long body is not worth reading.
        let _ = body.collect(MAX_DISCARDED_BYTES).await;
        Ok(status)
    }
}

/// Rejects responses that are not passed on: redirects and unrequested content encodings.
fn check_response_head(status: StatusCode, headers: &ResponseHeaders) -> Result<(), UpstreamError> {
    if status.is_redirection() {
        return Err(UpstreamError::Redirect(status.as_u16()));
    }
    match headers.content_encoding() {
        // The header's text is provider-controlled and shown to people, so it is truncated.
        Some(coding) => Err(UpstreamError::UnexpectedEncoding(coding.chars().take(20).collect())),
        None => Ok(()),
    }
}

impl fmt::Debug for UpstreamClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamClient").field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// Maximum bytes that are read of a body when only the status matters.
const MAX_DISCARDED_BYTES: usize = 64 * 1024;
