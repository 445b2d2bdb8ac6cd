//! The ids and the encrypted reasoning that a provider hands out. The judge reads them, the
//! simulator mints them with the same functions.
//!
//! An id is its prefix and three numbers: one of its own, one of the item it is tied to, and a mark
//! that only the provider can make. A reasoning item is tied to the item that follows it, and that
//! item is tied to the reasoning before it, so that the loss of either can be told without state.
//!
//! Encrypted reasoning is bound to the provider, the family of models, the summary and the item's
//! id. A client that leaves ids out leaves out that tie; the rest stays bound.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::profile::family;
use crate::rule::{items, string};
use crate::seal::{Bound, Broken, Key};

/// Who mints: a provider with its key.
#[derive(Clone, Copy, Debug)]
pub struct Mint<'m> {
    pub key: &'m Key,
    /// The flavor: what one provider minted is foreign to another.
    pub provider: &'m str,
    pub model: &'m str,
}

/// What an id says of its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id<'i> {
    own: &'i str,
    /// The own number of the item it is tied to.
    tied: Option<&'i str>,
}

impl Mint<'_> {
    /// An id for an item. Give the seed of the item it is tied to: to a reasoning item the one that
    /// comes next, to any other the reasoning item right before it.
    pub fn id(&self, prefix: &str, seed: &str, tied: Option<&str>) -> String {
        let tied = tied.map_or_else(|| UNTIED.to_owned(), number);
        self.marked(prefix, &number(seed), &tied)
    }

    /// The encrypted content of a reasoning item, whose id and summary are as they will be sent.
    pub fn reasoning(&self, item: &Value) -> String {
        self.sealed(&self.bound("reasoning", &summary(item), item))
    }

    /// The encrypted content of a compaction item, whose id is as it will be sent. Any model reads
    /// it.
    pub fn compaction(&self, item: &Value) -> String {
        self.sealed(&Bound { model: "", ..self.bound("compaction", "", item) })
    }

    /// What is wrong with the encrypted content of an item.
    pub(super) fn broken(&self, item: &Value) -> Option<Broken> {
        let summary = summary(item);
        let bound = match string(item, "type") {
            "reasoning" => self.bound("reasoning", &summary, item),
            _ => Bound { model: "", ..self.bound("compaction", "", item) },
        };
        match string(item, "encrypted_content").strip_prefix(HEAD) {
            Some(seal) => self.key.verify(seal, &bound).err(),
            None => Some(Broken::Foreign),
        }
    }

    /// Whether this is the encrypted content of the item with this id.
    pub(super) fn is_of(&self, item: &Value, id: &str) -> bool {
        let summary = summary(item);
        let bound = Bound { prefix: Some(id), ..self.bound("reasoning", &summary, item) };
        let seal = string(item, "encrypted_content").strip_prefix(HEAD);
        seal.is_some_and(|seal| self.key.verify(seal, &bound).is_ok())
    }

    /// Reads an id that this provider minted.
    pub(super) fn read<'i>(&self, id: &'i str) -> Option<Id<'i>> {
        let (prefix, numbers) = id.split_once('_')?;
        let (own, rest) = numbers.split_at_checked(NUMBER)?;
        let (tied, _) = rest.split_at_checked(NUMBER)?;
        let minted = self.marked(prefix, own, tied) == id;
        minted.then(|| Id { own, tied: Some(tied).filter(|tied| *tied != UNTIED) })
    }

    /// The id of the reasoning item to which this item is tied.
    pub(super) fn reasoning_of(&self, id: &str) -> Option<String> {
        let read = self.read(id).filter(|_| !id.starts_with("rs_"))?;
        Some(self.marked("rs", read.tied?, read.own))
    }

    /// Whether the first item may stand right before the second.
    pub(super) fn follows(&self, reasoning: &str, follower: &str) -> bool {
        match self.read(reasoning).and_then(|id| id.tied) {
            Some(tied) => self.read(follower).is_some_and(|follower| follower.own == tied),
            None => true,
        }
    }

    fn bound<'b>(&'b self, kind: &'b str, contents: &'b str, item: &'b Value) -> Bound<'b> {
        Bound {
            provider: self.provider,
            model: family(self.model),
            kind,
            contents,
            prefix: Some(string(item, "id")).filter(|id| !id.is_empty()),
            ..Bound::default()
        }
    }

    fn sealed(&self, bound: &Bound<'_>) -> String {
        format!("{HEAD}{}", self.key.seal(bound))
    }

    fn marked(&self, prefix: &str, own: &str, tied: &str) -> String {
        let contents = format!("{own}{tied}");
        let provider = self.provider;
        let bound = Bound { provider, kind: prefix, contents: &contents, ..Bound::default() };
        let mark = number(&self.key.seal(&bound));
        format!("{prefix}_{own}{tied}{mark}")
    }
}

/// The texts of a summary, each apart.
fn summary(item: &Value) -> String {
    let texts: Vec<_> = items(item, "summary").iter().map(|part| string(part, "text")).collect();
    if texts.is_empty() { String::new() } else { Value::from(texts).to_string() }
}

fn number(seed: &str) -> String {
    let mut out = String::with_capacity(NUMBER);
    for byte in &Sha256::digest(seed)[..NUMBER / 2] {
        // Writing to a text does not fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

const NUMBER: usize = 16;
const UNTIED: &str = "0000000000000000";
/// How encrypted contents begin.
const HEAD: &str = "gAAAAAB";
