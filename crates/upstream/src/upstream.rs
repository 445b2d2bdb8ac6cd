//! Calls over the network: one question, one answer, and limits of time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{Extensions, HeaderMap, Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::Incoming;
use interlingua::{Failure, Spliced};
use tokio::time::timeout;
use url::Url;

use crate::address::as_uri;
use crate::connect::{Authority, Proxies, Used};
use crate::error::{Trouble, failure, of_tls, trouble};
use crate::lanes::{Lane, Lanes};
use crate::plain::{Plain, Unanswered};
use crate::ready::Heading;
use crate::{Answer, Body, Call, Headers};

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

/// There is no answer.
#[derive(Debug)]
struct Lost {
    failure: Failure,
    /// A connection that answered before and ends now was closed while it was kept: nothing that the
    /// provider or the client did, and nothing they need to hear of. On another one, one may ask again.
    again: bool,
}

/// Calls providers. One for the whole process: it holds the connections.
pub struct Upstream {
    timeouts: Timeouts,
    proxies: Arc<Proxies>,
    plain: Plain,
    lanes: Lanes,
}

impl Upstream {
    /// Without proxies.
    pub fn new(timeouts: Timeouts) -> Result<Self, Failure> {
        Self::through(timeouts, Arc::default())
    }

    /// Through proxies, where there are some.
    pub fn through(timeouts: Timeouts, proxies: Arc<Proxies>) -> Result<Self, Failure> {
        let plain = Plain::new(timeouts.connect, &proxies);
        let lanes = Lanes::new(timeouts.connect, Arc::clone(&proxies));
        let lanes = lanes.map_err(|error| failure("", &of_tls(&error)))?;
        Ok(Self { timeouts, proxies, plain, lanes })
    }

    /// Asks a provider. Whatever it answers, with whatever status, is an answer.
    pub async fn call(&self, call: Call<'_>) -> Result<Answer, Failure> {
        let again = call.clone();
        self.call_or_again(call, || Some(again)).await
    }

    /// As [`Upstream::call`], and holds what is asked only until it is sent. A connection that was kept
    /// may be closed by then: what is asked has to be said again in that case.
    pub async fn call_or_again<'c>(
        &self,
        mut call: Call<'_>,
        again: impl FnOnce() -> Option<Call<'c>>,
    ) -> Result<Answer, Failure> {
        let lost = match self.call_once(&mut call, true).await {
            Ok(answer) => return Ok(answer),
            Err(lost) => lost,
        };
        match lost.again.then(again).flatten() {
            Some(mut call) => self.call_once(&mut call, false).await.map_err(|lost| lost.failure),
            None => Err(lost.failure),
        }
    }

    /// Asks on a connection that was kept, if it may be.
    async fn call_once(&self, call: &mut Call<'_>, may_be_kept: bool) -> Result<Answer, Lost> {
        let provider = call.provider;
        let (name, trusts) = (&provider.name, provider.authority.as_ref());
        let (heading, body) = call.request().map_err(|failure| Lost { failure, again: false })?;
        let asked = self.asked(name, trusts, (heading, body), may_be_kept).await;
        asked.map_err(|Unanswered { trouble, kept }| Lost {
            failure: failure(name, &trouble),
            again: kept && trouble == Trouble::Reset,
        })
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
        let mut request = Request::new(());
        *request.method_mut() = method;
        *request.headers_mut() = headers;
        *request.uri_mut() = uri;
        let asked = self.asked(name, None, (Heading::new(request), body.into()), true).await;
        asked.map_err(|unanswered| failure(name, &unanswered.trouble))
    }

    /// Sends a request on the way that leads there.
    async fn asked(
        &self,
        name: &str,
        trusts: Option<&Arc<Authority>>,
        (heading, body): (Arc<Heading>, Spliced),
        may_be_kept: bool,
    ) -> Result<Answer, Unanswered> {
        let limit = self.timeouts.head;
        let in_vain = |_| Unanswered { trouble: Trouble::Head(limit), kept: false };
        let uri = heading.request.uri();
        let is_plain = uri.scheme() == Some(&Scheme::HTTP);
        let (status, headers, body) = if is_plain && self.proxies.on_the_way(uri).is_none() {
            let asking = self.plain.ask(&heading, body, may_be_kept);
            let (head, body) = timeout(limit, asking).await.map_err(in_vain)??;
            let body = Body::plain(body, self.timeouts.idle, name.to_owned());
            (head.status, head.headers, body)
        } else {
            let asking = self.shared(trusts, heading, body);
            let (response, lane) = timeout(limit, asking).await.map_err(in_vain)??;
            let (head, body) = response.into_parts();
            let body = Body::shared(body, self.timeouts.idle, name.to_owned(), lane);
            (head.status, head.headers.into(), body)
        };
        is_readable(status, &headers).map_err(|trouble| Unanswered { trouble, kept: false })?;
        Ok(Answer { status: status.as_u16(), headers, body })
    }

    /// Sends a request on a connection that others may use at the same time.
    async fn shared(
        &self,
        trusts: Option<&Arc<Authority>>,
        heading: Arc<Heading>,
        body: Spliced,
    ) -> Result<(Response<Incoming>, Arc<Lane>), Unanswered> {
        let mut request = heading.into_request();
        if let Some(leave) = self.proxies.leave(request.uri()) {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, leave);
        }
        let lane = self.lanes.free(request.uri(), trusts);
        let lane = lane.map_err(|trouble| Unanswered { trouble, kept: false })?;
        match lane.client.request(request.map(|()| Full::new(body))).await {
            Ok(response) => {
                if let Some(used) = response.extensions().get::<Used>() {
                    used.mark();
                }
                Ok((response, lane))
            }
            Err(error) => {
                let kept = error.connect_info().is_some_and(|connected| {
                    let mut extras = Extensions::new();
                    connected.get_extras(&mut extras);
                    extras.get::<Used>().is_some_and(Used::is_marked)
                });
                Err(Unanswered { trouble: trouble(&error), kept })
            }
        }
    }

    /// Sends a body to somebody who is no provider; gives the status of the answer.
    pub async fn post(&self, to: &Url, headers: HeaderMap, body: Bytes) -> Result<u16, Failure> {
        let Answer { status, body, .. } = self.send(Method::POST, to, headers, body).await?;
        // A body that was read lets its connection serve again; a long one is not worth it.
        let _ = body.whole(SHORT).await;
        Ok(status)
    }
}

/// Whether an answer is for who asked, and said as it was asked for.
fn is_readable(status: StatusCode, headers: &Headers) -> Result<(), Trouble> {
    if status.is_redirection() {
        return Err(Trouble::Redirect(status.as_u16()));
    }
    match headers.coding() {
        // What stands there is for people to read, whatever it is.
        Some(coding) => Err(Trouble::Encoded(coding.chars().take(20).collect())),
        None => Ok(()),
    }
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// What is read of an answer of which only the status counts.
const SHORT: usize = 64 * 1024;
