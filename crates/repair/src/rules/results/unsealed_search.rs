//! Describes a web search as text if its results have no seal.
//!
//! The provider accepts the results of its own searches, which it recognizes by a seal on each.
//! Results that another provider found, or that lost their seals, are rejected together with their
//! call.
//!
//! ## Why
//! > messages.1.content.0: Invalid encrypted_content in search_result block
//!
//! ## Example
//! ```text
//! before   assistant: web search for `rust`, its result `Rust` of https://a.example without a seal
//! after    assistant: "[web_search] {"query":"rust"}", "[web_search_tool_result] Rust (https://a.example)"
//! ```

use std::collections::HashSet;

use interlingua_model::{Block, BlockContent, LedgerPath};
use interlingua_providers::profile::web_search::SearchResultSeal;
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::Work;
use crate::query::describe::{self, replace_with_text};

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(seal_profile) = work.profile.tools.web_search.and_then(|search| search.result_seal)
    else {
        return;
    };
    let json_of_kind = |block: &Block, kind: &str| match &block.content {
        BlockContent::Foreign { dialect, kind: block_kind, json } => {
            (*dialect == work.profile.dialect && *block_kind == kind).then(|| json.clone())
        }
        _ => None,
    };
    let all = || work.turns().iter().flat_map(|turn| &turn.blocks);
    let results = all().filter_map(|block| json_of_kind(block, seal_profile.result_kind));
    let unsealed: HashSet<String> = results
        .filter(|json| lacks_seal(seal_profile, json))
        .map(|json| string_field(&json, seal_profile.result_id_field))
        .collect();
    if unsealed.is_empty() {
        return;
    }
    let mut removed = Vec::new();
    for (turn, turn_content) in work.turns().iter().enumerate() {
        for (at, block) in turn_content.blocks.iter().enumerate() {
            let result = json_of_kind(block, seal_profile.result_kind)
                .map(|json| string_field(&json, seal_profile.result_id_field));
            let id = result.or_else(|| {
                json_of_kind(block, seal_profile.call_kind)
                    .map(|json| string_field(&json, seal_profile.call_id_field))
            });
            if id.is_some_and(|id| unsealed.contains(&id)) {
                removed.push((turn, at));
            }
        }
    }
    for (turn, at) in removed {
        let Some(description) = describe::describe(work.block(turn, at)) else { continue };
        work.record_loss(
            LedgerPath::block(turn, at),
            "described a search as text: its results have no seal",
        );
        replace_with_text(work.edit_block(turn, at), description);
    }
}

/// Whether any search hit has no seal.
fn lacks_seal(seal_profile: &SearchResultSeal, result: &RawJson) -> bool {
    let doc = result.to_doc();
    let mut hits = doc.root().get("content").into_iter().flat_map(JsonNode::items);
    hits.any(|hit| {
        let is_sealed = hit
            .get(seal_profile.seal_field)
            .and_then(JsonNode::json_string)
            .is_some_and(|seal| !seal.is_empty());
        hit.get("type").is_some_and(|kind| kind.str_or_empty() == seal_profile.hit_type)
            && !is_sealed
    })
}

fn string_field(json: &RawJson, key: &str) -> String {
    json.to_doc().root().get(key).map(|value| value.str_or_empty().into_owned()).unwrap_or_default()
}
