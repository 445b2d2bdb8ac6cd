//! Creates and verifies item ids and encrypted reasoning: the simulator mints them, the judge
//! verifies them.
//!
//! An id has a prefix and three numbers: its own, that of the item it is tied to, and a tag that
//! only the provider can compute. A reasoning item is tied to the item that follows it, and that
//! item to the reasoning before it, so that the loss of either is detected without state.
//!
//! Encrypted reasoning is bound to the provider, the model family, the summary and the item's
//! id. If a client omits ids, only that binding is lost.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::profile::family;
use crate::json::{array_field, str_field};
use crate::seal::{SealClaims, SealError, SealKey};

/// Mints for one provider and model.
#[derive(Clone, Copy, Debug)]
pub struct Minter<'m> {
    pub key: &'m SealKey,
    /// The flavor: content minted by another provider is rejected.
    pub provider: &'m str,
    pub model: &'m str,
}

/// The numbers in an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParsedId<'i> {
    number: &'i str,
    /// The number of the item that it is tied to.
    tied_number: Option<&'i str>,
}

impl Minter<'_> {
    /// An id for an item. `tied` is the seed of the item it is tied to: for a reasoning item the
    /// next item, for any other the reasoning item directly before it.
    pub fn mint_id(&self, prefix: &str, seed: &str, tied: Option<&str>) -> String {
        let tied = tied.map_or_else(|| NO_TIE.to_owned(), hash_number);
        self.signed_id(prefix, &hash_number(seed), &tied)
    }

    /// The encrypted content of a reasoning item. Its id and summary must be final.
    pub fn seal_reasoning(&self, item: &Value) -> String {
        self.seal(&self.claims("reasoning", &summary_text(item), item))
    }

    /// The encrypted content of a compaction item. Its id must be final. It is not bound to a
    /// model.
    pub fn seal_compaction(&self, item: &Value) -> String {
        self.seal(&SealClaims { model: "", ..self.claims("compaction", "", item) })
    }

    /// The seal error of an item's encrypted content.
    pub(super) fn content_error(&self, item: &Value) -> Option<SealError> {
        let summary = summary_text(item);
        let claims = match str_field(item, "type") {
            "reasoning" => self.claims("reasoning", &summary, item),
            _ => SealClaims { model: "", ..self.claims("compaction", "", item) },
        };
        match str_field(item, "encrypted_content").strip_prefix(ENCRYPTED_PREFIX) {
            Some(seal) => self.key.verify(seal, &claims).err(),
            None => Some(SealError::NotAuthentic),
        }
    }

    /// Whether the item's encrypted content belongs to the item with this id.
    pub(super) fn is_content_of(&self, item: &Value, id: &str) -> bool {
        let summary = summary_text(item);
        let claims = SealClaims { prefix: Some(id), ..self.claims("reasoning", &summary, item) };
        let seal = str_field(item, "encrypted_content").strip_prefix(ENCRYPTED_PREFIX);
        seal.is_some_and(|seal| self.key.verify(seal, &claims).is_ok())
    }

    /// Parses an id that this provider minted.
    pub(super) fn parse_id<'i>(&self, id: &'i str) -> Option<ParsedId<'i>> {
        let (prefix, numbers) = id.split_once('_')?;
        let (number, rest) = numbers.split_at_checked(NUMBER_CHARS)?;
        let (tied, _) = rest.split_at_checked(NUMBER_CHARS)?;
        let is_authentic = self.signed_id(prefix, number, tied) == id;
        is_authentic
            .then(|| ParsedId { number, tied_number: Some(tied).filter(|tied| *tied != NO_TIE) })
    }

    /// The id of the reasoning item that this item is tied to.
    pub(super) fn tied_reasoning_id(&self, id: &str) -> Option<String> {
        let parsed = self.parse_id(id).filter(|_| !id.starts_with("rs_"))?;
        Some(self.signed_id("rs", parsed.tied_number?, parsed.number))
    }

    /// Whether `follower` may directly follow `reasoning`.
    pub(super) fn may_follow(&self, reasoning: &str, follower: &str) -> bool {
        match self.parse_id(reasoning).and_then(|id| id.tied_number) {
            Some(tied) => self.parse_id(follower).is_some_and(|follower| follower.number == tied),
            None => true,
        }
    }

    fn claims<'b>(&'b self, kind: &'b str, content: &'b str, item: &'b Value) -> SealClaims<'b> {
        SealClaims {
            provider: self.provider,
            model: family(self.model),
            block_kind: kind,
            content,
            prefix: Some(str_field(item, "id")).filter(|id| !id.is_empty()),
            ..SealClaims::default()
        }
    }

    fn seal(&self, claims: &SealClaims<'_>) -> String {
        format!("{ENCRYPTED_PREFIX}{}", self.key.seal(claims))
    }

    fn signed_id(&self, prefix: &str, number: &str, tied: &str) -> String {
        let content = format!("{number}{tied}");
        let provider = self.provider;
        let claims =
            SealClaims { provider, block_kind: prefix, content: &content, ..SealClaims::default() };
        let tag = hash_number(&self.key.seal(&claims));
        format!("{prefix}_{number}{tied}{tag}")
    }
}

/// The texts of a summary, as JSON so that their boundaries count.
fn summary_text(item: &Value) -> String {
    let texts: Vec<_> =
        array_field(item, "summary").iter().map(|part| str_field(part, "text")).collect();
    if texts.is_empty() { String::new() } else { Value::from(texts).to_string() }
}

fn hash_number(seed: &str) -> String {
    let mut out = String::with_capacity(NUMBER_CHARS);
    for byte in &Sha256::digest(seed)[..NUMBER_CHARS / 2] {
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

const NUMBER_CHARS: usize = 16;
const NO_TIE: &str = "0000000000000000";
/// Prefix of `OpenAI`'s encrypted content.
const ENCRYPTED_PREFIX: &str = "gAAAAAB";
