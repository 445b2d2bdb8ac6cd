//! Decodes and encodes the top-level fields of a request body in their order.

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_model::{Conversation, DialectId, Ledger, LedgerPath, TopLevelField};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, RawJson};

use crate::note;

/// Decodes the fields of the body. `is_known` returns whether a field is decoded into the model. Of
/// duplicate keys only the last is kept, and that is noted.
pub fn decode(
    body: &JsonDoc,
    is_known: impl Fn(&str) -> bool,
    ledger: &mut Ledger,
) -> Vec<TopLevelField> {
    let count = body.root().len();
    let mut fields: Vec<TopLevelField> = Vec::with_capacity(count);
    let mut names = SeenKeys::new(count);
    let mut overwritten = Vec::new();
    for field in body.root().fields() {
        let (key, name) = (field.key_json_string(), field.key());
        let is_known = is_known(&name);
        if let Some(previous) = names.insert(name, fields.len()) {
            overwritten.push(previous);
            let message = format!("`{key}` appears twice: the last one counts");
            ledger.record_loss(note::DUPLICATE_KEY, LedgerPath::BODY, message);
        }
        fields.push(TopLevelField { key, value: field.value.json(), is_modeled: is_known });
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

/// Initial capacity for an encoded body: the size of the decoded one plus a reserve.
pub fn estimate_capacity(conversation: &Conversation) -> usize {
    let decoded_size: usize =
        conversation.top_level_fields.iter().map(|field| field.value.as_str().len()).sum();
    decoded_size + decoded_size / 8 + 1024
}

/// The messages of a list, with their count. Null messages are skipped and noted.
pub fn non_null_items<'d>(
    list: JsonNode<'d>,
    ledger: &mut Ledger,
) -> impl ExactSizeIterator<Item = JsonNode<'d>> + use<'d> {
    let mut count = 0;
    for (at, item) in list.items().enumerate() {
        if item.is_null() {
            let message = format!("message {at} is null: it is skipped");
            ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, message);
        } else {
            count += 1;
        }
    }
    ExactSizeItems { items: list.items().filter(|item| !item.is_null()), remaining: count }
}

/// An iterator with a known length.
struct ExactSizeItems<I> {
    items: I,
    remaining: usize,
}

impl<I: Iterator> Iterator for ExactSizeItems<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.remaining = self.remaining.saturating_sub(1);
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl<I: Iterator> ExactSizeIterator for ExactSizeItems<I> {}

/// Encodes a body in its own dialect, fields in their order. `rewrite` either writes a field and
/// returns true, or returns false to keep the field's text. New fields are added afterwards to the
/// same object.
pub fn encode(
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
pub fn note_dropped_fields(conversation: &Conversation, target: DialectId, ledger: &mut Ledger) {
    if conversation.dialect == target {
        return;
    }
    let mut note_loss = |name: String| {
        let message = format!("left out `{name}`: {target} has no place for it");
        ledger.record_loss(note::NO_SUCH_FIELD, LedgerPath::BODY, message);
    };
    let source = crate::find_dialect(conversation.dialect.0);
    for field in &conversation.top_level_fields {
        if !field.is_modeled {
            note_loss(field.key.to_string());
            continue;
        }
        let known_keys = source.and_then(|source| source.known_subfields(&field.key.unescape()));
        let Some(known_keys) = known_keys.filter(|_| field.value.is_object()) else { continue };
        for subfield in field.value.to_doc().root().fields() {
            if !subfield.value.is_null() && !known_keys.contains(&&*subfield.key()) {
                note_loss(format!("{}.{}", field.key, subfield.key()));
            }
        }
    }
}

/// Up to this many keys, a scan is faster than a map.
const MAX_SCANNED_KEYS: usize = 16;
