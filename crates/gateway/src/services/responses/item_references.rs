//! Resolves `item_reference` input items: they are replaced by the stored items unless the provider
//! has them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bytes::Bytes;
use interlingua::{JsonDoc, RawJson};
use interlingua_model::ApiErrorKind;
use interlingua_store::{RecordKind, RecordStore};
use interlingua_wire::JsonNode;

use super::errors::unreadable;
use crate::http_util::error_response::{ErrorResponse, failure};
use crate::services::responses::stored_reply;
use crate::services::responses::stored_reply::StoredResponse;

/// The item references of a request, and what else one pass over its input tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemReferences {
    items: Vec<ItemReference>,
    /// The input has items that stand for a compacted conversation.
    pub(crate) has_compaction: bool,
    /// The input ends with a request to compact it.
    pub(crate) ends_with_trigger: bool,
    /// `store` is not false: the provider may have its own items stored.
    store_enabled: bool,
}

#[derive(Clone, Debug)]
struct ItemReference {
    id: String,
    /// The item as the client got it.
    item: Option<RawJson>,
    /// The provider that has the item under this id.
    provider: Option<String>,
}

/// The items of one stored reply, by id.
struct ReplyItems {
    items: HashMap<String, RawJson>,
    provider: Option<String>,
}

impl ReplyItems {
    fn decode(body: &Bytes) -> Option<Self> {
        let stored = StoredResponse::decode(body.clone())?;
        let mut items = HashMap::new();
        for item in stored.output() {
            if let Some(id) = stored_reply::item_id(&item) {
                items.entry(id).or_insert(item);
            }
        }
        Some(Self { items, provider: stored.provider })
    }
}

impl ItemReferences {
    /// Looks up the item references of a request, up to `max` bytes.
    pub(crate) async fn resolve(
        store: &dyn RecordStore,
        owner: &str,
        body: &JsonDoc,
        max: usize,
    ) -> Result<Self, ErrorResponse> {
        let root = body.root();
        let input = root.get(stored_reply::INPUT).into_iter().flat_map(JsonNode::items);
        let (mut ids, mut has_compaction, mut ends_with_trigger) = (Vec::new(), false, false);
        for item in input {
            let kind = item.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
            has_compaction |= COMPACTION_TYPES.contains(&&*kind);
            ends_with_trigger = kind == COMPACTION_TRIGGER;
            ids.extend(item_id(&kind, item));
        }
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Self { has_compaction, ends_with_trigger, ..Self::default() });
        }
        let keys: Vec<String> = ids.iter().map(|id| item_key(id)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let hits = store.try_find(RecordKind::Response, owner, &keys).await;
        let hits = hits.map_err(|_| unreadable())?;
        let mut newest: HashMap<&str, &Bytes> = HashMap::new();
        for hit in &hits {
            newest.entry(&hit.key).or_insert(&hit.body);
        }
        // Several items are of one reply, which is decoded once.
        let mut replies: HashMap<usize, Option<ReplyItems>> = HashMap::new();
        let (mut items, mut bytes) = (Vec::with_capacity(ids.len()), 0);
        for (id, key) in ids.into_iter().zip(&keys) {
            let body = newest.get(key).copied();
            let reply = body.and_then(|body| {
                let entry = replies.entry(body.as_ptr().addr());
                if matches!(entry, Entry::Vacant(_)) {
                    bytes += body.len();
                }
                entry.or_insert_with(|| ReplyItems::decode(body)).as_ref()
            });
            if bytes > max.saturating_mul(MAX_DECODED_RATIO) {
                let message = format!(
                    "the replies of the referenced items have more than {MAX_DECODED_RATIO} times \
                     {max} bytes"
                );
                return Err(failure(ApiErrorKind::RequestTooLarge, &message).into());
            }
            let item = reply.and_then(|reply| reply.items.get(&id).cloned());
            let provider = reply.and_then(|reply| reply.provider.clone());
            items.push(ItemReference { id, item, provider });
        }
        let item_bytes = |reference: &ItemReference| {
            reference.item.as_ref().map_or(0, |item| item.as_str().len())
        };
        if items.iter().map(item_bytes).sum::<usize>() > max {
            let message = format!("the referenced items have more than {max} bytes");
            return Err(failure(ApiErrorKind::RequestTooLarge, &message).into());
        }
        let store_enabled = root.get("store").and_then(JsonNode::as_bool) != Some(false);
        has_compaction |= items.iter().any(|reference| {
            let item = reference.item.as_ref().map(RawJson::to_doc);
            item.is_some_and(|item| is_compaction(item.root()))
        });
        Ok(Self { items, has_compaction, ends_with_trigger, store_enabled })
    }

    /// An item that is not stored here. Reasoning is excepted: the conversation continues without
    /// it.
    pub(super) fn unknown_id(&self) -> Option<&str> {
        let is_unknown = |reference: &&ItemReference| {
            reference.item.is_none() && !reference.id.starts_with(REASONING_ID_PREFIX)
        };
        self.items.iter().find(is_unknown).map(|reference| reference.id.as_str())
    }

    /// The referenced items, which can be replaced.
    pub(crate) fn items_mut(&mut self) -> impl Iterator<Item = (&str, &mut RawJson)> {
        self.items
            .iter_mut()
            .filter_map(|reference| Some((&*reference.id, reference.item.as_mut()?)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The request with all items inlined that this provider does not have; with all items if
    /// `provider` is `None`.
    pub(crate) fn inline_for(&self, provider: Option<&str>, body: &JsonDoc) -> Option<Bytes> {
        let is_at_provider = |reference: &ItemReference| {
            self.store_enabled && provider.is_some() && reference.provider.as_deref() == provider
        };
        let inlined = |item: JsonNode<'_>| {
            let id = reference_id(item)?;
            // Sorted by id.
            let at = self.items.binary_search_by(|reference| reference.id.cmp(&id)).ok()?;
            self.items.get(at).filter(|reference| !is_at_provider(reference))?.item.clone()
        };
        let root = body.root();
        let input = || root.get(stored_reply::INPUT).into_iter().flat_map(JsonNode::items);
        if !input().any(|item| inlined(item).is_some()) {
            return None;
        }
        let input: Vec<RawJson> =
            input().map(|item| inlined(item).unwrap_or_else(|| item.json())).collect();
        Some(stored_reply::with_input(root, &[], &input))
    }
}

/// The store key of a reply by one of its items.
pub(super) fn item_key(id: &str) -> String {
    format!("item {id}")
}

/// The id of an item reference.
fn reference_id(item: JsonNode<'_>) -> Option<String> {
    item_id(&item.get("type").map(JsonNode::str_or_empty)?, item)
}

/// The id of an item of this type, if it is a reference.
fn item_id(kind: &str, item: JsonNode<'_>) -> Option<String> {
    let id = || item.get("id").filter(|id| id.is_string());
    (kind == "item_reference").then(id)?.map(|id| id.str_or_empty().into_owned())
}

/// Whether an item stands for a compacted conversation.
pub(crate) fn is_compaction(item: JsonNode<'_>) -> bool {
    item.get("type").is_some_and(|kind| COMPACTION_TYPES.contains(&&*kind.str_or_empty()))
}

/// Types of items with a compacted conversation; older clients know it by another name.
const COMPACTION_TYPES: &[&str] = &["compaction", "compaction_summary", "context_compaction"];
/// The item at the end of an input that is to be compacted.
pub(crate) const COMPACTION_TRIGGER: &str = "compaction_trigger";
/// Bytes of the replies that are decoded for items, as a multiple of the limit for the items.
const MAX_DECODED_RATIO: usize = 8;
/// Prefix of the ids of reasoning items.
const REASONING_ID_PREFIX: &str = "rs_";
