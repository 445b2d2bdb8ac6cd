//! Stores sealed reasoning of replies, and restores it in later requests of the conversation.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use interlingua::{Conversation, JsonString, Reply, RestoredTurn};
use interlingua_store::{LookupHit, Record, RecordKind, RecordStore};
use interlingua_vault::{AssistantRun, AssistantRuns, HistoryHashes, ReplyOrigin, VaultEntry};
use interlingua_vault::{assistant_runs, reply_id_key, reply_keys, restore, stable_hash};
use uuid::Uuid;

use crate::config::{BUILTIN_PROVIDER, Provider};
use crate::services::affinity::ConversationKey;
use crate::services::conversations::ConversationIndex;
use crate::services::store;
use crate::services::store::FlushFuture;

/// Stored reasoning, and an index of conversations. Shared by all threads.
pub(crate) struct Vault {
    store: Arc<dyn RecordStore>,
    conversations: ConversationIndex,
    decoded: Mutex<DecodedCache>,
}

/// A conversation with a model.
#[derive(Clone, Debug)]
pub(crate) struct ConversationState {
    /// The name of the caller's key.
    pub(crate) owner: String,
    pub(crate) id: u64,
    pub(crate) origin: ReplyOrigin,
    /// Hashes of the turns.
    history: HistoryHashes,
    /// The client identifies the conversation itself.
    has_client_id: bool,
    /// A later request may continue by reply id.
    supports_chaining: bool,
}

impl ConversationState {
    /// The id that clients and operators see. Two keys may name the same session, so the name of
    /// the key is part of it.
    pub(crate) fn public_id(&self) -> u64 {
        if self.owner.is_empty() {
            return self.id;
        }
        stable_hash([self.owner.as_bytes(), &self.id.to_le_bytes()[..]])
    }
}

/// The result of a lookup.
pub(crate) struct RecallResult {
    /// Turns with restored reasoning.
    pub(crate) restored: Vec<RestoredTurn>,
    pub(crate) conversation: ConversationState,
}

/// Stores one reply when it is complete.
pub(crate) struct ReasoningRecorder {
    vault: Arc<Vault>,
    conversation: ConversationState,
}

/// Recently decoded entries: the same history arrives with every turn and is decoded once.
#[derive(Default)]
struct DecodedCache {
    entries: HashMap<String, Vec<(Bytes, Arc<VaultEntry>)>>,
    insertion_order: VecDeque<String>,
}

impl Vault {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { store, conversations: ConversationIndex::default(), decoded: Mutex::default() }
    }

    /// Identifies the conversation and restores its reasoning. An unknown conversation gets an id
    /// from this turn.
    pub(crate) async fn recall(
        &self,
        conversation: &Conversation,
        owner: &str,
        conversation_key: &ConversationKey,
        origin: ReplyOrigin,
        turn: Uuid,
    ) -> RecallResult {
        let history = HistoryHashes::new(conversation);
        let has_entries = !self.store.is_known_empty(RecordKind::VaultEntry);
        let runs = if has_entries {
            assistant_runs(conversation, &history)
        } else {
            AssistantRuns::default()
        };
        let previous =
            conversation_key.previous_response.as_deref().filter(|_| has_entries).map(reply_id_key);
        let keys: Vec<&str> = runs.keys().chain(previous.as_deref()).collect();
        let mut found: HashMap<String, Vec<LookupHit>> = HashMap::new();
        if !keys.is_empty() {
            for hit in self.store.find(RecordKind::VaultEntry, owner, &keys).await {
                found.entry(hit.key.clone()).or_default().push(hit);
            }
        }
        let known_id = conversation_key.client_session.or_else(|| {
            self.conversations.find(owner, &history, conversation_key.previous_response.as_deref())
        });
        let id = known_id.unwrap_or_else(|| stable_hash([&turn.as_bytes()[..]]));
        let (owner, has_client_id, supports_chaining) = (
            owner.to_owned(),
            conversation_key.client_session.is_some(),
            conversation_key.supports_chaining,
        );
        let mut state =
            ConversationState { owner, id, origin, history, has_client_id, supports_chaining };
        if found.is_empty() {
            return RecallResult { restored: Vec::new(), conversation: state };
        }
        let mut decoded = self.decoded.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries_for =
            |key: &str| found.get(key).map(|hits| decoded.decode_all(&state.owner, hits));
        let mut entries: Vec<Vec<Arc<VaultEntry>>> = Vec::new();
        for run in &runs {
            entries.push(runs.keys_for(run).filter_map(&mut entries_for).flatten().collect());
        }
        let previous_ids = previous
            .as_deref()
            .into_iter()
            .filter_map(&mut entries_for)
            .flatten()
            .map(|entry| entry.conversation_id);
        // The last run identifies the conversation best.
        let id_of_run = |(run, entries): (&AssistantRun, &Vec<Arc<VaultEntry>>)| {
            entries.iter().find(|entry| run.identifies(entry)).map(|entry| entry.conversation_id)
        };
        let identified_ids = runs.iter().zip(&entries).rev().filter_map(id_of_run);
        let known_ids: Vec<u64> =
            known_id.into_iter().chain(previous_ids).chain(identified_ids).collect();
        state.id = known_ids.first().copied().unwrap_or(state.id);
        let restored = runs.iter().zip(&entries).filter_map(|(run, entries)| {
            restore(conversation, run, entries, &state.origin, &known_ids)
        });
        RecallResult { restored: restored.collect(), conversation: state }
    }

    /// Stores the reply; returns whether it wrote a record. With `in_session` the seals are stored
    /// in the session instead.
    fn store_reply(&self, state: &ConversationState, reply: &Reply, in_session: bool) -> bool {
        let id = reply.id.as_ref().filter(|_| state.supports_chaining).map(JsonString::unescape);
        if !state.has_client_id {
            let link = state.history.hash_reply(reply);
            self.conversations.record(&state.owner, link, id.as_deref(), state.id);
        }
        if in_session || !VaultEntry::has_sealed_content(reply) {
            return false;
        }
        let mut keys = reply_keys(reply, &state.history);
        keys.extend(id.as_deref().map(reply_id_key));
        let body = VaultEntry::encode(&state.origin, state.id, state.history.prefix_hash(), reply);
        self.store.put(Record {
            kind: RecordKind::VaultEntry,
            owner: state.owner.clone(),
            keys,
            body,
        });
        true
    }
}

impl ReasoningRecorder {
    pub(crate) fn new(vault: &Arc<Vault>, conversation: ConversationState) -> Self {
        Self { vault: Arc::clone(vault), conversation }
    }

    /// Stores the complete reply. With a shared store the returned future must complete before the
    /// client gets the end: its next request may reach another node. `has_guard_answers` means that
    /// guard answers wait to be flushed too.
    pub(crate) fn record(
        &self,
        reply: &Reply,
        has_guard_answers: bool,
        in_session: bool,
    ) -> Option<FlushFuture> {
        let store = &self.vault.store;
        let is_stored =
            self.vault.store_reply(&self.conversation, reply, in_session) || has_guard_answers;
        (is_stored && store.is_shared()).then(|| store::flush_reply(store))
    }
}

impl DecodedCache {
    /// The decoded entries; damaged ones are skipped.
    fn decode_all(&mut self, owner: &str, hits: &[LookupHit]) -> Vec<Arc<VaultEntry>> {
        let Some(first) = hits.first() else { return Vec::new() };
        let key = format!("{owner} {}", first.key);
        let cached = self.entries.get(&key).map_or(&[][..], Vec::as_slice);
        let is_same = |(body, _): &&(Bytes, Arc<VaultEntry>), hit: &LookupHit| {
            body.as_ptr() == hit.body.as_ptr() && body.len() == hit.body.len()
        };
        let mut fresh = false;
        let mut decoded = Vec::with_capacity(hits.len());
        for hit in hits {
            if let Some((body, entry)) = cached.iter().find(|cached| is_same(cached, hit)) {
                decoded.push((body.clone(), Arc::clone(entry)));
            } else if let Some(entry) = VaultEntry::decode(&hit.body) {
                fresh = true;
                decoded.push((hit.body.clone(), Arc::new(entry)));
            }
        }
        let entries = decoded.iter().map(|(_, entry)| Arc::clone(entry)).collect();
        if fresh {
            if self.entries.insert(key.clone(), decoded).is_none() {
                self.insertion_order.push_back(key);
            }
            while self.insertion_order.len() > MAX_DECODED_KEYS {
                let oldest = self.insertion_order.pop_front();
                oldest.and_then(|oldest| self.entries.remove(&oldest));
            }
        }
        entries
    }
}

/// The origin of the seals in a provider's reply.
pub(crate) fn origin(provider: &Provider, model: &str) -> ReplyOrigin {
    ReplyOrigin {
        provider: provider.name.clone(),
        endpoint: provider.base_url.to_string(),
        account: provider.key_fingerprint().to_owned(),
        model: model.to_owned(),
    }
}

pub(crate) fn builtin_origin(model: &str) -> ReplyOrigin {
    ReplyOrigin {
        provider: BUILTIN_PROVIDER.to_owned(),
        model: model.to_owned(),
        ..ReplyOrigin::default()
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("store", &self.store).finish_non_exhaustive()
    }
}

const MAX_DECODED_KEYS: usize = 8192;
