//! Pool of hyper clients, so that HTTP/2 stream limits do not queue calls.
//!
//! A provider allows about a hundred concurrent streams on one HTTP/2 connection, and a hyper
//! client that shares it queues further calls. Each client of the pool therefore gets a bounded
//! number of calls, and has its own connections. With few calls there is one client.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use interlingua::SegmentedBytes;

use crate::connect::{CaBundle, Connector, Proxies};
use crate::error::{UpstreamError, tls_error};

/// The hyper clients, by CA bundle.
pub(crate) struct ClientPool {
    connect_timeout: Duration,
    proxies: Arc<Proxies>,
    cleartext: Arc<PooledClient>,
    tls: Mutex<Vec<Arc<PooledClient>>>,
}

/// One hyper client with its own connections. Every call holds an `Arc` of it until its body ends,
/// so the reference count is the number of calls.
pub(crate) struct PooledClient {
    pub(crate) client: Client<Connector, Full<SegmentedBytes>>,
    ca_bundle: Option<Arc<CaBundle>>,
}

impl ClientPool {
    pub(crate) fn new(
        connect_timeout: Duration,
        proxies: Arc<Proxies>,
    ) -> Result<Self, rustls::Error> {
        let cleartext =
            Arc::new(PooledClient::new(Connector::cleartext(connect_timeout, &proxies)?, None));
        Ok(Self { connect_timeout, proxies, cleartext, tls: Mutex::default() })
    }

    /// Returns a client of this CA bundle with capacity for one more call; creates one if there is
    /// none.
    pub(crate) fn checkout(
        &self,
        to: &Uri,
        ca_bundle: Option<&Arc<CaBundle>>,
    ) -> Result<Arc<PooledClient>, UpstreamError> {
        if to.scheme() == Some(&Scheme::HTTP) {
            return Ok(Arc::clone(&self.cleartext));
        }
        let mut clients = self.tls.lock().unwrap_or_else(PoisonError::into_inner);
        let available = clients.iter().find(|pooled_client| {
            pooled_client.ca_bundle.as_ref() == ca_bundle
                && Arc::strong_count(pooled_client) <= MAX_CALLS_PER_CLIENT
        });
        if let Some(pooled_client) = available {
            return Ok(Arc::clone(pooled_client));
        }
        let vouches = ca_bundle.map(|ca_bundle| &**ca_bundle);
        let connector = Connector::tls(self.connect_timeout, &self.proxies, vouches);
        let connector = connector.map_err(|error| tls_error(&error))?;
        let pooled_client = Arc::new(PooledClient::new(connector, ca_bundle.cloned()));
        clients.push(Arc::clone(&pooled_client));
        Ok(pooled_client)
    }
}

impl PooledClient {
    fn new(connector: Connector, ca_bundle: Option<Arc<CaBundle>>) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
            .http1_max_buf_size(MAX_READ_BUFFER_BYTES)
            .http2_initial_stream_window_size(STREAM_WINDOW_BYTES)
            .http2_initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .http2_keep_alive_interval(HTTP2_KEEPALIVE)
            .http2_keep_alive_timeout(HTTP2_KEEPALIVE)
            .build(connector);
        Self { client, ca_bundle }
    }
}

/// Maximum concurrent calls per client, below the usual limit of 100 streams.
const MAX_CALLS_PER_CLIENT: usize = 80;

/// How long an unused connection is kept: less than servers keep theirs.
const IDLE_TIMEOUT: Duration = Duration::from_secs(55);
const MAX_IDLE_PER_HOST: usize = 256;

/// HTTP/1 read buffer, which also limits the size of a response head.
const MAX_READ_BUFFER_BYTES: usize = 128 * 1024;

/// HTTP/2 flow control windows per stream and per connection. The connection's window is much
/// larger, so that a slow reader does not block the other streams.
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 32 * 1024 * 1024;

/// Ping interval and timeout: a dead connection is detected within twice this time.
const HTTP2_KEEPALIVE: Duration = Duration::from_secs(20);
