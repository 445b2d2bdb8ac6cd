//! A typed view of one value. Accessors never fail: what is not there, or of another kind, is absent.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::{Doc, Json, Kind, Span, Text};

/// A value in a [`Doc`].
#[derive(Clone, Copy)]
pub struct Node<'d> {
    doc: &'d Doc,
    at: u32,
}

/// A key and its value in an object.
#[derive(Clone, Copy)]
pub struct Field<'d> {
    key: &'d Span,
    pub value: Node<'d>,
}

impl<'d> Node<'d> {
    pub(super) fn root(doc: &'d Doc) -> Self {
        Self { doc, at: 0 }
    }

    pub(super) fn at(doc: &'d Doc, at: usize) -> Self {
        Self { doc, at: at as u32 }
    }

    #[inline]
    pub fn kind(self) -> Kind {
        self.span().kind
    }

    /// The exact text of this value.
    #[inline]
    pub fn raw(self) -> &'d str {
        let Span { start, end, .. } = *self.span();
        &self.doc.text[start as usize..end as usize]
    }

    /// Where this value stands in the document's text.
    pub fn range(self) -> Range<usize> {
        let Span { start, end, .. } = *self.span();
        start as usize..end as usize
    }

    /// The exact text of this value, sharing the document's memory.
    pub fn json(self) -> Json {
        Json::shared(self.doc.text.slice_ref(self.raw()))
    }

    /// A string, sharing the document's memory.
    pub fn text(self) -> Option<Text> {
        self.is_string().then(|| Text::shared(self.doc.text.slice_ref(self.inside())))
    }

    /// The contents of a string as JSON, if that is what they are; see [`Text::as_json`].
    pub fn inner_json(self) -> Option<Json> {
        match *self.span() {
            Span { kind: Kind::String, plain: false, .. } => Json::escaped(self.inside()).ok(),
            _ => self.text()?.as_json().ok(),
        }
    }

    /// The contents of a string, for comparing with known words; "" for anything else.
    #[inline]
    pub fn word(self) -> Cow<'d, str> {
        match *self.span() {
            Span { kind: Kind::String, plain, start, end, .. } => {
                let inside = &self.doc.text[start as usize + 1..end as usize - 1];
                if plain { Cow::Borrowed(inside) } else { unescape(inside) }
            }
            _ => Cow::Borrowed(""),
        }
    }

    /// The contents of a string that is spelled without escapes.
    #[inline]
    pub fn plain_word(self) -> Option<&'d str> {
        let Span { kind, plain, .. } = *self.span();
        (kind == Kind::String && plain).then(|| self.inside())
    }

    #[inline]
    pub fn boolean(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.raw() == "true")
    }

    /// A number that is a whole count; `1e3` and `12.0` are, `-1` is not.
    pub fn count(self) -> Option<u64> {
        if self.kind() == Kind::Number { super::value::count(self.raw()) } else { None }
    }

    #[inline]
    pub fn is_string(self) -> bool {
        self.kind() == Kind::String
    }

    #[inline]
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    #[inline]
    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    #[inline]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The value of a key. Of duplicate keys the last wins.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        let (mut at, end) = self.inner(Kind::Object);
        let inside = &self.doc.tape[..end];
        let length = key.len() as u32 + 2;
        let mut found = None;
        while let Some([name, value]) = inside.get(at..).and_then(|rest| rest.first_chunk()) {
            // Most keys differ in length.
            if name.end - name.start == length || !name.plain {
                let field = Field { key: name, value: self.other(at + 1) };
                if field.is(key) {
                    found = Some(field.value);
                }
            }
            at = value.next as usize;
        }
        found
    }

    /// The value of the last field that is one of those asked for.
    #[inline]
    pub fn find(self, is_asked: impl Fn(Field<'d>) -> bool) -> Option<Node<'d>> {
        let mut found = None;
        for field in self.fields() {
            if is_asked(field) {
                found = Some(field.value);
            }
        }
        found
    }

    /// The values of several keys, found in one pass. Of duplicate keys the last wins.
    #[inline]
    pub fn pick<const N: usize>(self, keys: [&str; N]) -> [Option<Node<'d>>; N] {
        let mut found = [None; N];
        for field in self.fields() {
            let one = match field.plain() {
                Some(key) => keys.iter().position(|asked| same(key, asked.as_bytes())),
                None => keys.iter().position(|asked| field.is(asked)),
            };
            if let Some(one) = one {
                found[one] = Some(field.value);
            }
        }
        found
    }

    /// As [`Node::pick`], of an object that has no other keys, and none of them twice; nothing for any other.
    #[inline]
    pub fn only<const N: usize>(self, keys: [&str; N]) -> Option<[Option<Node<'d>>; N]> {
        let mut found = [None; N];
        for field in self.fields() {
            let key = field.plain()?;
            let one = keys.iter().position(|asked| same(key, asked.as_bytes()))?;
            if found[one].replace(field.value).is_some() {
                return None;
            }
        }
        Some(found)
    }

    /// The elements of an array; nothing for anything else.
    #[inline]
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        self.children(Kind::Array)
    }

    /// The fields of an object as written, duplicates included; nothing for anything else.
    #[inline]
    pub fn fields(self) -> impl Iterator<Item = Field<'d>> {
        let (mut at, end) = self.inner(Kind::Object);
        let inside = &self.doc.tape[..end];
        std::iter::from_fn(move || {
            // A key is one entry, its value follows.
            let [key, value] = inside.get(at..)?.first_chunk()?;
            let field = Field { key, value: self.other(at + 1) };
            at = value.next as usize;
            Some(field)
        })
    }

    /// A key that stands more than once in an object.
    pub fn repeated_key(self) -> Option<Cow<'d, str>> {
        // A bit for each key that was seen, by length and last byte: most objects need no closer look.
        let (mut seen, mut suspect) = (0_u64, false);
        for field in self.fields() {
            let bit = field.plain().map_or(u64::MAX, |key| {
                let last = key.last().copied().unwrap_or_default();
                1 << ((key.len() * 7 + usize::from(last)) % 64)
            });
            suspect |= seen & bit != 0;
            seen |= bit;
        }
        if suspect { self.find_repeated_key() } else { None }
    }

    #[cold]
    fn find_repeated_key(self) -> Option<Cow<'d, str>> {
        let same = |a: Field<'d>, b: Field<'d>| match (a.plain(), b.plain()) {
            (Some(a), Some(b)) => a == b,
            _ => a.name() == b.name(),
        };
        let repeated = |(at, field): &(usize, Field<'d>)| {
            self.fields().take(*at).any(|earlier| same(earlier, *field))
        };
        self.fields().enumerate().take(MOST_KEYS).find(repeated).map(|(_, field)| field.name())
    }

    /// How many elements an array has, or fields an object.
    pub fn len(self) -> usize {
        match self.kind() {
            Kind::Array => self.items().count(),
            Kind::Object => self.fields().count(),
            Kind::Null | Kind::Bool | Kind::Number | Kind::String => 0,
        }
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.span().next == self.at + 1
    }

    #[inline]
    fn children(self, of: Kind) -> impl Iterator<Item = Node<'d>> {
        let (mut at, end) = self.inner(of);
        let inside = &self.doc.tape[..end];
        std::iter::from_fn(move || {
            let child = inside.get(at)?;
            let node = self.other(at);
            at = child.next as usize;
            Some(node)
        })
    }

    /// The entries inside a value of this kind; none of another.
    #[inline]
    fn inner(self, of: Kind) -> (usize, usize) {
        match *self.span() {
            Span { kind, next, .. } if kind == of => (self.at as usize + 1, next as usize),
            _ => (0, 0),
        }
    }

    #[inline]
    fn other(self, at: usize) -> Self {
        Self { doc: self.doc, at: at as u32 }
    }

    /// What stands between the quotes of a string.
    #[inline]
    fn inside(self) -> &'d str {
        let Span { start, end, .. } = *self.span();
        &self.doc.text[start as usize + 1..end as usize - 1]
    }

    #[inline]
    fn span(self) -> &'d Span {
        &self.doc.tape[self.at as usize]
    }
}

impl<'d> Field<'d> {
    /// The key's contents.
    #[inline]
    pub fn name(self) -> Cow<'d, str> {
        if self.key.plain { Cow::Borrowed(self.raw_key()) } else { unescape(self.raw_key()) }
    }

    /// The key as written.
    pub fn key(self) -> Text {
        Text::shared(self.value.doc.text.slice_ref(self.raw_key()))
    }

    #[inline]
    pub fn is(self, name: &str) -> bool {
        match self.plain() {
            Some(key) => same(key, name.as_bytes()),
            None => self.spells(name),
        }
    }

    /// As [`Field::is`], of a key with escapes, which are few.
    #[cold]
    fn spells(self, name: &str) -> bool {
        super::escape::spells(self.raw_key(), name)
    }

    /// How many bytes spell the key.
    #[inline]
    pub fn key_len(self) -> usize {
        (self.key.end - self.key.start) as usize - 2
    }

    /// What stands between the quotes of the key.
    #[inline]
    pub fn raw_key(self) -> &'d str {
        &self.value.doc.text[self.inside()]
    }

    /// The bytes of a key without escapes.
    #[inline]
    fn plain(self) -> Option<&'d [u8]> {
        self.key.plain.then(|| &self.value.doc.text.as_bytes()[self.inside()])
    }

    #[inline]
    fn inside(self) -> Range<usize> {
        self.key.start as usize + 1..self.key.end as usize - 1
    }
}

/// Apart from where words are compared: few of them have escapes.
#[cold]
fn unescape(raw: &str) -> Cow<'_, str> {
    super::escape::unescape(raw)
}

/// Whether two keys are the same. Most differ in length or in how they end.
#[inline]
fn same(key: &[u8], asked: &[u8]) -> bool {
    key.len() == asked.len() && key.last() == asked.last() && key == asked
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

impl fmt::Debug for Field<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\":{}", self.raw_key(), self.value.raw())
    }
}

/// Objects with more keys than any dialect gives a meaning are not searched for repeated ones: the
/// search is quadratic.
const MOST_KEYS: usize = 32;
