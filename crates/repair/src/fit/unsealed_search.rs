//! A search whose results nobody has sealed is told in words.
//!
//! The provider takes back the results of its own searches, which it knows by a seal on each. Results that another
//! provider found, or whose seals somebody left out, are refused with the call that they belong to.
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

use interlingua_model::{Block, Body, Place};
use interlingua_wire::{Json, Node};

use crate::Work;
use crate::fit::foreign_block::say;
use crate::profile::searches::Sealed;
use crate::telling;

pub fn apply(work: &mut Work<'_>) {
    let Some(rule) = work.profile.tools.search.and_then(|search| search.sealed) else { return };
    let own = |block: &Block, kind: &str| match &block.body {
        Body::Foreign { dialect, kind: of, json } => {
            (*dialect == work.profile.dialect && *of == kind).then(|| json.clone())
        }
        _ => None,
    };
    let all = || work.turns().iter().flat_map(|turn| &turn.blocks);
    let results = all().filter_map(|block| own(block, rule.result));
    let unsealed: HashSet<String> =
        results.filter(|json| rule.is_broken(json)).map(|json| word(&json, rule.answers)).collect();
    if unsealed.is_empty() {
        return;
    }
    let mut gone = Vec::new();
    for (turn, said) in work.turns().iter().enumerate() {
        for (at, block) in said.blocks.iter().enumerate() {
            let result = own(block, rule.result).map(|json| word(&json, rule.answers));
            let id = result.or_else(|| own(block, rule.call).map(|json| word(&json, rule.id)));
            if id.is_some_and(|id| unsealed.contains(&id)) {
                gone.push((turn, at));
            }
        }
    }
    for (turn, at) in gone {
        let Some(words) = telling::told(work.block(turn, at)) else { continue };
        work.loss(Place::block(turn, at), "a search that nobody has sealed is told in words");
        say(work.edit(turn, at), words);
    }
}

impl Sealed {
    /// Whether something was found that has no seal.
    fn is_broken(&self, result: &Json) -> bool {
        let doc = result.doc();
        let mut found = doc.root().get("content").into_iter().flat_map(Node::items);
        found.any(|one| {
            let sealed =
                one.get(self.seal).and_then(Node::text).is_some_and(|seal| !seal.is_empty());
            one.get("type").is_some_and(|kind| kind.word() == self.found) && !sealed
        })
    }
}

fn word(json: &Json, key: &str) -> String {
    json.doc().root().get(key).map(|word| word.word().into_owned()).unwrap_or_default()
}
