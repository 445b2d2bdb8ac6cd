//! A typed view of one JSON value.
//!
//! Accessors do not fail: a missing value, or one of another kind, is `None`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::doc::JsonDoc;
use super::json_str::JsonString;
use super::value::RawJson;
use super::{JsonKind, TapeEntry};
use crate::spliced_bytes::SegmentedBytes;

/// A value in a [`JsonDoc`].
#[derive(Clone, Copy)]
pub struct JsonNode<'d> {
    doc: &'d JsonDoc,
    index: u32,
}

/// A key and its value in an object.
#[derive(Clone, Copy)]
pub struct Field<'d> {
    key: &'d TapeEntry,
    /// The field's value.
    pub value: JsonNode<'d>,
}

impl JsonDoc {
    /// The document's value.
    pub fn root(&self) -> JsonNode<'_> {
        JsonNode::root(self)
    }

    /// The node of a value that was read from this document and shares its memory.
    pub fn node_of(&self, value: &RawJson) -> Option<JsonNode<'_>> {
        let value = value.as_str();
        let start = value.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        // No two values begin at the same offset, and nested values follow their parent.
        let index = self.tape.partition_point(|entry| (entry.start as usize) < start);
        let entry = self.tape.get(index)?;
        let is_same_range =
            entry.start as usize == start && entry.end as usize == start + value.len();
        is_same_range.then(|| JsonNode::new(self, index))
    }

    /// The text with another value in place of this one, without copying.
    pub fn replace(&self, node: JsonNode<'_>, value: &RawJson) -> SegmentedBytes {
        SegmentedBytes::new(self.text.as_bytes(), node.range(), value.to_bytes())
    }
}

impl<'d> JsonNode<'d> {
    pub(super) fn root(doc: &'d JsonDoc) -> Self {
        Self { doc, index: 0 }
    }

    pub(super) fn new(doc: &'d JsonDoc, at: usize) -> Self {
        Self { doc, index: at as u32 }
    }

    /// The kind of the value.
    #[inline]
    pub fn kind(self) -> JsonKind {
        self.entry().kind
    }

    /// The exact text of this value.
    #[inline]
    pub fn raw(self) -> &'d str {
        let TapeEntry { start, end, .. } = *self.entry();
        &self.doc.text[start as usize..end as usize]
    }

    /// Byte range of this value in the document's text.
    pub fn range(self) -> Range<usize> {
        let TapeEntry { start, end, .. } = *self.entry();
        start as usize..end as usize
    }

    /// The exact text of this value, sharing the document's memory.
    pub fn json(self) -> RawJson {
        RawJson::from_raw(self.doc.text.slice_ref(self.raw()))
    }

    /// The value as a string, sharing the document's memory.
    pub fn json_string(self) -> Option<JsonString> {
        self.is_string().then(|| JsonString::from_raw(self.doc.text.slice_ref(self.unquoted())))
    }

    /// The contents of the string parsed as JSON, if they are JSON; see [`JsonString::parse_json`].
    pub fn embedded_json(self) -> Option<RawJson> {
        match *self.entry() {
            TapeEntry { kind: JsonKind::String, escape_free: false, .. } => {
                RawJson::parse_escaped(self.unquoted()).ok()
            }
            _ => self.json_string()?.parse_json().ok(),
        }
    }

    /// The unescaped contents of a string, for comparison with constants; "" for other kinds.
    #[inline]
    pub fn str_or_empty(self) -> Cow<'d, str> {
        match *self.entry() {
            TapeEntry { kind: JsonKind::String, escape_free, start, end, .. } => {
                let text = &self.doc.text[start as usize + 1..end as usize - 1];
                if escape_free { Cow::Borrowed(text) } else { unescape(text) }
            }
            _ => Cow::Borrowed(""),
        }
    }

    /// The contents of a string without escapes.
    #[inline]
    pub fn as_escape_free_str(self) -> Option<&'d str> {
        let TapeEntry { kind, escape_free, .. } = *self.entry();
        (kind == JsonKind::String && escape_free).then(|| self.unquoted())
    }

    /// The value of a boolean.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == JsonKind::Bool).then(|| self.raw() == "true")
    }

    /// The value of a whole non-negative number; `1e3` and `12.0` qualify, `-1` does not.
    pub fn as_u64(self) -> Option<u64> {
        if self.kind() == JsonKind::Number { super::value::parse_u64(self.raw()) } else { None }
    }

    /// Whether it is a string.
    #[inline]
    pub fn is_string(self) -> bool {
        self.kind() == JsonKind::String
    }

    /// Whether it is an object.
    #[inline]
    pub fn is_object(self) -> bool {
        self.kind() == JsonKind::Object
    }

    /// Whether it is an array.
    #[inline]
    pub fn is_array(self) -> bool {
        self.kind() == JsonKind::Array
    }

    /// Whether it is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.kind() == JsonKind::Null
    }

    /// The value of a key. Of duplicate keys, the last wins.
    pub fn get(self, key: &str) -> Option<JsonNode<'d>> {
        let (mut at, end) = self.child_range(JsonKind::Object);
        let entries = &self.doc.tape[..end];
        let length = key.len() as u32 + 2;
        let mut found = None;
        while let Some([name, value]) = entries.get(at..).and_then(|rest| rest.first_chunk()) {
            // Most keys differ in length.
            if name.end - name.start == length || !name.escape_free {
                let field = Field { key: name, value: self.node_at(at + 1) };
                if field.key_is(key) {
                    found = Some(field.value);
                }
            }
            at = value.next_index as usize;
        }
        found
    }

    /// The value of the last field for which `is_asked` returns true.
    #[inline]
    pub fn find_last(self, is_asked: impl Fn(Field<'d>) -> bool) -> Option<JsonNode<'d>> {
        let mut value = None;
        for field in self.fields() {
            if is_asked(field) {
                value = Some(field.value);
            }
        }
        value
    }

    /// The values of several keys, found in one pass. Of duplicate keys, the last wins.
    #[inline]
    pub fn get_many<const N: usize>(self, keys: [&str; N]) -> [Option<JsonNode<'d>>; N] {
        let mut values = [None; N];
        for field in self.fields() {
            let index = match field.escape_free_key() {
                Some(key) => keys.iter().position(|wanted| keys_eq(key, wanted.as_bytes())),
                None => keys.iter().position(|wanted| field.key_is(wanted)),
            };
            if let Some(index) = index {
                values[index] = Some(field.value);
            }
        }
        values
    }

    /// As [`JsonNode::get_many`], but `None` if the object has other or duplicate keys.
    #[inline]
    pub fn get_many_exact<const N: usize>(
        self,
        keys: [&str; N],
    ) -> Option<[Option<JsonNode<'d>>; N]> {
        let mut values = [None; N];
        for field in self.fields() {
            let key = field.escape_free_key()?;
            let index = keys.iter().position(|wanted| keys_eq(key, wanted.as_bytes()))?;
            if values[index].replace(field.value).is_some() {
                return None;
            }
        }
        Some(values)
    }

    /// The elements of an array; empty for other kinds.
    #[inline]
    pub fn items(self) -> impl Iterator<Item = JsonNode<'d>> {
        self.children(JsonKind::Array)
    }

    /// The fields of an object as written, including duplicates; empty for other kinds.
    #[inline]
    pub fn fields(self) -> impl Iterator<Item = Field<'d>> {
        let (mut at, end) = self.child_range(JsonKind::Object);
        let entries = &self.doc.tape[..end];
        std::iter::from_fn(move || {
            // A key is one entry; its value is the next.
            let [key, value] = entries.get(at..)?.first_chunk()?;
            let field = Field { key, value: self.node_at(at + 1) };
            at = value.next_index as usize;
            Some(field)
        })
    }

    /// A key that occurs more than once in the object.
    pub fn duplicate_key(self) -> Option<Cow<'d, str>> {
        // One bit per length and last byte of the keys so far: in most objects no bit collides, and
        // the quadratic search is skipped.
        let (mut seen_bits, mut has_collision) = (0_u64, false);
        for field in self.fields() {
            let bit = field.escape_free_key().map_or(u64::MAX, |key| {
                let last = key.last().copied().unwrap_or_default();
                1 << ((key.len() * 7 + usize::from(last)) % 64)
            });
            has_collision |= seen_bits & bit != 0;
            seen_bits |= bit;
        }
        if has_collision { self.find_duplicate_key() } else { None }
    }

    #[cold]
    fn find_duplicate_key(self) -> Option<Cow<'d, str>> {
        let keys_equal =
            |a: Field<'d>, b: Field<'d>| match (a.escape_free_key(), b.escape_free_key()) {
                (Some(a), Some(b)) => a == b,
                _ => a.key() == b.key(),
            };
        let is_duplicate = |(at, field): &(usize, Field<'d>)| {
            self.fields().take(*at).any(|earlier| keys_equal(earlier, *field))
        };
        self.fields()
            .enumerate()
            .take(MAX_KEYS_CHECKED)
            .find(is_duplicate)
            .map(|(_, field)| field.key())
    }

    /// Number of elements of an array, or fields of an object.
    pub fn len(self) -> usize {
        match self.kind() {
            JsonKind::Array => self.items().count(),
            JsonKind::Object => self.fields().count(),
            JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => 0,
        }
    }

    /// Whether an array or object has no children; true for all other values.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.entry().next_index == self.index + 1
    }

    #[inline]
    fn children(self, kind: JsonKind) -> impl Iterator<Item = JsonNode<'d>> {
        let (mut at, end) = self.child_range(kind);
        let entries = &self.doc.tape[..end];
        std::iter::from_fn(move || {
            let child = entries.get(at)?;
            let node = self.node_at(at);
            at = child.next_index as usize;
            Some(node)
        })
    }

    /// Tape range of the children of a container of this kind; empty for other kinds.
    #[inline]
    fn child_range(self, container: JsonKind) -> (usize, usize) {
        match *self.entry() {
            TapeEntry { kind, next_index: next, .. } if kind == container => {
                (self.index as usize + 1, next as usize)
            }
            _ => (0, 0),
        }
    }

    #[inline]
    fn node_at(self, at: usize) -> Self {
        Self { doc: self.doc, index: at as u32 }
    }

    /// The raw text between the quotes of a string.
    #[inline]
    fn unquoted(self) -> &'d str {
        let TapeEntry { start, end, .. } = *self.entry();
        &self.doc.text[start as usize + 1..end as usize - 1]
    }

    #[inline]
    fn entry(self) -> &'d TapeEntry {
        &self.doc.tape[self.index as usize]
    }
}

impl<'d> Field<'d> {
    /// The unescaped contents of the key.
    #[inline]
    pub fn key(self) -> Cow<'d, str> {
        if self.key.escape_free { Cow::Borrowed(self.raw_key()) } else { unescape(self.raw_key()) }
    }

    /// The key as written.
    pub fn key_json_string(self) -> JsonString {
        JsonString::from_raw(self.value.doc.text.slice_ref(self.raw_key()))
    }

    /// Whether the key is `name`, in any spelling.
    #[inline]
    pub fn key_is(self, name: &str) -> bool {
        match self.escape_free_key() {
            Some(key) => keys_eq(key, name.as_bytes()),
            None => self.escaped_key_is(name),
        }
    }

    /// As [`Field::key_is`], for a key with escapes, which are rare.
    #[cold]
    fn escaped_key_is(self, name: &str) -> bool {
        super::escape::unescapes_to(self.raw_key(), name)
    }

    /// Length of the key as written, in bytes.
    #[inline]
    pub fn key_len(self) -> usize {
        (self.key.end - self.key.start) as usize - 2
    }

    /// The raw text between the quotes of the key.
    #[inline]
    pub fn raw_key(self) -> &'d str {
        &self.value.doc.text[self.unquoted_key_range()]
    }

    /// The bytes of a key without escapes.
    #[inline]
    fn escape_free_key(self) -> Option<&'d [u8]> {
        self.key.escape_free.then(|| &self.value.doc.text.as_bytes()[self.unquoted_key_range()])
    }

    #[inline]
    fn unquoted_key_range(self) -> Range<usize> {
        self.key.start as usize + 1..self.key.end as usize - 1
    }
}

/// Out of line, because few strings have escapes.
#[cold]
fn unescape(raw: &str) -> Cow<'_, str> {
    super::escape::unescape(raw)
}

/// Compares two keys. Most differ in length or in their last byte.
#[inline]
fn keys_eq(key: &[u8], wanted: &[u8]) -> bool {
    key.len() == wanted.len() && key.last() == wanted.last() && key == wanted
}

impl fmt::Debug for JsonNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

impl fmt::Debug for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\":{}", self.raw_key(), self.value.raw())
    }
}

/// Fields of an object that are searched for duplicates: the search is quadratic, and no dialect
/// gives a meaning to more keys.
const MAX_KEYS_CHECKED: usize = 32;
