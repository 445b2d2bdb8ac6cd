//! The connections that are kept, in lanes.
//!
//! A provider that speaks HTTP/2 takes about a hundred calls on one connection, and a client that
//! shares it would let the others wait. So only so many calls go into one lane, and each lane has
//! connections of its own; with few calls there is one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::Provider;
use crate::connect::{Authority, Connector, Proxies};
use crate::error::{Trouble, of_tls};

/// All lanes, by whom they trust.
pub(crate) struct Lanes {
    connect: Duration,
    proxies: Arc<Proxies>,
    plain: Lane,
    secure: Mutex<Vec<(Option<Arc<Authority>>, Lane)>>,
}

/// Connections that are shared.
#[derive(Clone)]
pub(crate) struct Lane {
    pub(crate) client: Client<Connector, Full<Bytes>>,
    /// Every call holds one: there are as many calls as there are copies.
    pub(crate) calls: Arc<()>,
}

impl Lanes {
    pub(crate) fn new(connect: Duration, proxies: Arc<Proxies>) -> Result<Self, rustls::Error> {
        let plain = Lane::new(Connector::plain(connect, &proxies)?);
        Ok(Self { connect, proxies, plain, secure: Mutex::default() })
    }

    /// A lane to a provider that has room for one more call.
    pub(crate) fn free(&self, provider: &Provider) -> Result<Lane, Trouble> {
        if provider.base.scheme() == "http" {
            return Ok(self.plain.clone());
        }
        let mut lanes = self.secure.lock().unwrap_or_else(PoisonError::into_inner);
        let free = lanes.iter().find(|(authority, lane)| {
            *authority == provider.authority && Arc::strong_count(&lane.calls) <= ROOM
        });
        if let Some((_, lane)) = free {
            return Ok(lane.clone());
        }
        let authority = provider.authority.as_deref();
        let connector = Connector::secure(self.connect, &self.proxies, authority);
        let lane = Lane::new(connector.map_err(|error| of_tls(&error))?);
        lanes.push((provider.authority.clone(), lane.clone()));
        Ok(lane)
    }
}

impl Lane {
    fn new(connector: Connector) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEPT)
            .pool_max_idle_per_host(KEPT_MOST)
            .http2_initial_stream_window_size(STREAM)
            .http2_initial_connection_window_size(CONNECTION)
            .http2_keep_alive_interval(PULSE)
            .http2_keep_alive_timeout(PULSE)
            .build(connector);
        Self { client, calls: Arc::default() }
    }
}

/// How many calls go into one lane.
const ROOM: usize = 80;

/// How long a connection that nobody uses is kept: less than servers keep theirs.
const KEPT: Duration = Duration::from_secs(55);
const KEPT_MOST: usize = 256;

/// What may be on its way for one call, and for all of a lane together, so that a reader that is
/// slow does not hold up the others.
const STREAM: u32 = 256 * 1024;
const CONNECTION: u32 = 32 * 1024 * 1024;

/// A shared connection that is dead without a word is noticed within twice this time.
const PULSE: Duration = Duration::from_secs(20);
