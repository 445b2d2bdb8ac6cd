//! The fields of a request body: read in order, and written back in that order.

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_model::{Conversation, DialectId, Ledger, Place, TopField};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Json, Node};

use crate::note;

/// The fields of the body as written. `known` says whether the model holds a field's meaning.
/// Of duplicate keys only the last stays, and that is noted.
pub fn read_fields(body: &Doc, known: impl Fn(&str) -> bool, ledger: &mut Ledger) -> Vec<TopField> {
    let count = body.root().len();
    let mut fields: Vec<TopField> = Vec::with_capacity(count);
    let mut names = Names::new(count);
    let mut gone = Vec::new();
    for field in body.root().fields() {
        let (key, name) = (field.key(), field.name());
        let known = known(&name);
        if let Some(earlier) = names.add(name, fields.len()) {
            gone.push(earlier);
            let what = format!("`{key}` stands twice: the last one counts");
            ledger.loss(note::DUPLICATE_KEY, Place::BODY, what);
        }
        fields.push(TopField { key, value: field.value.json(), known });
    }
    if !gone.is_empty() {
        gone.sort_unstable();
        let mut at = 0;
        fields.retain(|_| {
            at += 1;
            gone.binary_search(&(at - 1)).is_err()
        });
    }
    fields
}

/// The names that were read, each with its place. Few are sooner compared than looked up.
enum Names<'d> {
    Few(Vec<Cow<'d, str>>),
    Many(HashMap<Cow<'d, str>, usize>),
}

impl<'d> Names<'d> {
    /// Of so many fields.
    fn new(count: usize) -> Self {
        if count <= FEW {
            Self::Few(Vec::with_capacity(count))
        } else {
            Self::Many(HashMap::with_capacity(count))
        }
    }

    /// Adds a name at the next place; where it stood last, if it did.
    fn add(&mut self, name: Cow<'d, str>, place: usize) -> Option<usize> {
        match self {
            Self::Few(names) => {
                let earlier = names.iter().rposition(|earlier| *earlier == name);
                names.push(name);
                earlier
            }
            Self::Many(names) => names.insert(name, place),
        }
    }
}

/// Room for the body that leaves: it is about as long as the one that came.
pub fn room(conversation: &Conversation) -> usize {
    let read: usize = conversation.fields.iter().map(|field| field.value.as_str().len()).sum();
    read + read / 8 + 1024
}

/// The messages of a list, counted. One that is null says nothing, and is skipped and noted.
pub fn messages<'d>(
    list: Node<'d>,
    ledger: &mut Ledger,
) -> impl ExactSizeIterator<Item = Node<'d>> + use<'d> {
    let mut left = 0;
    for (at, item) in list.items().enumerate() {
        if item.is_null() {
            let what = format!("message {at} is null, and skipped");
            ledger.change(note::ODD_INPUT, Place::BODY, what);
        } else {
            left += 1;
        }
    }
    Counted { items: list.items().filter(|item| !item.is_null()), left }
}

/// Items of which it is known how many come.
struct Counted<I> {
    items: I,
    left: usize,
}

impl<I: Iterator> Iterator for Counted<I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.saturating_sub(1);
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for Counted<I> {}

/// Writes a body back in its own dialect: fields in their order, each either as it was written or as
/// `rewrite` writes it. `rewrite` returns false for a field that leaves as written; whatever it
/// wants to add at the end it adds afterwards, to the same object.
pub fn write_fields(
    conversation: &Conversation,
    object: &mut Object<'_>,
    mut rewrite: impl FnMut(&str, &Json, &mut Object<'_>) -> bool,
) {
    for field in &conversation.fields {
        if !rewrite(&field.key.contents(), &field.value, object) {
            object.key_text(&field.key).json(&field.value);
        }
    }
}

/// Notes the fields that cannot cross from the conversation's own dialect into another.
pub fn note_left_out(conversation: &Conversation, to: DialectId, ledger: &mut Ledger) {
    if conversation.source == to {
        return;
    }
    let mut left_out = |name: String| {
        let what = format!("left out `{name}`: {to} has no place for it");
        ledger.loss(note::NO_SUCH_FIELD, Place::BODY, what);
    };
    let source = crate::find(conversation.source.0);
    for field in &conversation.fields {
        if !field.known {
            left_out(field.key.to_string());
            continue;
        }
        let held = source.and_then(|source| source.held_inside(&field.key.contents()));
        let Some(held) = held.filter(|_| field.value.is_object()) else { continue };
        for inner in field.value.doc().root().fields() {
            if !inner.value.is_null() && !held.contains(&&*inner.name()) {
                left_out(format!("{}.{}", field.key, inner.name()));
            }
        }
    }
}

/// How many fields are few.
const FEW: usize = 16;
