//! Ids of items that their provider did not make are left out.
//!
//! Where every item of a conversation may have an id of its own, beside that of a call, the provider
//! knows its own ids by their form. Whoever replays a conversation of another provider has others.
//! The ids are optional: calls and results find each other without them. Reasoning under such an id is
//! of another provider, and is left out.
//!
//! ## Why
//! > Invalid 'input\[2\].id': 'call_1'. Expected an ID that begins with 'fc'.
//!
//! > Invalid 'input\[3\].id': string too long. Expected a string with maximum length 64, but got a
//! > string with length 408 instead.
//!
//! > Duplicate item found with id msg_1. Remove duplicate items from your input and try again.
//!
//! ## Example
//! ```text
//! before   {"type": "function_call", "id": "call_1", "call_id": "call_1", …}
//! after    {"type": "function_call", "call_id": "call_1", …}
//! ```

use std::collections::HashSet;

use interlingua_model::{Args, Block, Body, DialectId, Extras, Place, derive_id};
use interlingua_wire::{Json, Text};

use super::lone_reasoning;
use crate::fingerprint::{fingerprint, repeats};
use crate::profile::calls::ItemIds;
use crate::{Work, pairing, thoughts};

pub fn apply(work: &mut Work<'_>) {
    let Some(ids) = work.profile.calls.item_ids else { return };
    if is_fine(work, &ids) {
        return;
    }
    let dialect = work.profile.dialect;
    let mut seen = HashSet::new();
    for turn in 0..work.turns().len() {
        let id = said(&work.turns()[turn].extras, dialect);
        if let Some(id) = id.filter(|id| !ids.accept(Some(ids.message), id, &mut seen)) {
            let kept = crate::extras::without(&work.turns()[turn].extras, dialect, KEY);
            work.turn(turn).extras = kept;
            work.change(Place::turn(turn), format!("left out the id {id}"));
            if id.raw().starts_with(ids.reasoning) {
                thoughts::unname_followers(work, turn + 1);
            }
        }
        let mut at = 0;
        while at < work.blocks(turn).len() {
            at += usize::from(one(work, &ids, turn, at, &mut seen));
        }
    }
    // What came after reasoning is known by its id.
    lone_reasoning::apply(work);
}

/// Whether all ids are of the right form, and perhaps no two the same.
fn is_fine(work: &Work<'_>, ids: &ItemIds) -> bool {
    let (dialect, written_anew) = (work.profile.dialect, pairing::crosses(work));
    let mut seen = Vec::new();
    let mut fits = |(id, prefix): (Text, Option<&str>)| {
        seen.push(fingerprint(&id));
        ids.fit(prefix, &id.contents())
    };
    for turn in work.turns() {
        let id = said(&turn.extras, dialect).map(|id| (id, Some(ids.message)));
        let inner = turn.blocks.iter();
        let mut inner = inner.filter_map(|block| id_of(block, ids, dialect, written_anew));
        if !id.is_none_or(&mut fits) || !inner.all(&mut fits) {
            return false;
        }
    }
    !repeats(&mut seen)
}

/// Looks at one block; whether it is still there.
fn one(
    work: &mut Work<'_>,
    ids: &ItemIds,
    turn: usize,
    at: usize,
    seen: &mut HashSet<String>,
) -> bool {
    let dialect = work.profile.dialect;
    let block = work.block(turn, at);
    let written_anew = pairing::crosses(work);
    let Some((id, prefix)) = id_of(block, ids, dialect, written_anew) else { return true };
    if ids.accept(prefix, &id, seen) {
        return true;
    }
    let place = Place::block(turn, at);
    match &block.body {
        Body::Thinking(_) => {
            work.loss(place, format!("left out reasoning under the id {id}"));
            work.remove(turn, at);
            thoughts::unname_followers(work, turn + 1);
            return false;
        }
        Body::Foreign { json, kind, .. } if !ids.needed.iter().any(|needed| kind == needed) => {
            let kept = Json::object(|object| {
                let doc = json.doc();
                for field in doc.root().fields().filter(|field| !field.is(KEY)) {
                    object.key_text(&field.key()).json(&field.value.json());
                }
            });
            if let Body::Foreign { json, .. } = &mut work.edit(turn, at).body {
                *json = kept;
            }
        }
        Body::Foreign { kind, .. } => {
            let what = format!("left out `{kind}` {id}: it is there already");
            work.loss(place, what);
            work.remove(turn, at);
            return false;
        }
        Body::ToolCall(_) | Body::ToolResult(_) => {
            let kept = crate::extras::without(&block.extras, dialect, KEY);
            work.edit(turn, at).extras = kept;
        }
        Body::Text { .. } | Body::Refusal(_) | Body::Media(_) | Body::Data(_) => return true,
    }
    work.change(place, format!("left out the id {id}"));
    true
}

/// The id of an item, and how it must begin.
fn id_of(
    block: &Block,
    ids: &ItemIds,
    dialect: DialectId,
    written_anew: bool,
) -> Option<(Text, Option<&'static str>)> {
    match &block.body {
        Body::ToolCall(call) => {
            let freeform = matches!(call.args, Args::Freeform(_));
            let prefix = if freeform { ids.freeform } else { ids.call };
            Some((said(&block.extras, dialect)?, Some(prefix)))
        }
        Body::ToolResult(_) => {
            let freeform = block.extras.find(dialect, ids.freeform_mark).is_some();
            let prefix = if freeform { ids.freeform } else { ids.call };
            Some((said(&block.extras, dialect)?, Some(prefix)))
        }
        Body::Thinking(_) => {
            let seal = block.seal.as_ref();
            let id = seal.and_then(|seal| seal.id.clone()).filter(|id| !id.is_empty());
            if let Some(id) = id.or_else(|| said(&block.extras, dialect)) {
                return Some((id, Some(ids.reasoning)));
            }
            // Written anew, it gets an id that depends on the seal alone.
            let data = seal.filter(|_| written_anew).map(|seal| &seal.data)?;
            Some((derive_id(ids.reasoning, data, 0), Some(ids.reasoning)))
        }
        Body::Foreign { dialect: of, kind, json } if *of == dialect => {
            let doc = json.doc();
            let id = doc.root().get(KEY)?.text().filter(|id| !id.is_empty())?;
            let prefix = ids.others.iter().find(|(known, _)| kind == known);
            Some((id, prefix.map(|(_, prefix)| *prefix)))
        }
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Media(_)
        | Body::Data(_)
        | Body::Foreign { .. } => None,
    }
}

fn said(extras: &Extras, dialect: DialectId) -> Option<Text> {
    if extras.is_empty() {
        return None;
    }
    extras.find(dialect, KEY)?.text().filter(|id| !id.is_empty())
}

impl ItemIds {
    /// Whether an id is of the right form, and nothing before has it.
    fn accept(&self, prefix: Option<&str>, id: &Text, seen: &mut HashSet<String>) -> bool {
        let contents = id.contents();
        self.fit(prefix, &contents) && seen.insert(contents.into_owned())
    }

    fn fit(&self, prefix: Option<&str>, id: &str) -> bool {
        prefix.is_none_or(|prefix| id.starts_with(prefix))
            && (id.len() <= self.most || id.chars().count() <= self.most)
    }
}

const KEY: &str = "id";
