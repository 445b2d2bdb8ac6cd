//! Stores replies by their ids, so that `previous_response_id` continues at any provider and on any
//! node.
//!
//! The client's input and output are stored verbatim: a request that continues a stored reply is
//! expanded to the request of a client with the whole history, and takes the same pipeline.

mod errors;
pub(crate) mod item_references;
mod recent_ids;
pub(crate) mod stored_reply;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use interlingua::{
    Dialect, JsonDoc, JsonString, Ledger, RawJson, Reply, ReplyContext, encode_reply,
};
use interlingua_model::{ApiErrorKind, Extras, TakenIds};
use interlingua_store::{Record, RecordKind, RecordStore};
use interlingua_wire::JsonNode;
use tokio::task::yield_now;
use uuid::Uuid;

use self::errors::{
    not_stored_yet, response_not_found, unknown_item, unknown_response, unreadable,
};
use self::item_references::ItemReferences;
use self::recent_ids::RecentIds;
use self::stored_reply::{PREVIOUS_RESPONSE_ID, StoredResponse};
use crate::http_util::client_api::ClientApi;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::services::store;
use crate::services::store::FlushFuture;

/// Stored replies by the ids that clients know.
#[derive(Debug)]
pub(crate) struct ResponseStore {
    store: Arc<dyn RecordStore>,
    recent_ids: Arc<RecentIds>,
    /// The ids of replies that were deleted here.
    deleted_ids: RecentIds,
}

/// A reply that is not stored: only the connection that it was sent on knows it.
pub(crate) struct ConnectionReply {
    pub(crate) id: String,
    /// The stored reply before the input.
    pub(crate) stored_id: Option<String>,
    /// The input of its request, and of those before it that are not stored either.
    pub(crate) input: Vec<RawJson>,
    pub(crate) output: Vec<RawJson>,
}

/// The position of a request among stored replies.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResponseChain {
    /// The request with the whole history inlined; `None` if it continues nothing.
    pub(crate) expanded: Option<Bytes>,
    /// The id of a reply that is not stored here.
    unknown_id: Option<String>,
    /// Input items that are given by id only.
    pub(crate) references: ItemReferences,
    /// Request fields that the response repeats.
    pub(crate) echoed_fields: Extras,
    /// The most recent replies that it continues, oldest first.
    previous_ids: Vec<String>,
    /// The request's own input, if its reply is to be stored.
    input: Option<RawJson>,
}

/// Stores a reply when it is complete.
pub(crate) struct ResponseRecorder {
    store: Arc<ResponseStore>,
    owner: String,
    client: &'static dyn Dialect,
    exchange: ReplyContext,
    previous_ids: Vec<String>,
    input: RawJson,
    /// The provider that made the item ids, if the client gets them unchanged.
    provider: Option<String>,
}

/// Why a history cannot be loaded.
enum ChainError {
    /// A reply of it is not stored here.
    UnknownId(String),
    TooLong,
    Unreadable,
}

impl ResponseStore {
    pub(crate) fn new(store: Arc<dyn RecordStore>) -> Self {
        Self { store, recent_ids: Arc::default(), deleted_ids: RecentIds::default() }
    }

    /// Resolves `previous_response_id`: loads the history, up to `max` bytes, and inlines it. The
    /// newest reply may be one of the client's connection.
    pub(crate) async fn resolve_chain(
        &self,
        owner: &str,
        body: &JsonDoc,
        (dialect, connection_reply): (&dyn Dialect, Option<&ConnectionReply>),
        max: usize,
    ) -> Result<ResponseChain, ErrorResponse> {
        let root = body.root();
        let field = |key: &str| root.get(key).filter(|value| !value.is_null());
        let flag = |key: &str| root.get(key).and_then(JsonNode::as_bool);
        let mut response_chain = ResponseChain::default();
        for key in ECHOED_FIELDS {
            if let Some(value) = field(key) {
                response_chain.echoed_fields.push(
                    dialect.id(),
                    JsonString::from_static(key),
                    value.json(),
                );
            }
        }
        // State at the provider, or a reply in the background, cannot be stored here.
        let state_fields = ClientApi::from_dialect(dialect).provider_state_fields;
        let uses_provider_state = state_fields.iter().any(|key| field(key).is_some());
        let stores_reply = flag("store") != Some(false)
            && flag("background") != Some(true)
            && !uses_provider_state;
        let input = stored_reply::input_items(field("input"));
        let Some(previous) =
            field(PREVIOUS_RESPONSE_ID).filter(|id| id.is_string()).map(JsonNode::str_or_empty)
        else {
            response_chain.input = stores_reply.then(|| stored_reply::json_array(&input));
            return Ok(response_chain);
        };
        let local = connection_reply.filter(|reply| reply.id == *previous);
        let stored_id = local.map_or(Some(&*previous), |reply| reply.stored_id.as_deref());
        let chain = match stored_id {
            Some(id) => self.load_chain(owner, id, max).await,
            None => Ok(Vec::new()),
        };
        match chain {
            Ok(chain) => {
                let last =
                    chain.last().map(|stored| stored.previous_ids.clone()).unwrap_or_default();
                response_chain.previous_ids =
                    stored_id.map(|id| stored_reply::append_id(last, id)).unwrap_or_default();
                let local_items = local.map(ConnectionReply::history_items).unwrap_or_default();
                let input = [local_items, input].concat();
                response_chain.expanded = Some(stored_reply::with_input(root, &chain, &input));
                response_chain.input = stores_reply.then(|| stored_reply::json_array(&input));
                Ok(response_chain)
            }
            Err(ChainError::TooLong) => {
                let message =
                    format!("the history has more than {max} bytes or {MAX_CHAIN_LINKS} replies");
                Err(failure(ApiErrorKind::RequestTooLarge, &message).into())
            }
            Err(ChainError::Unreadable) => Err(unreadable()),
            Err(ChainError::UnknownId(id)) if self.may_arrive(owner, &id) => {
                Err(not_stored_yet(&id))
            }
            Err(ChainError::UnknownId(id)) => {
                response_chain.unknown_id = Some(id);
                Ok(response_chain)
            }
        }
    }

    /// Looks up the item references of a request, up to `max` bytes.
    pub(crate) async fn resolve_references(
        &self,
        owner: &str,
        body: &JsonDoc,
        max: usize,
    ) -> Result<ItemReferences, ErrorResponse> {
        ItemReferences::resolve(&*self.store, owner, body, max).await
    }

    /// A stored reply and its whole history, oldest first. Each lookup fetches up to
    /// `stored::MAX_CHAIN_IDS` replies.
    async fn load_chain(
        &self,
        owner: &str,
        id: &str,
        max: usize,
    ) -> Result<Vec<StoredResponse>, ChainError> {
        let mut newest_first: Vec<StoredResponse> = Vec::new();
        let mut wanted = vec![id.to_owned()];
        // Providers may give several replies one id, so that a reply continues itself.
        let mut seen: HashSet<String> = wanted.iter().cloned().collect();
        let mut bytes = 0;
        while !wanted.is_empty() {
            let keys: Vec<&str> = wanted.iter().map(String::as_str).collect();
            let hits = self.store.try_find(RecordKind::Response, owner, &keys).await;
            let hits = hits.map_err(|_| ChainError::Unreadable)?;
            let mut batch = Vec::with_capacity(wanted.len());
            for id in &wanted {
                let hit = hits.iter().find(|hit| hit.key == *id);
                let stored = hit.and_then(|hit| StoredResponse::decode(hit.body.clone()));
                let stored = stored.ok_or_else(|| ChainError::UnknownId(id.clone()))?;
                bytes += stored.size;
                batch.push(stored);
            }
            if bytes > max || newest_first.len() + batch.len() > MAX_CHAIN_LINKS {
                return Err(ChainError::TooLong);
            }
            wanted = batch.first().map(|oldest| oldest.previous_ids.clone()).unwrap_or_default();
            let new_from = wanted.iter().rposition(|id| !seen.insert(id.clone()));
            wanted.drain(..new_from.map_or(0, |at| at + 1));
            newest_first.extend(batch.into_iter().rev());
            // Records in memory are found without waiting.
            yield_now().await;
        }
        newest_first.reverse();
        Ok(newest_first)
    }

    /// A stored reply.
    pub(crate) async fn get(&self, owner: &str, id: &str) -> Result<StoredResponse, ErrorResponse> {
        let hits = self.store.try_find(RecordKind::Response, owner, &[id]).await;
        let hits = hits.map_err(|_| unreadable())?;
        let stored = hits.first().and_then(|hit| StoredResponse::decode(hit.body.clone()));
        stored.ok_or_else(|| self.not_found(owner, id))
    }

    pub(crate) async fn delete(&self, owner: &str, id: &str) -> Result<(), ErrorResponse> {
        match self.store.remove(RecordKind::Response, Some(owner), Some(id)).await {
            Ok(0) => Err(self.not_found(owner, id)),
            Ok(_) => {
                self.deleted_ids.insert(owner, id);
                Ok(())
            }
            Err(error) => {
                tracing::error!(response = id, "a stored response could not be deleted: {error}");
                let message = "the store cannot be written at the moment";
                Err(failure(ApiErrorKind::Overloaded, message).into())
            }
        }
    }

    /// A stored reply after its whole history.
    pub(crate) async fn history(
        &self,
        owner: &str,
        id: &str,
    ) -> Result<Vec<StoredResponse>, ErrorResponse> {
        self.load_chain(owner, id, usize::MAX).await.map_err(|error| match error {
            ChainError::UnknownId(id) => self.not_found(owner, &id),
            ChainError::Unreadable => unreadable(),
            ChainError::TooLong => response_not_found(id),
        })
    }

    fn not_found(&self, owner: &str, id: &str) -> ErrorResponse {
        if self.may_arrive(owner, id) { not_stored_yet(id) } else { response_not_found(id) }
    }

    /// Whether a missing reply may still be on its way into a shared store: its node gave it out
    /// while the store could not be written.
    fn may_arrive(&self, owner: &str, id: &str) -> bool {
        self.store.is_shared()
            && own_id_age(id).is_some_and(|age| age < MAX_WRITE_DELAY)
            && !self.deleted_ids.contains(owner, id)
    }
}

impl ConnectionReply {
    /// Input and output as input items of a request.
    pub(crate) fn history_items(&self) -> Vec<RawJson> {
        [&self.input[..], &self.output].concat()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.input.iter().chain(&self.output).map(|item| item.as_str().len()).sum()
    }
}

impl ResponseChain {
    /// The ids that the next reply must not have, and the id that it gets instead.
    pub(crate) fn taken_ids(
        &self,
        responses: &ResponseStore,
        owner: &str,
        replacement: JsonString,
    ) -> TakenIds {
        let recent_ids = Arc::clone(&responses.recent_ids);
        let (owner, previous_ids) = (owner.to_owned(), self.previous_ids.clone());
        TakenIds::new(replacement, move |id| {
            previous_ids.iter().any(|previous| id == previous.as_str())
                || recent_ids.contains(&owner, &id.unescape())
        })
    }

    /// The recorder for the reply, if it is to be stored.
    pub(crate) fn recorder(
        &self,
        responses: &Arc<ResponseStore>,
        owner: &str,
        client: &'static dyn Dialect,
        provider: Option<&str>,
        cx: &ReplyContext,
    ) -> Option<ResponseRecorder> {
        let input = self.input.clone().filter(|_| self.unknown_id.is_none())?;
        Some(ResponseRecorder {
            store: Arc::clone(responses),
            owner: owner.to_owned(),
            client,
            exchange: cx.clone(),
            previous_ids: self.previous_ids.clone(),
            input,
            provider: provider.map(str::to_owned),
        })
    }

    /// For a reply that stands for the whole conversation: one that continues it gets these items and
    /// the reply, and nothing before. Without items it is not stored.
    pub(crate) fn restarted_with(&self, items: Option<&[RawJson]>) -> Self {
        let input = self.input.as_ref().and(items).map(stored_reply::json_array);
        Self { input, previous_ids: Vec::new(), ..self.clone() }
    }

    /// The error for a request that refers to unknown replies or items.
    pub(crate) fn unresolved(&self) -> Option<ErrorResponse> {
        let unknown_item_error = || self.references.unknown_id().map(unknown_item);
        self.unknown_id.as_deref().map(unknown_response).or_else(unknown_item_error)
    }
}

impl ResponseRecorder {
    /// Stores the complete reply; `written` is its body if it was sent whole. The end of the
    /// response must wait for the returned future, so that the next request finds the reply on any
    /// node.
    pub(crate) fn record(self, reply: &Reply, written: Option<&Bytes>) -> Option<FlushFuture> {
        let id = reply.id.as_ref()?.unescape().into_owned();
        let response = written.cloned().unwrap_or_else(|| {
            encode_reply(reply, self.client, &self.exchange, &mut Ledger::default()).into()
        });
        let (body, items) = stored_reply::encode(
            &self.previous_ids,
            &self.input,
            self.provider.as_deref(),
            response,
        )?;
        let store = Arc::clone(&self.store.store);
        self.store.recent_ids.insert(&self.owner, &id);
        let keys = std::iter::once(id)
            .chain(items.iter().map(|id| item_references::item_key(id)))
            .collect();
        let owner = self.owner;
        store.put(Record { kind: RecordKind::Response, owner, keys, body });
        Some(store::flush_reply(&store))
    }
}

/// The age of a reply with an id that a gateway has made from the turn's UUID, which holds its time.
fn own_id_age(id: &str) -> Option<Duration> {
    let uuid = Uuid::try_parse(id.strip_prefix("resp_")?).ok()?;
    let (secs, nanos) = uuid.get_timestamp()?.to_unix();
    let (made, now) =
        (Duration::new(secs, nanos), SystemTime::now().duration_since(UNIX_EPOCH).ok()?);
    // Another node's clock may be ahead, but not by much.
    (made < now + MAX_WRITE_DELAY).then(|| now.saturating_sub(made))
}

/// How long a reply may be missing in a shared store after it was given out.
const MAX_WRITE_DELAY: Duration = Duration::from_mins(1);
/// Replies in one history: more requests than any agent sends in one conversation.
const MAX_CHAIN_LINKS: usize = 20_000;
/// Short request fields that a response repeats.
const ECHOED_FIELDS: [&str; 3] = [PREVIOUS_RESPONSE_ID, "store", "metadata"];
