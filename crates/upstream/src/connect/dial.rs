//! From an address to a connection: names, TCP, and a proxy where there is one.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::{GaiAddrs, GaiResolver, Name};
use hyper_util::client::legacy::connect::proxy::Tunnel;
use tower_service::Service;

use super::{Proxies, Reason, Wire};
use crate::error::Trouble;

/// Dials an address, directly or through a proxy.
#[derive(Clone)]
pub(crate) struct Dial {
    tcp: HttpConnector<Resolver>,
    proxies: Arc<Proxies>,
}

impl Dial {
    pub(crate) fn new(proxies: Arc<Proxies>) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(Resolver(GaiResolver::new()));
        tcp.set_nodelay(true);
        // A model may think for minutes; what is between must not forget the connection.
        tcp.set_keepalive(Some(PULSE));
        // Whether to speak TLS is decided above.
        tcp.enforce_http(false);
        Self { tcp, proxies }
    }
}

impl Service<Uri> for Dial {
    type Response = Wire;
    type Error = Reason;
    type Future = Pin<Box<dyn Future<Output = Result<Wire, Reason>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Reason>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let Some(proxy) = self.proxies.on_the_way(&to) else {
            let dialling = self.tcp.call(to);
            return Box::pin(async move { Ok(Wire::new(dialling.await?, false)) });
        };
        let uri = proxy.uri().clone();
        if uri.scheme_str() != Some("http") {
            return Box::pin(async { Err(Trouble::ProxyKind.into()) });
        }
        if to.scheme_str() == Some("http") {
            // The proxy reads the request itself, and its head says where it goes.
            let dialling = self.tcp.call(uri);
            return Box::pin(async move {
                Ok(Wire::new(dialling.await.map_err(|_| Trouble::Proxy)?, true))
            });
        }
        let mut tunnel = Tunnel::new(uri, self.tcp.clone());
        if let Some(auth) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(auth.clone());
        }
        let digging = tunnel.call(to);
        Box::pin(async move { Ok(Wire::new(digging.await.map_err(|_| Trouble::Proxy)?, false)) })
    }
}

/// Finds the addresses of a name, and says so when it is the name that has none.
#[derive(Clone)]
struct Resolver(GaiResolver);

impl Service<Name> for Resolver {
    type Response = GaiAddrs;
    type Error = Unresolved;
    type Future = Pin<Box<dyn Future<Output = Result<GaiAddrs, Unresolved>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Unresolved>> {
        self.0.poll_ready(context).map_err(Unresolved)
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolving = self.0.call(name);
        Box::pin(async move { resolving.await.map_err(Unresolved) })
    }
}

/// The name has no address.
#[derive(Debug)]
pub(crate) struct Unresolved(io::Error);

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Unresolved {}

const PULSE: Duration = Duration::from_secs(45);
