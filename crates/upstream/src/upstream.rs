//! Calls over the network: connections that are kept, and limits of time.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use interlingua::Failure;
use tokio::time::timeout;

use crate::error::{Trouble, failure, trouble};
use crate::{Answer, Body, Call, connect};

/// How long is waited for what. A stream as a whole may take as long as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, from the name to the end of the handshake.
    pub connect: Duration,
    /// For the head of the answer, from the connection on.
    pub head: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            head: Duration::from_mins(10),
            idle: Duration::from_mins(5),
        }
    }
}

/// Calls providers. One for the whole process: it holds the connections.
pub struct Upstream {
    timeouts: Timeouts,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Upstream {
    pub fn new(timeouts: Timeouts) -> Result<Self, Failure> {
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEPT)
            .pool_max_idle_per_host(KEPT_MOST)
            .build(connect::plain());
        Ok(Self { timeouts, client })
    }

    /// Asks a provider. Whatever it answers, with whatever status, is an answer.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        let name = &call.provider.name;
        let request = call.request()?;
        let head = self.timeouts.head;
        let response = match timeout(head, self.client.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(failure(name, &trouble(&error))),
            Err(_) => return Err(failure(name, &Trouble::Head(head))),
        };
        self.answer(name, response).map_err(|trouble| failure(name, &trouble))
    }

    fn answer(&self, name: &str, response: Response<Incoming>) -> Result<Answer, Trouble> {
        let (head, body) = response.into_parts();
        if head.status.is_redirection() {
            return Err(Trouble::Redirect(head.status.as_u16()));
        }
        let coding = head.headers.get(header::CONTENT_ENCODING);
        if let Some(coding) =
            coding.filter(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity"))
        {
            return Err(Trouble::Encoded(String::from_utf8_lossy(coding.as_bytes()).into_owned()));
        }
        let body = Body::network(body, self.timeouts.idle, name.to_owned());
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// How long a connection that nobody uses is kept: less than servers keep theirs.
const KEPT: Duration = Duration::from_secs(55);
const KEPT_MOST: usize = 256;
