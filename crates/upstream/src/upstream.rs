//! Calls over the network: one question, one answer, and limits of time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Extensions, HeaderMap, Method, Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use interlingua::Failure;
use tokio::time::timeout;
use url::Url;

use crate::address::as_uri;
use crate::connect::{Proxies, Used};
use crate::error::{Trouble, failure, of_tls, trouble};
use crate::lanes::{Lane, Lanes};
use crate::{Answer, Body, Call};

/// How long is waited for what. A stream as a whole may take as long as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, from the name to the end of the handshake.
    pub connect: Duration,
    /// For the head of the answer.
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
    proxies: Arc<Proxies>,
    lanes: Lanes,
}

impl Upstream {
    /// Without proxies.
    pub fn new(timeouts: Timeouts) -> Result<Self, Failure> {
        Self::through(timeouts, Arc::default())
    }

    /// Through proxies, where there are some.
    pub fn through(timeouts: Timeouts, proxies: Arc<Proxies>) -> Result<Self, Failure> {
        let lanes = Lanes::new(timeouts.connect, Arc::clone(&proxies));
        let lanes = lanes.map_err(|error| failure("", &of_tls(&error)))?;
        Ok(Self { timeouts, proxies, lanes })
    }

    /// Asks a provider. Whatever it answers, with whatever status, is an answer.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        let provider = call.provider;
        let name = &provider.name;
        let mut request = call.request()?;
        let lane = self
            .lanes
            .free(provider.base.scheme(), provider.authority.as_ref())
            .map_err(|trouble| failure(name, &trouble))?;
        let mut again = true;
        loop {
            if let Some(leave) = self.proxies.leave(request.uri()) {
                request.headers_mut().insert(header::PROXY_AUTHORIZATION, leave);
            }
            let head = self.timeouts.head;
            let error = match timeout(head, lane.client.request(request)).await {
                Ok(Ok(response)) => {
                    let answer = self.answer(name, response, lane);
                    return answer.map_err(|trouble| failure(name, &trouble));
                }
                Ok(Err(error)) => error,
                Err(_) => return Err(failure(name, &Trouble::Head(head))),
            };
            let trouble = trouble(&error);
            // A connection that answered before and ends now was closed while it was kept: nothing
            // that the provider or the client did, and nothing they need to hear of.
            let kept = error.connect_info().is_some_and(|connected| {
                let mut extras = Extensions::new();
                connected.get_extras(&mut extras);
                extras.get::<Used>().is_some_and(Used::is_marked)
            });
            if !(kept && trouble == Trouble::Reset && std::mem::take(&mut again)) {
                return Err(failure(name, &trouble));
            }
            request = call.request()?;
        }
    }

    /// Asks somebody who is no provider.
    pub async fn send(
        &self,
        method: Method,
        to: &Url,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answer, Failure> {
        let name = to.host_str().unwrap_or_default();
        let uri = as_uri(to).ok_or_else(|| failure(name, &Trouble::Address))?;
        let lane = self.lanes.free(to.scheme(), None).map_err(|why| failure(name, &why))?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.headers_mut() = headers;
        if let Some(leave) = self.proxies.leave(&uri) {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, leave);
        }
        *request.uri_mut() = uri;
        match timeout(self.timeouts.head, lane.client.request(request)).await {
            Ok(Ok(response)) => {
                self.answer(name, response, lane).map_err(|trouble| failure(name, &trouble))
            }
            Ok(Err(error)) => Err(failure(name, &trouble(&error))),
            Err(_) => Err(failure(name, &Trouble::Head(self.timeouts.head))),
        }
    }

    /// Sends a body to somebody who is no provider; gives the status of the answer.
    pub async fn post(&self, to: &Url, headers: HeaderMap, body: Bytes) -> Result<u16, Failure> {
        let Answer { status, body, .. } = self.send(Method::POST, to, headers, body).await?;
        // A body that was read lets its connection serve again; a long one is not worth it.
        let _ = body.whole(SHORT).await;
        Ok(status)
    }

    fn answer(
        &self,
        name: &str,
        response: Response<Incoming>,
        lane: Arc<Lane>,
    ) -> Result<Answer, Trouble> {
        let (head, body) = response.into_parts();
        if let Some(used) = head.extensions.get::<Used>() {
            used.mark();
        }
        if head.status.is_redirection() {
            return Err(Trouble::Redirect(head.status.as_u16()));
        }
        let codings = head.headers.get_all(header::CONTENT_ENCODING).into_iter();
        let mut codings = codings.map(|coding| String::from_utf8_lossy(coding.as_bytes()));
        if let Some(coding) = codings.find(|coding| !coding.eq_ignore_ascii_case("identity")) {
            // What stands there is for people to read, whatever it is.
            return Err(Trouble::Encoded(coding.chars().take(20).collect()));
        }
        let body = Body::network(body, self.timeouts.idle, name.to_owned(), lane);
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// What is read of an answer of which only the status counts.
const SHORT: usize = 64 * 1024;
