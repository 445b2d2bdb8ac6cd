//! How a provider is asked: in which dialect, for which model, with which headers.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName};
use interlingua::repair::Profile;
use interlingua::{Dialect, Doc, Failure, Recalled, Spliced, Target, Text, open_document};
use interlingua_upstream::{Answer, Ask, Call, Headers, Provider};
use interlingua_vault::Origin;

use crate::attempt::Order;
use crate::builtin::Builtin;
use crate::config::{Route, SIMULATED, To};
use crate::{excess, vault};

impl Order<'_> {
    /// Asks a provider, or the model that is built in.
    pub(crate) async fn ask(
        &self,
        route: &Route,
        ask: Ask,
        model: &str,
        body: Spliced,
    ) -> Result<Answer, Failure> {
        match &route.to {
            To::Simulated => self.gateway.builtin.call(ask, body.joined()).await,
            To::Provider(provider) => {
                let provider = self.surface(provider, model);
                let headers = self.passed_on(provider.dialect);
                self.gateway.upstream.call(Call { provider, ask, model, headers, body }).await
            }
        }
    }

    /// Asks with a request that nobody holds while a provider thinks: where it is needed again, it is
    /// written once more.
    pub(crate) async fn ask_turn(
        &self,
        route: &Route,
        model: &str,
        body: Spliced,
        again: Again<'_>,
    ) -> Result<Answer, Failure> {
        let ask = Ask::Turn { stream: self.stream };
        let To::Provider(provider) = &route.to else {
            return self.ask(route, ask, model, body).await;
        };
        let provider = self.surface(provider, model);
        let call = |body| {
            let headers = self.passed_on(provider.dialect);
            Call { provider, ask, model, headers, body }
        };
        self.gateway.upstream.call_or_again(call(body), || again().map(call)).await
    }

    /// A request as it was sent, from what the client said.
    pub(crate) fn written_again(
        &self,
        came: Bytes,
        to: &'static dyn Dialect,
        target: &Target,
        recalled: &Recalled,
    ) -> Option<Spliced> {
        let body = Doc::from_bytes(came, excess::of_json(&self.config.limits)).ok()?;
        Some(open_document(body, self.from, to, target).written(recalled).body)
    }

    /// Who will be able to open the seals of what comes back on a route.
    pub(crate) fn origin(&self, route: &Route) -> Origin {
        match &route.to {
            To::Simulated => vault::origin_of_built_in(&route.model),
            To::Provider(provider) => {
                vault::origin(self.surface(provider, &route.model), &route.model)
            }
        }
    }

    /// The dialect of a route, and who speaks it.
    pub(crate) fn speaks(&self, route: &Route) -> (&'static dyn Dialect, Option<&'static str>) {
        match &route.to {
            To::Simulated => (self.gateway.builtin.dialect, None),
            To::Provider(provider) => {
                let provider = self.surface(provider, &route.model);
                (provider.dialect, provider.flavor)
            }
        }
    }

    /// A provider in the dialect that it is asked in: the client's own where it speaks that. Where the client
    /// leaves it to whoever answers to search the web, it is one in which the provider does.
    pub(crate) fn surface<'p>(&self, provider: &'p Provider, model: &str) -> &'p Provider {
        if let Some(own) = provider.speaking(self.from.id()) {
            return own;
        }
        let searches = |surface: &&Provider| {
            let model = Some(Text::new(model));
            let target = Target { model, flavor: surface.flavor, ..Target::default() };
            let profile = Profile::of(surface.dialect.id(), &target, None);
            profile.is_some_and(|profile| profile.tools.search.is_some())
        };
        let able = self.searches.then(|| provider.surfaces().find(searches)).flatten();
        able.unwrap_or(provider)
    }

    pub(crate) fn model_at(route: &Route) -> String {
        match &route.to {
            To::Simulated => Builtin::model(&route.model),
            To::Provider(_) => route.model.clone(),
        }
    }

    /// What the client asks for in a header, where the provider may hear of it.
    pub(crate) fn betas(&self, to: &dyn Dialect) -> Vec<Text> {
        if to.id() != self.from.id() && !to.names_betas() {
            return Vec::new();
        }
        let values = self.headers.get_all(&BETAS).into_iter().filter_map(|v| v.to_str().ok());
        let names = values.flat_map(|value| value.split(',')).map(str::trim);
        names.filter(|name| !name.is_empty()).map(Text::new).collect()
    }

    /// Headers that belong to the request, where the provider speaks the client's dialect.
    fn passed_on(&self, to: &dyn Dialect) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if to.id() == self.from.id() {
            for name in [&BETAS, &VERSION] {
                for value in self.headers.get_all(name) {
                    headers.append(name.clone(), value.clone());
                }
            }
        }
        headers
    }
}

/// Writes a request once more.
pub(crate) type Again<'a> = &'a (dyn Fn() -> Option<Spliced> + Sync);

pub(crate) fn is_stream(headers: &Headers) -> bool {
    let kind = headers.content_type().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is = |known: &&str| kind.get(..known.len()).is_some_and(|k| k.eq_ignore_ascii_case(known));
    STREAMS.iter().any(is)
}

/// Whether a body is a stream of events that its head calls something else.
pub(crate) fn is_events(body: &[u8]) -> bool {
    EVENTS.iter().any(|start| body.trim_ascii_start().starts_with(start))
}

pub(crate) fn name_of(route: &Route) -> &str {
    match &route.to {
        To::Simulated => SIMULATED,
        To::Provider(provider) => &provider.name,
    }
}

const STREAMS: &[&str] = &["text/event-stream", "application/vnd.amazon.eventstream"];
/// How a stream of events begins.
const EVENTS: &[&[u8]] = &[b"data:", b"event:", b"id:", b"retry:", b":"];
static BETAS: HeaderName = HeaderName::from_static("anthropic-beta");
static VERSION: HeaderName = HeaderName::from_static("anthropic-version");
