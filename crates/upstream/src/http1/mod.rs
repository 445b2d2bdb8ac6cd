//! HTTP/1.1 client for URLs without TLS, polled by the task that awaits the response.
//!
//! Such a connection is not shared, so it needs no connection task as in hyper: received data wakes
//! the waiting task directly.
//!
//! Measured against hyper's `client::conn::http1`, polled inside the response body, by `cargo xtask bench
//! gateway --plain`, ratio to nginx, median of 3 runs: "1,000 events, same dialect" 2.19 and 3.00 with
//! hyper, "1 KB, same dialect, streamed" 2.20 and 2.66.

mod body;
mod body_decoder;
mod connection;
mod head;
mod pool;

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use interlingua::SegmentedBytes;
use tokio::time::timeout;
use tower_service::Service as _;

pub(crate) use self::body::Http1Body;
use self::connection::Connection;
pub(crate) use self::head::ResponseHead;
use self::pool::IdlePool;
use crate::connect::{Proxies, TcpConnector};
use crate::error::{UpstreamError, connect_error};
use crate::request_head::RequestHead;

/// HTTP/1.1 client with its own pool of idle connections.
pub(crate) struct Http1Client {
    connect_timeout: Duration,
    connector: TcpConnector,
    pool: Arc<IdlePool>,
}

/// Why a call failed, and whether its connection had served another response before.
#[derive(Debug)]
pub(crate) struct TransportError {
    pub(crate) error: UpstreamError,
    pub(crate) on_reused_connection: bool,
}

impl Http1Client {
    pub(crate) fn new(connect_timeout: Duration, proxies: &Arc<Proxies>) -> Self {
        Self {
            connect_timeout,
            connector: TcpConnector::new(Arc::clone(proxies)),
            pool: Arc::default(),
        }
    }

    /// Sends a request and waits for the response head; on an idle connection, if there is one and
    /// `allow_reuse` is set. The request is not needed afterwards.
    pub(crate) async fn send(
        &self,
        request_head: &RequestHead,
        body: SegmentedBytes,
        allow_reuse: bool,
    ) -> Result<(ResponseHead, Http1Body), TransportError> {
        let uri = request_head.request.uri();
        let Some(to) = uri.authority() else {
            return Err(TransportError {
                error: UpstreamError::InvalidBaseUrl,
                on_reused_connection: false,
            });
        };
        let idle_connection = if allow_reuse { self.pool.take(to) } else { None };
        let on_reused_connection = idle_connection.is_some();
        let to_transport_error = |error| TransportError { error, on_reused_connection };
        let mut connection = match idle_connection {
            Some(connection) => connection,
            None => self.connect(uri).await.map_err(to_transport_error)?,
        };
        let return_to = (Arc::clone(&self.pool), to.clone());
        let head_bytes =
            head::finish_head(request_head.serialized(), request_head.request.method(), body.len());
        let (head, is_fully_sent) =
            connection.send_request(&head_bytes, body).await.map_err(to_transport_error)?;
        let return_to = (is_fully_sent && head.is_keep_alive).then_some(return_to);
        let body = Http1Body::new(connection, head.decoder, return_to);
        Ok((head, body))
    }

    async fn connect(&self, to: &Uri) -> Result<Connection, UpstreamError> {
        let connecting = self.connector.clone().call(to.clone());
        match timeout(self.connect_timeout, connecting).await {
            Ok(Ok(io)) => Ok(Connection::new(io.into_stream())),
            Ok(Err(error)) => Err(connect_error(error.as_ref(), false)),
            Err(_) => Err(UpstreamError::ConnectTimeout(self.connect_timeout)),
        }
    }
}
