//! Items that a request says by their ids alone: known here where they came with a reply that is kept.

use bytes::Bytes;
use interlingua::model::FailureKind;
use interlingua::wire::Node;
use interlingua::{Doc, Json};
use interlingua_store::Kind;

use super::Responses;
use super::held::{self, Held};
use crate::refusal::{Refusal, failure};

/// The items that a request only names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    all: Vec<One>,
    /// What a provider keeps may be named: the request does not say that nothing is to be kept.
    keeps: bool,
}

#[derive(Clone, Debug)]
struct One {
    id: String,
    /// What it is, as its client got it.
    item: Option<Json>,
    /// The provider that made it, and knows it by this id.
    by: Option<String>,
}

impl Responses {
    /// The items that a request only names, as far as they are known here; no more than so many bytes.
    pub(crate) async fn named(
        &self,
        owner: &str,
        body: &Doc,
        most: usize,
    ) -> Result<Named, Refusal> {
        let root = body.root();
        let input = root.get(held::INPUT).into_iter().flat_map(Node::items);
        let mut ids: Vec<String> = input.filter_map(named).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Named::default());
        }
        let keys: Vec<String> = ids.iter().map(|id| key(id)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = self.store.find(Kind::Response, owner, &keys).await;
        let (mut all, mut bytes) = (Vec::with_capacity(ids.len()), 0);
        for (id, key) in ids.into_iter().zip(&keys) {
            let held = found.iter().find(|found| found.key == **key);
            let held = held.and_then(|found| Held::read(found.body.clone()));
            let item = held.as_ref().and_then(|held| held.item(&id));
            bytes += item.as_ref().map_or(0, |item| item.as_str().len());
            all.push(One { id, item, by: held.and_then(|held| held.by) });
        }
        if bytes > most {
            let message = format!("what is only named has more than {most} bytes");
            return Err(failure(FailureKind::TooLarge, &message).into());
        }
        let keeps = root.get("store").and_then(Node::boolean) != Some(false);
        Ok(Named { all, keeps })
    }
}

impl Named {
    /// An item that nobody knows here. Without what another model thought the conversation goes on.
    pub(super) fn unknown(&self) -> Option<&str> {
        let is_unknown = |one: &&One| one.item.is_none() && !one.id.starts_with(REASONING);
        self.all.iter().find(is_unknown).map(|one| one.id.as_str())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The request with the items that this provider does not keep, if there are any; with all of them for
    /// nobody in particular.
    pub(crate) fn told_to(&self, provider: Option<&str>, body: &Doc) -> Option<Bytes> {
        let is_kept = |one: &One| self.keeps && provider.is_some() && one.by.as_deref() == provider;
        let told = |item: Node<'_>| {
            let id = named(item)?;
            let one = self.all.iter().find(|one| one.id == id).filter(|one| !is_kept(one))?;
            one.item.clone()
        };
        let root = body.root();
        let input = || root.get(held::INPUT).into_iter().flat_map(Node::items);
        if !input().any(|item| told(item).is_some()) {
            return None;
        }
        let input: Vec<Json> =
            input().map(|item| told(item).unwrap_or_else(|| item.json())).collect();
        Some(held::with_input(root, &[], &input))
    }
}

/// Under which a reply is found by one of its items.
pub(super) fn key(id: &str) -> String {
    format!("item {id}")
}

/// The id of an item that is said by it alone.
fn named(item: Node<'_>) -> Option<String> {
    let kind = item.get("type").map(Node::word);
    let id = item.get("id").filter(|id| id.is_string())?;
    (kind.as_deref() == Some("item_reference")).then(|| id.word().into_owned())
}

/// How ids of reasoning begin.
const REASONING: &str = "rs_";
