//! The connections that are kept, in lanes.
//!
//! A provider that speaks HTTP/2 takes about a hundred calls on one connection, and a client that
//! shares it would let the others wait. So only so many calls go into one lane, and each lane has
//! connections of its own; with few calls there is one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use interlingua::Spliced;

use crate::connect::{Authority, Connector, Proxies};
use crate::error::{Trouble, of_tls};

/// All lanes.
pub(crate) struct Lanes {
    connect: Duration,
    proxies: Arc<Proxies>,
    plain: Arc<Lane>,
    secure: Mutex<Vec<Arc<Lane>>>,
}

/// Connections that are shared. Every call holds its lane until its body is over, so there are as
/// many calls in a lane as there are holders.
pub(crate) struct Lane {
    pub(crate) client: Client<Connector, Full<Spliced>>,
    authority: Option<Arc<Authority>>,
}

impl Lanes {
    pub(crate) fn new(connect: Duration, proxies: Arc<Proxies>) -> Result<Self, rustls::Error> {
        let plain = Arc::new(Lane::new(Connector::plain(connect, &proxies)?, None));
        Ok(Self { connect, proxies, plain, secure: Mutex::default() })
    }

    /// A lane that has room for one more call, for what is vouched for by the same.
    pub(crate) fn free(
        &self,
        to: &Uri,
        authority: Option<&Arc<Authority>>,
    ) -> Result<Arc<Lane>, Trouble> {
        if to.scheme() == Some(&Scheme::HTTP) {
            return Ok(Arc::clone(&self.plain));
        }
        let mut lanes = self.secure.lock().unwrap_or_else(PoisonError::into_inner);
        let free = lanes
            .iter()
            .find(|lane| lane.authority.as_ref() == authority && Arc::strong_count(lane) <= ROOM);
        if let Some(lane) = free {
            return Ok(Arc::clone(lane));
        }
        let vouches = authority.map(|authority| &**authority);
        let connector = Connector::secure(self.connect, &self.proxies, vouches);
        let connector = connector.map_err(|error| of_tls(&error))?;
        let lane = Arc::new(Lane::new(connector, authority.cloned()));
        lanes.push(Arc::clone(&lane));
        Ok(lane)
    }
}

impl Lane {
    fn new(connector: Connector, authority: Option<Arc<Authority>>) -> Self {
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEPT)
            .pool_max_idle_per_host(KEPT_MOST)
            .http1_max_buf_size(READ)
            .http2_initial_stream_window_size(STREAM)
            .http2_initial_connection_window_size(CONNECTION)
            .http2_keep_alive_interval(PULSE)
            .http2_keep_alive_timeout(PULSE)
            .build(connector);
        Self { client, authority }
    }
}

/// How many calls go into one lane.
const ROOM: usize = 80;

/// How long a connection that nobody uses is kept: less than servers keep theirs.
const KEPT: Duration = Duration::from_secs(55);
const KEPT_MOST: usize = 256;

/// What is read of an answer before somebody takes it; no head is longer.
const READ: usize = 128 * 1024;

/// What may be on its way for one call, and for all of a lane together, so that a reader that is
/// slow does not hold up the others.
const STREAM: u32 = 256 * 1024;
const CONNECTION: u32 = 32 * 1024 * 1024;

/// A shared connection that is dead without a word is noticed within twice this time.
const PULSE: Duration = Duration::from_secs(20);
