//! Indexed sets of names: a scan per lookup would make long lists quadratic.

use std::borrow::Cow;
use std::collections::HashSet;

use interlingua_wire::{Field, JsonNode, JsonString};

/// Looks up the strings of a list, or the keys of an object. Short ones are scanned, without an
/// allocation.
pub(crate) struct NameIndex<'d> {
    node: JsonNode<'d>,
    names: Option<HashSet<Cow<'d, str>>>,
}

/// Distinct names in the order in which they were inserted.
#[derive(Debug, Default)]
pub(crate) struct OrderedNames {
    names: Vec<JsonString>,
    known: HashSet<String>,
}

impl<'d> NameIndex<'d> {
    pub(crate) fn new(node: JsonNode<'d>) -> Self {
        let is_long = node.len() > MAX_SCANNED_NAMES;
        Self { node, names: is_long.then(|| names_of(node).collect()) }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        match &self.names {
            Some(names) => names.contains(name),
            None => names_of(self.node).any(|known| known == name),
        }
    }
}

impl OrderedNames {
    pub(crate) fn insert(&mut self, name: JsonString) {
        if self.known.insert(name.unescape().into_owned()) {
            self.names.push(name);
        }
    }

    pub(crate) fn contains(&self, name: &JsonString) -> bool {
        self.known.contains(&*name.unescape())
    }

    pub(crate) fn as_slice(&self) -> &[JsonString] {
        &self.names
    }

    pub(crate) fn into_names(self) -> Vec<JsonString> {
        self.names
    }
}

/// Whether no item of a list occurs twice. Items that are not strings count as "".
pub(crate) fn are_unique(list: JsonNode<'_>) -> bool {
    if list.len() > MAX_SCANNED_NAMES {
        let mut known = HashSet::new();
        return list.items().all(|item| known.insert(item.str_or_empty()));
    }
    let is_duplicate = |at: usize, item: JsonNode<'_>| {
        list.items().take(at).any(|earlier| earlier.str_or_empty() == item.str_or_empty())
    };
    !list.items().enumerate().any(|(at, item)| is_duplicate(at, item))
}

/// The fields of an object; of duplicate keys in a long one, only the last.
pub(crate) fn distinct_fields(object: JsonNode<'_>) -> Vec<Field<'_>> {
    let mut fields: Vec<_> = object.fields().collect();
    if fields.len() > MAX_SCANNED_NAMES {
        let mut known = HashSet::new();
        fields.reverse();
        fields.retain(|field| known.insert(field.key()));
        fields.reverse();
    }
    fields
}

fn names_of(node: JsonNode<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let strings = node.items().filter(|item| item.is_string()).map(JsonNode::str_or_empty);
    node.fields().map(Field::key).chain(strings)
}

/// Below this, a scan is faster than a set.
const MAX_SCANNED_NAMES: usize = 16;
