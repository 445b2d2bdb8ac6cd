//! A turn that its provider pauses, for a client whose dialect has no word for that: the provider is asked to go
//! on, and the client hears one reply.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use interlingua::model::{FailureKind, Turn};
use interlingua::{Dialect, Exchange, Failure, Spliced, Target, go_on};
use interlingua_upstream::{Answer, Ask, Call, Provider, Upstream};
use serde_json::json;

use crate::attempt::Order;
use crate::captured::Stage;
use crate::config::{Route, To};
use crate::refusal::failure;
use crate::tale::Tale;

/// What is needed to ask a provider to go on.
pub(crate) struct Paused {
    upstream: Arc<Upstream>,
    provider: Provider,
    target: Target,
    /// As it was sent.
    request: Bytes,
    pub(crate) to: &'static dyn Dialect,
    pub(crate) exchange: Exchange,
    /// It is asked so many times at most.
    left: u8,
    answering: Option<Answering>,
}

type Answering = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send>>;

impl Order<'_> {
    /// For a turn that may be paused: only tools of the provider's own take that long.
    pub(crate) fn paused(
        &self,
        route: &Route,
        target: &Target,
        request: &Spliced,
        exchange: &Exchange,
    ) -> Option<Box<Paused>> {
        let To::Provider(provider) = &route.to else { return None };
        let provider = self.surface(provider, &route.model);
        let to = provider.dialect;
        let may_be = exchange.searches && to.id() != self.client.id();
        may_be.then(|| {
            Box::new(Paused {
                upstream: Arc::clone(&self.gateway.upstream),
                provider: provider.clone(),
                target: target.clone(),
                request: request.clone().joined(),
                to,
                exchange: exchange.clone(),
                left: MOST,
                answering: None,
            })
        })
    }
}

impl Paused {
    /// What follows on what was said so far, if the provider goes on.
    pub(crate) async fn next(&mut self, said: &Turn, tale: &mut Option<Tale>) -> Option<Answer> {
        std::future::poll_fn(|context| self.poll_next(said, tale.as_mut(), context)).await
    }

    pub(crate) fn poll_next(
        &mut self,
        said: &Turn,
        mut tale: Option<&mut Tale>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Answer>> {
        if self.answering.is_none() {
            self.answering = self.ask(said, tale.as_deref_mut());
        }
        let Some(answering) = &mut self.answering else { return Poll::Ready(None) };
        let answered = ready!(answering.as_mut().poll(context));
        self.answering = None;
        let answered = answered.and_then(|answer| match answer.status {
            200..300 => Ok(answer),
            status => {
                let refused = failure(FailureKind::Upstream, "the provider did not go on");
                Err(Failure { status, ..refused })
            }
        });
        if let Some(tale) = tale {
            match &answered {
                Ok(answer) => {
                    let headers = tale.stages.is_some().then(|| &*answer.headers);
                    tale.begins(Stage::ProviderReply, || json!({"status": answer.status}), headers);
                }
                Err(failure) => tale.stumbled(failure),
            }
        }
        Poll::Ready(answered.ok())
    }

    fn ask(&mut self, said: &Turn, tale: Option<&mut Tale>) -> Option<Answering> {
        self.left = self.left.checked_sub(1)?;
        let body = go_on(self.request.clone(), said, self.to, &self.target)?;
        if let Some(tale) = tale {
            let facts = || json!({"provider": self.provider.name, "dialect": self.to.id().0});
            tale.begins(Stage::ProviderRequest, facts, None);
            tale.passes(Stage::ProviderRequest, &body);
        }
        let (upstream, provider) = (Arc::clone(&self.upstream), self.provider.clone());
        let ask = Ask::Turn { stream: self.target.stream };
        let model = self.target.model.as_ref().map(|model| model.contents().into_owned());
        Some(Box::pin(async move {
            let model = model.as_deref().unwrap_or_default();
            let call = Call {
                provider: &provider,
                ask,
                model,
                headers: HeaderMap::new(),
                body: body.into(),
            };
            upstream.call(call).await
        }))
    }
}

/// A provider pauses after as many searches as most turns have in all.
const MOST: u8 = 5;
