//! What models thought, kept for the conversations that come back.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use interlingua::{Conversation, Reply, Restored, Text};
use interlingua_store::{Found, Kind, Record, Store};
use interlingua_vault::{History, Kept, Origin, Run, Runs};
use interlingua_vault::{hash, key_of_reply, keys_of, restore, runs};
use uuid::Uuid;

use crate::affinity::Mark;
use crate::config::{Provider, SIMULATED};
use crate::remembered::{self, Settling};
use crate::talks::Talks;

/// Remembers what models thought. Shared by all threads.
pub(crate) struct Vault {
    store: Arc<dyn Store>,
    talks: Talks,
    read: Mutex<Read>,
}

/// A conversation with a model, as far as the vault has to know it.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    /// Whose it is: the name of a client's key, or nothing.
    pub(crate) owner: String,
    /// The conversation that it is.
    pub(crate) identity: u64,
    pub(crate) origin: Origin,
    /// What was said in it.
    history: History,
    /// Its client says which conversation it is.
    is_named: bool,
    /// A later request may name its reply.
    goes_on: bool,
}

/// What is remembered of a request's conversation.
pub(crate) struct Remembered {
    /// The turns that lack something which was kept of them.
    pub(crate) restored: Vec<Restored>,
    pub(crate) talk: Talk,
}

/// One reply that is to be kept when it is whole.
pub(crate) struct Keeping {
    vault: Arc<Vault>,
    talk: Talk,
}

/// What was read lately, so that a history that comes every turn is read once.
#[derive(Default)]
struct Read {
    kept: HashMap<String, Vec<(Bytes, Arc<Kept>)>>,
    order: VecDeque<String>,
}

impl Vault {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store, talks: Talks::default(), read: Mutex::default() }
    }

    /// Which conversation this is, and what it lacks. One that nobody knows begins with this turn.
    pub(crate) async fn recall(
        &self,
        conversation: &Conversation,
        owner: &str,
        mark: &Mark,
        origin: Origin,
        turn: Uuid,
    ) -> Remembered {
        let history = History::of(conversation);
        let looks = !self.store.is_empty(Kind::Sealed);
        let runs = if looks { runs(conversation, &history) } else { Runs::default() };
        let previous = mark.previous.as_deref().filter(|_| looks).map(key_of_reply);
        let keys: Vec<&str> = runs.keys().chain(previous.as_deref()).collect();
        let mut found: HashMap<String, Vec<Found>> = HashMap::new();
        if !keys.is_empty() {
            for one in self.store.find(Kind::Sealed, owner, &keys).await {
                found.entry(one.key.clone()).or_default().push(one);
            }
        }
        let named =
            mark.session.or_else(|| self.talks.of(owner, &history, mark.previous.as_deref()));
        let identity = named.unwrap_or_else(|| hash([&turn.as_bytes()[..]]));
        let (owner, is_named, goes_on) = (owner.to_owned(), mark.session.is_some(), mark.goes_on);
        let mut talk = Talk { owner, identity, origin, history, is_named, goes_on };
        if found.is_empty() {
            return Remembered { restored: Vec::new(), talk };
        }
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = |key: &str| found.get(key).map(|found| read.all(&talk.owner, found));
        let mut kept: Vec<Vec<Arc<Kept>>> = Vec::new();
        for run in &runs {
            kept.push(runs.keys_of(run).filter_map(&mut all).flatten().collect());
        }
        let before = previous
            .as_deref()
            .into_iter()
            .filter_map(&mut all)
            .flatten()
            .map(|kept| kept.conversation);
        // What was said last tells best where it goes on.
        let of_run = |(run, kept): (&Run, &Vec<Arc<Kept>>)| {
            kept.iter().find(|kept| run.is_sure_of(kept)).map(|kept| kept.conversation)
        };
        let sure = runs.iter().zip(&kept).rev().filter_map(of_run);
        let known: Vec<u64> = named.into_iter().chain(before).chain(sure).collect();
        talk.identity = known.first().copied().unwrap_or(talk.identity);
        let restored = runs
            .iter()
            .zip(&kept)
            .filter_map(|(run, kept)| restore(conversation, run, kept, &talk.origin, &known));
        Remembered { restored: restored.collect(), talk }
    }

    /// Whether anything of it is in the store. What is kept elsewhere, with its seals, is not kept twice.
    fn keep(&self, talk: &Talk, reply: &Reply, elsewhere: bool) -> bool {
        let id = reply.id.as_ref().filter(|_| talk.goes_on).map(Text::contents);
        if !talk.is_named {
            let link = talk.history.answer(reply);
            self.talks.heard(&talk.owner, link, id.as_deref(), talk.identity);
        }
        if elsewhere || !Kept::is_worth_it(reply) {
            return false;
        }
        let mut keys = keys_of(reply, &talk.history);
        keys.extend(id.as_deref().map(key_of_reply));
        let body = Kept::encode(&talk.origin, talk.identity, talk.history.asked(), reply);
        self.store.keep(Record { kind: Kind::Sealed, owner: talk.owner.clone(), keys, body });
        true
    }
}

impl Keeping {
    pub(crate) fn new(vault: &Arc<Vault>, talk: Talk) -> Self {
        Self { vault: Arc::clone(vault), talk }
    }

    /// The reply is whole. To be said before the client has the end of it: it may be back at once, and at
    /// another node if there is one, which is to find this and what else was `told` of it. A session is kept
    /// elsewhere.
    pub(crate) fn keep(&self, reply: &Reply, told: bool, elsewhere: bool) -> Option<Settling> {
        let store = &self.vault.store;
        let kept = self.vault.keep(&self.talk, reply, elsewhere) || told;
        (kept && store.is_shared()).then(|| remembered::settling(store))
    }
}

impl Read {
    /// What was found, as turns; what cannot be read is none.
    fn all(&mut self, owner: &str, found: &[Found]) -> Vec<Arc<Kept>> {
        let Some(first) = found.first() else { return Vec::new() };
        let key = format!("{owner} {}", first.key);
        let known = self.kept.get(&key).map_or(&[][..], Vec::as_slice);
        let same = |(body, _): &&(Bytes, Arc<Kept>), found: &Found| {
            body.as_ptr() == found.body.as_ptr() && body.len() == found.body.len()
        };
        let mut fresh = false;
        let mut read = Vec::with_capacity(found.len());
        for one in found {
            if let Some((body, kept)) = known.iter().find(|known| same(known, one)) {
                read.push((body.clone(), Arc::clone(kept)));
            } else if let Some(kept) = Kept::decode(&one.body) {
                fresh = true;
                read.push((one.body.clone(), Arc::new(kept)));
            }
        }
        let kept = read.iter().map(|(_, kept)| Arc::clone(kept)).collect();
        if fresh {
            if self.kept.insert(key.clone(), read).is_none() {
                self.order.push_back(key);
            }
            while self.order.len() > MOST_READ {
                let oldest = self.order.pop_front();
                oldest.and_then(|oldest| self.kept.remove(&oldest));
            }
        }
        kept
    }
}

/// Who seals what a provider says.
pub(crate) fn origin(provider: &Provider, model: &str) -> Origin {
    Origin {
        provider: provider.name.clone(),
        endpoint: provider.base.to_string(),
        account: provider.account().to_owned(),
        model: model.to_owned(),
    }
}

pub(crate) fn origin_of_built_in(model: &str) -> Origin {
    Origin { provider: SIMULATED.to_owned(), model: model.to_owned(), ..Origin::default() }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("store", &self.store).finish_non_exhaustive()
    }
}

/// Turns of a few hundred conversations.
const MOST_READ: usize = 8192;
