//! Opens TCP connections, directly or through an HTTP proxy.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiAddrs, GaiResolver, Name};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use tower_service::Service;

use super::io::UpstreamIo;
use super::proxy::Proxies;
use crate::error::{ResolveError, UpstreamError};

/// Opens a TCP connection, directly or through an HTTP proxy.
#[derive(Clone)]
pub(crate) struct TcpConnector {
    http: HttpConnector<Resolver>,
    proxies: Arc<Proxies>,
}

impl TcpConnector {
    pub(crate) fn new(proxies: Arc<Proxies>) -> Self {
        let mut http = HttpConnector::new_with_resolver(Resolver(GaiResolver::new()));
        http.set_nodelay(true);
        // A model may be silent for minutes; keep-alives prevent NAT devices from dropping the
        // connection.
        http.set_keepalive(Some(TCP_KEEPALIVE));
        // HTTPS URIs are allowed here, because TLS is added by the layer above.
        http.enforce_http(false);
        Self { http, proxies }
    }
}

impl Service<Uri> for TcpConnector {
    type Response = UpstreamIo;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<UpstreamIo, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.http.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.proxy_for(&to) else {
            let connecting = self.http.call(to);
            return Box::pin(async move { Ok(UpstreamIo::new(connecting.await?, false)) });
        };
        let uri = proxy.uri().clone();
        if uri.scheme_str() != Some("http") {
            return Box::pin(async { Err(UpstreamError::UnsupportedProxy.into()) });
        }
        if to.scheme_str() == Some("http") {
            // A cleartext request is sent to the proxy itself, with the absolute URI.
            let connecting = self.http.call(uri);
            return Box::pin(async move {
                Ok(UpstreamIo::new(
                    connecting.await.map_err(|_| UpstreamError::ProxyConnect)?,
                    true,
                ))
            });
        }
        let mut tunnel = Tunnel::new(uri, self.http.clone());
        if let Some(auth) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        let tunneling = tunnel.call(to);
        Box::pin(async move {
            Ok(UpstreamIo::new(tunneling.await.map_err(|_| UpstreamError::ProxyConnect)?, false))
        })
    }
}

/// DNS resolver that marks its errors, so that they are classified as DNS errors.
#[derive(Clone)]
struct Resolver(GaiResolver);

impl Service<Name> for Resolver {
    type Response = GaiAddrs;
    type Error = ResolveError;
    type Future = Pin<Box<dyn Future<Output = Result<GaiAddrs, ResolveError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ResolveError>> {
        self.0.poll_ready(context).map_err(ResolveError)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolving = self.0.call(name);
        Box::pin(async move { resolving.await.map_err(ResolveError) })
    }
}

type BoxError = Box<dyn Error + Send + Sync>;

const TCP_KEEPALIVE: Duration = Duration::from_secs(45);
