//! Decodes and encodes the top-level fields of a request body in their order.

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_model::{Conversation, DialectId, Ledger, LedgerPath, TopLevelField};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, RawJson};

use crate::note;

/// Decodes the fields of the body. `is_known` returns whether a field is decoded into the model,
/// `known_subfields` the keys of an object of which it holds only a part. Of duplicate keys only
/// the last is kept, and that is noted.
pub(crate) fn decode(
    body: &JsonDoc,
    is_known: impl Fn(&str) -> bool,
    known_subfields: impl Fn(&str) -> Option<&'static [&'static str]>,
    ledger: &mut Ledger,
) -> Vec<TopLevelField> {
    let count = body.root().len();
    let mut fields: Vec<TopLevelField> = Vec::with_capacity(count);
    let mut names = SeenKeys::new(count);
    let mut overwritten = Vec::new();
    for field in body.root().fields() {
        let (key, name) = (field.key_json_string(), field.key());
        let (is_modeled, known_subfields) = (is_known(&name), known_subfields(&name));
        if let Some(previous) = names.insert(name, fields.len()) {
            overwritten.push(previous);
            let message = format!("`{key}` appears twice: the last one counts");
            ledger.record_loss(note::DUPLICATE_KEY, LedgerPath::BODY, message);
        }
        fields.push(TopLevelField { key, value: field.value.json(), is_modeled, known_subfields });
    }
    if !overwritten.is_empty() {
        overwritten.sort_unstable();
        let mut at = 0;
        fields.retain(|_| {
            at += 1;
            overwritten.binary_search(&(at - 1)).is_err()
        });
    }
    fields
}

/// The keys read so far with their positions. Up to [`MAX_SCANNED_KEYS`] a list is faster than a
/// map.
enum SeenKeys<'d> {
    List(Vec<Cow<'d, str>>),
    Map(HashMap<Cow<'d, str>, usize>),
}

impl<'d> SeenKeys<'d> {
    /// For a body with `count` fields.
    fn new(count: usize) -> Self {
        if count <= MAX_SCANNED_KEYS {
            Self::List(Vec::with_capacity(count))
        } else {
            Self::Map(HashMap::with_capacity(count))
        }
    }

    /// Adds a key at `position`. Returns its previous position, if there is one.
    fn insert(&mut self, name: Cow<'d, str>, position: usize) -> Option<usize> {
        match self {
            Self::List(names) => {
                let previous = names.iter().rposition(|previous| *previous == name);
                names.push(name);
                previous
            }
            Self::Map(names) => names.insert(name, position),
        }
    }
}

/// Initial capacity for an encoded body: the size of the decoded one plus a reserve. Many blocks that
/// were short, or that repairs have added, make a body several times as long. What is reserved and
/// not used costs no memory, while a body that outgrows its capacity is in memory several times.
pub(crate) fn estimate_capacity(conversation: &Conversation) -> usize {
    let decoded_size: usize =
        conversation.top_level_fields.iter().map(|field| field.value.as_str().len()).sum();
    let blocks: usize = conversation.turns.iter().map(|turn| turn.blocks.len()).sum();
    decoded_size + decoded_size / 8 + blocks * BLOCK_RESERVE_BYTES + 1024
}

/// A call, and an error result that was added for it, take about this much each.
const BLOCK_RESERVE_BYTES: usize = 128;

/// Encodes a body in its own dialect, fields in their order. `rewrite` either writes a field and
/// returns true, or returns false to keep the field's text. New fields are added afterwards to the
/// same object.
pub(crate) fn encode(
    conversation: &Conversation,
    object: &mut ObjectWriter<'_>,
    mut rewrite: impl FnMut(&str, &RawJson, &mut ObjectWriter<'_>) -> bool,
) {
    for field in &conversation.top_level_fields {
        if !rewrite(&field.key.unescape(), &field.value, object) {
            object.key_json_string(&field.key).json(&field.value);
        }
    }
}

/// Notes the fields that another dialect does not have.
pub(crate) fn note_dropped_fields(
    conversation: &Conversation,
    target: DialectId,
    ledger: &mut Ledger,
) {
    if conversation.dialect == target {
        return;
    }
    let mut note_loss = |name: String| {
        let message = format!("left out `{name}`: {target} has no place for it");
        ledger.record_loss(note::NO_SUCH_FIELD, LedgerPath::BODY, message);
    };
    for field in &conversation.top_level_fields {
        if !field.is_modeled {
            note_loss(field.key.to_string());
            continue;
        }
        let known_keys = field.known_subfields.filter(|_| field.value.is_object());
        let Some(known_keys) = known_keys else { continue };
        for subfield in field.value.to_doc().root().fields() {
            if !subfield.value.is_null() && !known_keys.contains(&&*subfield.key()) {
                note_loss(format!("{}.{}", field.key, subfield.key()));
            }
        }
    }
}

/// Up to this many keys, a scan is faster than a map.
const MAX_SCANNED_KEYS: usize = 16;
