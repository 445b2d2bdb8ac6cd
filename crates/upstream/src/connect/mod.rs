//! How connections are made, and what is wrong when none is.

mod dial;
mod proxy;
mod tls;
mod wire;

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use rustls::ClientConfig;
use tokio::time::timeout;
use tower_service::Service;

pub(crate) use dial::{Dial, Unresolved};
pub use proxy::Proxies;
pub use tls::{Authority, NotAuthority};
pub(crate) use wire::{Used, Wire};

use crate::error::{Trouble, of_connecting};

/// Makes connections, each in its time; what goes wrong is said as trouble.
#[derive(Clone)]
pub(crate) struct Connector {
    limit: Duration,
    dial: HttpsConnector<Dial>,
}

impl Connector {
    /// For addresses without TLS.
    pub(crate) fn plain(limit: Duration, proxies: &Arc<Proxies>) -> Result<Self, rustls::Error> {
        Ok(Self::new(limit, proxies, tls::unused()?))
    }

    /// For addresses with TLS, and whom to trust beyond those whom the machine trusts.
    pub(crate) fn secure(
        limit: Duration,
        proxies: &Arc<Proxies>,
        more: Option<&Authority>,
    ) -> Result<Self, rustls::Error> {
        Ok(Self::new(limit, proxies, tls::config(more)?))
    }

    fn new(limit: Duration, proxies: &Arc<Proxies>, config: ClientConfig) -> Self {
        let dial = HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_or_http()
            .enable_all_versions()
            .wrap_connector(Dial::new(Arc::clone(proxies)));
        Self { limit, dial }
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<Wire>;
    type Error = Trouble;
    type Future = Connecting;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Trouble>> {
        self.dial.poll_ready(context).map_err(|error| of_connecting(error.as_ref(), false))
    }

    fn call(&mut self, to: Uri) -> Connecting {
        let limit = self.limit;
        let secure = to.scheme_str() == Some("https");
        let dialling = self.dial.call(to);
        Box::pin(async move {
            match timeout(limit, dialling).await {
                Ok(made) => made.map_err(|error| of_connecting(error.as_ref(), secure)),
                Err(_) => Err(Trouble::Connect(limit)),
            }
        })
    }
}

type Connecting = Pin<Box<dyn Future<Output = Result<MaybeHttpsStream<Wire>, Trouble>> + Send>>;
type Reason = Box<dyn Error + Send + Sync>;
