//! What models thought, kept for the conversations that come back.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use interlingua::model::{Body, Role};
use interlingua::{Conversation, Reply, Restored};
use interlingua_store::{Found, Kind, Record, Store};
use interlingua_vault::{Kept, Origin, hash, keys_of, restore, runs};
use secrecy::ExposeSecret as _;
use sha2::{Digest as _, Sha256};

use crate::config::{Provider, SIMULATED};

/// Remembers what models thought. Shared by all threads.
pub(crate) struct Vault {
    store: Arc<dyn Store>,
    read: Mutex<Read>,
}

/// A conversation with a model, as far as the vault has to know it.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    /// Whose it is: the name of a client's key, or nothing.
    pub(crate) owner: String,
    pub(crate) identity: u64,
    pub(crate) origin: Origin,
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
        Self { store, read: Mutex::default() }
    }

    /// The turns of a conversation that lack something which was kept of them.
    pub(crate) async fn recall(&self, conversation: &Conversation, talk: &Talk) -> Vec<Restored> {
        let runs = runs(conversation, talk.identity);
        if runs.is_empty() {
            return Vec::new();
        }
        let keys: Vec<&str> = runs.iter().map(|run| run.key.as_str()).collect();
        let mut found: HashMap<String, Vec<Found>> = HashMap::new();
        for one in self.store.find(Kind::Sealed, &talk.owner, &keys).await {
            found.entry(one.key.clone()).or_default().push(one);
        }
        if found.is_empty() {
            return Vec::new();
        }
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let restored = runs.iter().filter_map(|run| {
            let kept = read.all(&talk.owner, found.get(&run.key)?);
            restore(conversation, run, &kept, &talk.origin)
        });
        restored.collect()
    }

    fn keep(&self, talk: &Talk, reply: &Reply) {
        if !Kept::is_worth_it(reply) {
            return;
        }
        let keys = keys_of(reply, talk.identity);
        if keys.is_empty() {
            return;
        }
        let body = Kept::encode(&talk.origin, reply);
        self.store.keep(Record { kind: Kind::Sealed, owner: talk.owner.clone(), keys, body });
    }
}

impl Keeping {
    pub(crate) fn new(vault: &Arc<Vault>, talk: Talk) -> Self {
        Self { vault: Arc::clone(vault), talk }
    }

    /// The reply is whole. To be said before the client has the end of it: it may be back at once.
    pub(crate) fn keep(&self, reply: &Reply) {
        self.vault.keep(&self.talk, reply);
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

/// The same for all requests of a conversation: how its client calls it, and what the user said first,
/// since some call all their conversations the same.
pub(crate) fn identity(mark: Option<u64>, conversation: &Conversation) -> u64 {
    let first = conversation.turns.iter().filter(|turn| turn.role == Role::User).find_map(|turn| {
        turn.blocks.iter().find_map(|block| match &block.body {
            Body::Text { text, .. } if !text.is_blank() => Some(text),
            _ => None,
        })
    });
    let first = first.map(interlingua::Text::contents).unwrap_or_default();
    hash([&mark.unwrap_or_default().to_le_bytes()[..], first.trim().as_bytes()])
}

/// Who seals what a provider says.
pub(crate) fn origin(provider: &Provider, model: &str) -> Origin {
    let account = provider.key.as_ref().map(|key| {
        let digest: [u8; 32] = Sha256::digest(key.expose_secret().as_bytes()).into();
        let (first, _) = digest.split_first_chunk().unwrap_or((&[0; 8], &[]));
        format!("{:016x}", u64::from_be_bytes(*first))
    });
    Origin {
        provider: provider.name.clone(),
        endpoint: provider.base.to_string(),
        account: account.unwrap_or_default(),
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
