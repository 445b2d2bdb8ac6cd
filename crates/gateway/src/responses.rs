//! Replies that a later request names: what was said before one is kept here, so that
//! `previous_response_id` goes on at any provider, and on any node.
//!
//! What is kept is what the client said and was given, in its own words: a request that goes on is the one
//! that a client with the whole history would have sent, and takes the same road.

mod held;
mod named;
mod shown;

use std::sync::Arc;

use bytes::Bytes;
use interlingua::model::{Extras, FailureKind};
use interlingua::wire::Node;
use interlingua::{Dialect, Doc, Exchange, Json, Ledger, Reply, Text, encode_reply};
use interlingua_store::{Kind, Record, Store};

use self::held::Held;
use self::named::Named;
pub(crate) use self::shown::shown;
use crate::refusal::{Refusal, failure};
use crate::remembered::{self, Settling};

/// Replies that are kept under the ids that clients know.
#[derive(Debug)]
pub(crate) struct Responses {
    store: Arc<dyn Store>,
}

/// Where a request stands among the replies that can be named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread {
    /// The request with all that was said before it; nothing where it says everything itself.
    pub(crate) whole: Option<Bytes>,
    /// The reply that it goes on from, where that one is not known here.
    unknown: Option<String>,
    /// What it only names.
    pub(crate) named: Named,
    /// What the reply to it repeats.
    pub(crate) repeats: Extras,
    /// The replies that it goes on from, as many as are named at once; the oldest first.
    before: Vec<String>,
    /// What it says itself, where its reply is to be kept.
    said: Option<Json>,
}

/// A reply that is to be kept when it is whole.
pub(crate) struct Holding {
    responses: Arc<Responses>,
    owner: String,
    client: &'static dyn Dialect,
    exchange: Exchange,
    before: Vec<String>,
    said: Json,
    /// The provider whose words the client gets, with the ids that they have there.
    by: Option<String>,
}

/// A reply of a history is not kept here, or its history is longer than was asked for.
struct Gap(Option<String>);

impl Responses {
    pub(crate) fn kept_in(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Where a request stands, and what was said before it. No more than so many bytes are put together.
    pub(crate) async fn thread(
        &self,
        owner: &str,
        body: &Doc,
        dialect: &dyn Dialect,
        most: usize,
    ) -> Result<Thread, Refusal> {
        let root = body.root();
        let given = |key: &str| root.get(key).filter(|value| !value.is_null());
        let is = |key: &str| root.get(key).and_then(Node::boolean);
        let mut thread = Thread::default();
        for key in REPEATED {
            if let Some(value) = given(key) {
                thread.repeats.put(dialect.id(), Text::word(key), value.json());
            }
        }
        // What a provider keeps, or makes later, is nothing that could be put together here.
        let elsewhere = ELSEWHERE.iter().any(|key| given(key).is_some());
        let keeps = is("store") != Some(false) && is("background") != Some(true) && !elsewhere;
        let said = held::items(given("input"));
        let Some(previous) = given(PREVIOUS).filter(|id| id.is_string()).map(Node::word) else {
            thread.said = keeps.then(|| held::list(&said));
            return Ok(thread);
        };
        match self.chain(owner, &previous, most).await {
            Ok(chain) => {
                let last = chain.last().map(|held| held.before.clone()).unwrap_or_default();
                thread.before = held::after(last, &previous);
                thread.whole = Some(held::with_input(root, &chain, &said));
                thread.said = keeps.then(|| held::list(&said));
                Ok(thread)
            }
            Err(Gap(None)) => {
                let message = format!("what was said before has more than {most} bytes");
                Err(failure(FailureKind::TooLarge, &message).into())
            }
            Err(Gap(Some(_))) if self.store.health().trouble.is_some() => {
                let message =
                    "what was said before is in a store that cannot be read at the moment";
                Err(failure(FailureKind::Overloaded, message).into())
            }
            Err(Gap(Some(id))) => {
                thread.unknown = Some(id);
                Ok(thread)
            }
        }
    }

    /// A reply, and all that it goes on from; the oldest first. One question for many of them.
    async fn chain(&self, owner: &str, id: &str, most: usize) -> Result<Vec<Held>, Gap> {
        let mut chain: Vec<Held> = Vec::new();
        let mut wanted = vec![id.to_owned()];
        let mut bytes = 0;
        while !wanted.is_empty() {
            let keys: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let found = self.store.find(Kind::Response, owner, &keys).await;
            let mut earlier = Vec::with_capacity(wanted.len());
            for id in &wanted {
                let one = found.iter().find(|found| found.key == *id);
                let held = one.and_then(|found| Held::read(found.body.clone()));
                let held = held.ok_or_else(|| Gap(Some(id.clone())))?;
                bytes += held.size;
                earlier.push(held);
            }
            if bytes > most {
                return Err(Gap(None));
            }
            wanted = earlier.first().map(|oldest| oldest.before.clone()).unwrap_or_default();
            chain.splice(0..0, earlier);
        }
        Ok(chain)
    }
}

impl Thread {
    /// What is to be done with the reply to it, if anything.
    pub(crate) fn holding(
        &self,
        responses: &Arc<Responses>,
        owner: &str,
        client: &'static dyn Dialect,
        by: Option<&str>,
        exchange: &Exchange,
    ) -> Option<Holding> {
        let said = self.said.clone().filter(|_| self.unknown.is_none())?;
        Some(Holding {
            responses: Arc::clone(responses),
            owner: owner.to_owned(),
            client,
            exchange: exchange.clone(),
            before: self.before.clone(),
            said,
            by: by.map(str::to_owned),
        })
    }

    /// What a client is told whose request names what is not known here.
    pub(crate) fn lacks(&self) -> Option<Refusal> {
        let item = || self.named.unknown().map(unknown_item);
        self.unknown.as_deref().map(unknown).or_else(item)
    }
}

impl Holding {
    /// The reply is whole; `written` is what the client gets of it, if it gets it as one body. Its end is to
    /// be given out when this is settled: then the next request finds it, wherever it is sent.
    pub(crate) fn keep(self, reply: &Reply, written: Option<&Bytes>) -> Option<Settling> {
        let id = reply.id.as_ref()?.contents().into_owned();
        let response = written.cloned().unwrap_or_else(|| {
            encode_reply(reply, self.client, &self.exchange, &mut Ledger::default()).into()
        });
        let (body, items) = held::write(&self.before, &self.said, self.by.as_deref(), response)?;
        let store = Arc::clone(&self.responses.store);
        let keys = std::iter::once(id).chain(items.iter().map(|id| named::key(id))).collect();
        let owner = self.owner;
        store.keep(Record { kind: Kind::Response, owner, keys, body });
        Some(remembered::settling(&store))
    }
}

/// The provider's own words for a reply that it does not know.
fn unknown(id: &str) -> Refusal {
    let message = format!("Previous response with id '{id}' not found.");
    shown::refused(400, &message, Some(PREVIOUS), Some("previous_response_not_found"))
}

/// What a request counts on that lies at a provider of its dialect, and nowhere else.
pub(crate) fn kept_elsewhere(body: &Doc, from: &dyn Dialect) -> Option<&'static str> {
    let is_given = |key: &&str| body.root().get(key).is_some_and(|value| !value.is_null());
    let responses = from.id().0 == "openai-responses";
    ELSEWHERE.into_iter().find(|key| responses && is_given(key))
}

/// The provider's own words for an item that it does not know.
fn unknown_item(id: &str) -> Refusal {
    shown::refused(404, &format!("Item with id '{id}' not found."), Some(held::INPUT), None)
}

const PREVIOUS: &str = "previous_response_id";
/// Histories and templates that lie at a provider.
const ELSEWHERE: [&str; 2] = ["conversation", "prompt"];
/// Fields of a request that a response repeats. Those that are long are not said three times.
const REPEATED: [&str; 3] = [PREVIOUS, "store", "metadata"];
