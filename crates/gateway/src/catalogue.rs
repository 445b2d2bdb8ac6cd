//! Which models the providers say they have, remembered for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::HeaderMap;
use interlingua_upstream::{Ask, Call, Provider};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::config::Config;
use crate::state::Gateway;

/// What was said, by the name and address of who said it.
#[derive(Default)]
pub(crate) struct Catalogue(Mutex<HashMap<String, Known>>);

#[derive(Clone)]
struct Known {
    models: Arc<[String]>,
    /// When it is worth asking again.
    until: Instant,
}

/// A provider and its models, as it names them.
pub(crate) type Listed = (Arc<Provider>, Arc<[String]>);

/// The models of all providers that say so in time. Who does not keeps those that it said last.
pub(crate) async fn models(gateway: &Arc<Gateway>, config: &Config) -> Vec<Listed> {
    let now = Instant::now();
    let mut asking = JoinSet::new();
    for provider in config.providers.iter().filter(|provider| provider.answers(Ask::Models)) {
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
    config.providers.iter().filter_map(listed).collect()
}

async fn asked(gateway: Arc<Gateway>, provider: Arc<Provider>) {
    let call = Call {
        provider: &provider,
        ask: Ask::Models,
        model: "",
        headers: HeaderMap::new(),
        body: Bytes::new(),
    };
    let Ok(answer) = gateway.upstream.call(call).await else { return };
    if answer.status != 200 {
        return;
    }
    let Ok(body) = answer.body.whole(LONGEST).await else { return };
    let Ok(body) = interlingua::read_object(body) else { return };
    let lists = LISTS.iter().filter_map(|(list, name)| Some((body.root().get(list)?, *name)));
    let names = lists.flat_map(|(list, name)| {
        list.items().filter_map(move |model| Some(model.get(name)?.word().into_owned()))
    });
    let names = names.map(|name| name.strip_prefix(PREFIX).map(str::to_owned).unwrap_or(name));
    let names: Vec<String> = names.filter(|name| !name.is_empty()).take(MOST).collect();
    gateway.catalogue.keep(&provider, Some(names.into()), Instant::now() + FRESH);
}

impl Catalogue {
    fn known(&self, provider: &Provider) -> Option<Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key(provider)).cloned()
    }

    /// Keeps what was said, or what was known before.
    fn keep(&self, provider: &Provider, models: Option<Arc<[String]>>, until: Instant) {
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
