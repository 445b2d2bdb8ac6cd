//! A stream whose provider says nothing for long, not even that it heard: its client is told that somebody
//! is there while the request is still being asked.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http_body::{Body, Frame};
use interlingua::model::{Event, Exchange, FailureKind};
use interlingua::{Dialect, Failure, Ledger, writer};
use interlingua_upstream::Idle;
use metrics::counter;
use uuid::Uuid;

use crate::out::Out;
use crate::refusal::{Refusal, failure, stopped};
use crate::{heard, tale, turn};

/// The turn that a stream of events is wanted from, once that is known.
pub(crate) type Wanted = OnceLock<Uuid>;

pub(crate) type Answering = Pin<Box<dyn Future<Output = Result<Response<Out>, Failure>> + Send>>;

/// An answer that somebody waits for.
pub(crate) struct Awaited {
    pub(crate) answering: Answering,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) wanted: Arc<Wanted>,
    /// Nobody waits for its end any longer.
    pub(crate) over: Arc<AtomicBool>,
    /// So long nothing is sent to who waits for a stream.
    pub(crate) heartbeat: Duration,
    pub(crate) quiet: Option<Idle>,
    /// Who asks.
    pub(crate) peer: IpAddr,
}

/// The body of an answer whose head left before it.
pub(crate) struct Early {
    awaited: Awaited,
    /// The first sign of life leaves with the head.
    greeted: bool,
    answer: Option<Out>,
}

impl Awaited {
    /// The answer; or its head alone, before a client that waits for a stream takes nobody to be there.
    pub(crate) async fn answer(mut self) -> Response<Out> {
        match poll_fn(|context| self.poll_head(context)).await {
            Some(response) => response,
            None => self.early(),
        }
    }

    fn poll_head(&mut self, context: &mut Context<'_>) -> Poll<Option<Response<Out>>> {
        if let Poll::Ready(response) = self.poll(context) {
            return Poll::Ready(Some(response));
        }
        if self.wanted.get().is_some() && self.dialect.waits_longer() {
            return self.poll_quiet(context).map(|()| None);
        }
        Poll::Pending
    }

    fn poll_quiet(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let quiet = self.quiet.get_or_insert_with(|| Idle::new(self.heartbeat));
        quiet.poll(context).map(|_| ())
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Response<Out>> {
        let refused = |failure| Poll::Ready(Refusal::from(failure).response(self.dialect));
        if self.over.load(Ordering::Relaxed) {
            return refused(stopped());
        }
        // A panic is a fault of ours that concerns one request, and only that.
        match catch_unwind(AssertUnwindSafe(|| self.answering.as_mut().poll(context))) {
            Ok(Poll::Ready(Ok(response))) => Poll::Ready(response),
            Ok(Poll::Ready(Err(failure))) => {
                told(&failure, self.peer);
                refused(failure)
            }
            Ok(Poll::Pending) => Poll::Pending,
            Err(_) => {
                tracing::error!(
                    "a fault of the gateway's own; the request is answered with an error"
                );
                refused(failure(FailureKind::Upstream, "a fault inside the gateway"))
            }
        }
    }

    fn early(self) -> Response<Out> {
        let turn = self.wanted.get().map(Uuid::to_string);
        let mut response = Response::new(Out::Early(Box::new(Early {
            awaited: self,
            greeted: false,
            answer: None,
        })));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, heard::EVENTS);
        headers.insert(CACHE_CONTROL, heard::NO_CACHE);
        turn::name(headers, &turn.unwrap_or_default());
        response
    }

    /// What is left to say when the answer is there: its status can no longer be.
    fn rest(&self, response: Response<Out>) -> Out {
        if response.status().is_success() {
            return response.into_body();
        }
        let told = response.extensions().get::<Failure>().cloned();
        let failure = told.unwrap_or_else(|| failure(FailureKind::Upstream, "there is no answer"));
        let mut out = Vec::new();
        let fail = Event::Fail(Box::new(failure));
        let mut writer = writer(self.dialect, &Exchange::default());
        writer.write(&fail, &mut out, &mut Ledger::default());
        Out::Whole(out.into())
    }
}

impl Early {
    pub(crate) fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.answer.is_none()
            && let Poll::Ready(response) = self.awaited.poll(context)
        {
            self.answer = Some(self.awaited.rest(response));
        }
        if let Some(answer) = &mut self.answer {
            return Pin::new(answer).poll_frame(context);
        }
        if std::mem::replace(&mut self.greeted, true) {
            ready!(self.awaited.poll_quiet(context));
        }
        let filler = Bytes::from_static(self.awaited.dialect.filler());
        Poll::Ready(Some(Ok(Frame::data(filler))))
    }

    pub(crate) fn is_end_stream(&self) -> bool {
        self.answer.as_ref().is_some_and(Out::is_end_stream)
    }
}

/// Whoever is turned away at the door begins no turn, and is seen here alone.
fn told(failure: &Failure, peer: IpAddr) {
    let (kind, status) = (tale::kind(failure.kind), failure.status);
    counter!("interlingua_refused_total", "kind" => kind).increment(1);
    let why = &*failure.message.contents();
    tracing::info!(%peer, kind, status, why, "refused");
}
