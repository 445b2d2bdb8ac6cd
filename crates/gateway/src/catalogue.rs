//! Which models the providers say they have, and how much those read and write; remembered for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::HeaderMap;
use interlingua::Spliced;
use interlingua::wire::Node;
use interlingua_upstream::{Ask, Call, Provider};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::state::Gateway;

/// What was said, by the name and address of who said it.
#[derive(Default)]
pub(crate) struct Catalogue(Mutex<HashMap<String, Known>>);

#[derive(Clone)]
struct Known {
    models: Arc<[Offered]>,
    /// When it is worth asking again.
    until: Instant,
}

/// A model, as its provider names it.
#[derive(Clone, Debug)]
pub(crate) struct Offered {
    pub(crate) name: String,
    pub(crate) tokens: Tokens,
}

/// How many tokens a model reads and writes at most, where that is known. Agents shorten their histories by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) read: Option<u64>,
    pub(crate) written: Option<u64>,
}

/// A provider and its models.
pub(crate) type Listed = (Arc<Provider>, Arc<[Offered]>);

/// The models of those of the providers that say so in time. Who does not keeps those that it said last.
pub(crate) async fn models(gateway: &Arc<Gateway>, providers: &[Arc<Provider>]) -> Vec<Listed> {
    let now = Instant::now();
    let mut asking = JoinSet::new();
    for provider in providers.iter().filter(|provider| provider.answers(Ask::Models)) {
        if gateway.catalogue.known(provider).is_none_or(|known| known.until <= now) {
            // Others who ask meanwhile get what is known, and do not ask too.
            gateway.catalogue.keep(provider, None, now + AGAIN);
            asking.spawn(asked(Arc::clone(gateway), Arc::clone(provider)));
        }
    }
    let all = async { while asking.join_next().await.is_some() {} };
    // Whoever is late is asked another time.
    let _ = timeout(PATIENCE, all).await;
    let listed = |provider: &Arc<Provider>| {
        let models = gateway.catalogue.known(provider)?.models;
        Some((Arc::clone(provider), models))
    };
    providers.iter().filter_map(listed).collect()
}

async fn asked(gateway: Arc<Gateway>, provider: Arc<Provider>) {
    let call = Call {
        provider: &provider,
        ask: Ask::Models,
        model: "",
        headers: HeaderMap::new(),
        body: Spliced::default(),
    };
    let Ok(answer) = gateway.upstream.call(call).await else { return };
    if answer.status != 200 {
        return;
    }
    let Ok(body) = answer.body.whole(LONGEST).await else { return };
    let Ok(body) = interlingua::read_object(body) else { return };
    let lists = LISTS.iter().filter_map(|(list, name)| Some((body.root().get(list)?, *name)));
    let models = lists.flat_map(|(list, name)| {
        list.items().filter_map(move |model| {
            let name = model.get(name)?.word();
            let name = name.strip_prefix(PREFIX).unwrap_or(&name).to_owned();
            Some(Offered { name, tokens: Tokens::of(model) })
        })
    });
    let models: Vec<Offered> = models.filter(|model| !model.name.is_empty()).take(MOST).collect();
    gateway.catalogue.keep(&provider, Some(models.into()), Instant::now() + FRESH);
}

impl Tokens {
    /// As a provider's list says it.
    fn of(model: Node<'_>) -> Self {
        let number = |path: &&[&str]| {
            let found = path.iter().try_fold(model, |node, key| node.get(key))?;
            found.raw().parse().ok().filter(|number| *number > 0)
        };
        let written = WRITTEN.iter().find_map(number);
        // Elsewhere this means other things.
        let beside = || number(&READ[0]).and(number(&&["max_tokens"][..]));
        Self { read: READ.iter().find_map(number), written: written.or_else(beside) }
    }

    /// What both of two models take.
    pub(crate) fn and(self, other: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self { read: least(self.read, other.read), written: least(self.written, other.written) }
    }
}

impl Catalogue {
    fn known(&self, provider: &Provider) -> Option<Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key(provider)).cloned()
    }

    /// Keeps what was said, or what was known before.
    fn keep(&self, provider: &Provider, models: Option<Arc<[Offered]>>, until: Instant) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(key(provider)).or_insert_with(|| Known { models: [].into(), until });
        known.models = models.unwrap_or_else(|| Arc::clone(&known.models));
        known.until = until;
    }
}

fn key(provider: &Provider) -> String {
    format!("{} {}", provider.name, provider.base)
}

/// How each dialect lists models: the list, and the name in it.
const LISTS: &[(&str, &str)] = &[("data", "id"), ("models", "name"), ("modelSummaries", "modelId")];
/// Where lists say how much a model reads: what it may be given first, then what it has room for in all.
const READ: &[&[&str]] = &[
    &["max_input_tokens"],
    &["inputTokenLimit"],
    &["meta", "n_ctx"],
    &["max_model_len"],
    &["top_provider", "context_length"],
    &["context_length"],
    &["context_window"],
    &["max_context_length"],
];
/// Where they say how much it writes.
const WRITTEN: &[&[&str]] = &[
    &["outputTokenLimit"],
    &["top_provider", "max_completion_tokens"],
    &["max_completion_tokens"],
    &["max_output_tokens"],
];
/// What stands before a name that is also a path.
const PREFIX: &str = "models/";

/// How long an answer holds, and how long nobody asks again without one.
const FRESH: Duration = Duration::from_mins(5);
const AGAIN: Duration = Duration::from_secs(20);
/// How long a client waits for all of them.
const PATIENCE: Duration = Duration::from_secs(3);
const LONGEST: usize = 8 * 1024 * 1024;
/// Of one provider.
const MOST: usize = 5000;
