//! One attempt: a request on one route, until its answer is sure to be one.

use std::mem;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use http::Response;
use http::header::HeaderMap;
use interlingua::guard::Watch;
use interlingua::model::Lessons;
use interlingua::repair::ladder;
use interlingua::{Dialect, Doc, Recalled, Spliced, Target, Text, Translated, open_document};
use serde_json::json;

use crate::affinity::Mark;
use crate::asking::{Again, is_stream, name_of};
use crate::captured::Stage;
use crate::config::{Config, Route};
use crate::heard::Heard;
use crate::heavy::Heavy;
use crate::out::Out;
use crate::paused::Paused;
use crate::placed::placed;
use crate::refusal::Refusal;
use crate::responses::Thread;
use crate::state::Gateway;
use crate::tale::Tale;
use crate::vault::{Keeping, Remembered, Talk};

/// A request of a client, read as far as is needed to send it anywhere.
pub(crate) struct Order<'o> {
    pub(crate) gateway: &'o Gateway,
    pub(crate) config: &'o Config,
    /// Whose conversation it is.
    pub(crate) owner: &'o str,
    /// How its client calls it.
    pub(crate) mark: &'o Mark,
    /// Where it stands among replies that can be named.
    pub(crate) thread: &'o Thread,
    /// The dialect of the body, and the one in which the client wants its answer.
    pub(crate) from: &'static dyn Dialect,
    pub(crate) client: &'static dyn Dialect,
    pub(crate) headers: &'o HeaderMap,
    /// As the client names it.
    pub(crate) model: &'o str,
    pub(crate) stream: bool,
    pub(crate) array: bool,
    /// Whoever answers is to search the web, too.
    pub(crate) searches: bool,
}

/// A request as it leaves, and what its answer is looked at with.
struct Written<'w> {
    translated: Translated<Spliced>,
    watch: Option<Watch>,
    paused: Option<Box<Paused>>,
    held: Talk,
    again: Again<'w>,
    last: bool,
}

impl Order<'_> {
    /// Sends the request on a route. A failure is one that the client has seen nothing of; of the `last` attempt
    /// the client hears whatever the model said.
    pub(crate) async fn attempt(
        &self,
        body: Doc,
        route: &Route,
        (lessons, last): (&Lessons, bool),
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let (to, flavor) = self.speaks(route);
        let model = Self::model_at(route);
        let target = Target {
            model: Some(Text::new(&model)),
            flavor,
            betas: self.betas(to),
            stream: self.stream,
            trusting: true,
            remembers: true,
            conversation: self.mark.name(),
            lessons: lessons.clone(),
        };
        let came = body.text().as_bytes().clone();
        let opened = open_document(body, self.from, to, &target);
        let guard = &self.gateway.guard;
        let watch = guard.watch(self.config, opened.conversation());
        let told = guard.told(self.config, self.owner, opened.conversation()).await;
        let turn = tale.as_ref().map(|tale| tale.id).unwrap_or_default();
        let (said, origin) = (opened.conversation(), self.origin(route));
        let recall = self.gateway.vault.recall(said, self.owner, self.mark, origin, turn);
        let Remembered { restored, talk } = recall.await;
        if let Some(tale) = tale {
            tale.conversation = talk.identity;
        }
        let recalled = Recalled { told, restored };
        let (mut translated, recalled) = if Heavy::is_due(came.len()) {
            let opened = opened.apart();
            self.gateway.heavy.run(move || (opened.written(&recalled), recalled)).await
        } else {
            (opened.written(&recalled), recalled)
        };
        translated.exchange.asked.clone_from(&target.model);
        if let Some(tale) = tale {
            tale.repaired(&translated.ledger);
        }
        let again = || self.written_again(came.clone(), to, &target, &recalled);
        let paused = self.paused(route, &target, &translated.body, &translated.exchange);
        let written = Written { translated, watch, paused, held: talk, again: &again, last };
        // Apart: it is large, and a future that holds all of it would be copied from one room to the next.
        let written = Box::new(written);
        let answered = placed(|| self.answered(route, &model, to, written, tale)).await;
        answered.map_err(|refusal| {
            let complains = ladder::read(to.id(), &refusal.failure).is_some();
            let sent = complains.then(again).flatten().map(Spliced::joined);
            Refusal { sent, ..refusal }
        })
    }

    /// Asks with a request that is written, and waits until the answer is sure to be one.
    async fn answered(
        &self,
        route: &Route,
        model: &str,
        to: &'static dyn Dialect,
        mut written: Box<Written<'_>>,
        tale: &mut Option<Tale>,
    ) -> Result<Response<Out>, Refusal> {
        let body = mem::take(&mut written.translated.body);
        let id = tale.as_mut().map(|tale| {
            let facts =
                || json!({"provider": name_of(route), "model": model, "dialect": to.id().0});
            tale.begins(Stage::ProviderRequest, facts, None);
            for part in body.parts() {
                tale.passes(Stage::ProviderRequest, part);
            }
            tale.asks(name_of(route), model)
        });
        let answer = self.ask_turn(route, model, body, written.again).await?;
        if let Some(tale) = tale {
            let facts = || json!({"status": answer.status});
            let headers = tale.stages.is_some().then(|| &*answer.headers);
            tale.begins(Stage::ProviderReply, facts, headers);
        }
        if !(200..300).contains(&answer.status) {
            return Err(Box::pin(self.refused(route, answer, to, tale)).await);
        }
        let Written { translated, watch, paused, held, last, .. } = *written;
        let mut exchange = translated.exchange;
        exchange.model = Some(Text::new(self.model));
        exchange.id = id.map(|id| Text::new(&id.simple().to_string()));
        exchange.created = now();
        if self.mark.goes_on && self.client.id() == self.from.id() {
            exchange.repeats = self.thread.repeats.clone();
            // Not every provider calls every reply by another name.
            let called = || Some(Text::new(&format!("resp_{}", exchange.id.as_ref()?.raw())));
            exchange.called = (to.id() != self.client.id()).then(called).flatten();
        }
        exchange.array = self.array;
        exchange.carries = true;
        let streamed = is_stream(&answer.headers);
        if let Some(tale) = tale.as_mut() {
            let capture = &self.config.capture;
            let captured = || (Arc::clone(&self.gateway.captured), !capture.redact);
            let desk = || self.gateway.guard.desk(self.owner, capture.enabled.then(captured));
            tale.desk = watch.is_some().then(desk);
            tale.keeping = Some(Keeping::new(&self.gateway.vault, held));
            if self.client.id() == self.from.id() {
                let responses = &self.gateway.responses;
                let by = (to.id() == self.client.id()).then(|| name_of(route));
                let (owner, client) = (self.owner, self.client);
                tale.holding = self.thread.holding(responses, owner, client, by, &exchange);
            }
        }
        let ledger = translated.ledger;
        let body = answer.body;
        let mut heard = Heard { order: self, to, exchange, ledger, body, watch, paused, last };
        let whole = if streamed { None } else { heard.read().await? };
        match (whole, self.stream) {
            (None, true) => heard.stream(tale).await,
            (None, false) => Box::pin(heard.gathered(tale)).await,
            (Some(body), true) => Box::pin(heard.unfolded(body, tale)).await,
            (Some(body), false) => heard.whole(body, tale).await,
        }
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
