//! Opens TCP and TLS connections to providers, directly or through proxies.

mod io;
mod proxy;
mod tcp;
mod tls;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use rustls::ClientConfig;
use tokio::time::timeout;
use tower_service::Service;

pub(crate) use io::{RespondedFlag, UpstreamIo};
pub use proxy::Proxies;
pub(crate) use tcp::TcpConnector;
pub use tls::{CaBundle, InvalidCaBundle};

use crate::error::{UpstreamError, connect_error};

/// Opens connections with a timeout; errors are classified as [`UpstreamError`].
#[derive(Clone)]
pub(crate) struct Connector {
    timeout: Duration,
    https: HttpsConnector<TcpConnector>,
}

impl Connector {
    /// Connector for `http:` URLs.
    pub(crate) fn cleartext(
        limit: Duration,
        proxies: &Arc<Proxies>,
    ) -> Result<Self, rustls::Error> {
        Ok(Self::new(limit, proxies, tls::cleartext_config()?))
    }

    /// Connector for `https:` URLs, with CA certificates in addition to the system's.
    pub(crate) fn tls(
        limit: Duration,
        proxies: &Arc<Proxies>,
        extra_roots: Option<&CaBundle>,
    ) -> Result<Self, rustls::Error> {
        Ok(Self::new(limit, proxies, tls::client_config(extra_roots)?))
    }

    fn new(timeout: Duration, proxies: &Arc<Proxies>, config: ClientConfig) -> Self {
        let https = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(TcpConnector::new(Arc::clone(proxies)));
        Self { timeout, https }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<UpstreamIo>;
    type Error = UpstreamError;
    type Future = ConnectFuture;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), UpstreamError>> {
        self.https.poll_ready(context).map_err(|error| connect_error(error.as_ref(), false))
    }

    fn call(&mut self, to: Uri) -> ConnectFuture {
        let limit = self.timeout;
        let is_tls = to.scheme_str() == Some("https");
        let connecting = self.https.call(to);
        Box::pin(async move {
            match timeout(limit, connecting).await {
                Ok(result) => result.map_err(|error| connect_error(error.as_ref(), is_tls)),
                Err(_) => Err(UpstreamError::ConnectTimeout(limit)),
            }
        })
    }
}

type ConnectFuture =
    Pin<Box<dyn Future<Output = Result<MaybeHttpsStream<UpstreamIo>, UpstreamError>> + Send>>;
