//! A writer whose calls nest as the JSON does.

use super::{Json, Text, escape, text};

/// Writes JSON into memory. What goes in is valid by type, so what comes out is.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

/// The inside of an object being written.
#[derive(Debug)]
pub struct Object<'w>(&'w mut Writer, bool);

/// The inside of an array being written.
#[derive(Debug)]
pub struct Array<'w>(&'w mut Writer, bool);

impl Writer {
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Writes behind bytes that are already there, such as the head of a stream frame.
    pub fn append(bytes: &mut Vec<u8>, fill: impl FnOnce(&mut Self)) {
        let mut writer = Self(std::mem::take(bytes));
        fill(&mut writer);
        *bytes = writer.0;
    }

    #[inline]
    pub fn object(&mut self, fill: impl FnOnce(&mut Object<'_>)) {
        self.0.push(b'{');
        fill(&mut Object(self, true));
        self.0.push(b'}');
    }

    #[inline]
    pub fn array(&mut self, fill: impl FnOnce(&mut Array<'_>)) {
        self.0.push(b'[');
        fill(&mut Array(self, true));
        self.0.push(b']');
    }

    pub fn json(&mut self, json: &Json) {
        self.raw(json.as_str());
    }

    #[inline]
    pub fn text(&mut self, text: &Text) {
        self.0.push(b'"');
        self.raw(text.raw());
        self.0.push(b'"');
    }

    /// A string given by its contents.
    pub fn string(&mut self, contents: &str) {
        self.0.push(b'"');
        escape::escape_into(contents, &mut self.0);
        self.0.push(b'"');
    }

    /// Several strings as one, with `between` (plain contents) between them.
    pub fn joined<'t>(&mut self, parts: impl IntoIterator<Item = &'t Text>, between: &str) {
        self.0.push(b'"');
        let mut first = true;
        for part in parts {
            if !std::mem::take(&mut first) && !between.is_empty() {
                escape::escape_into(between, &mut self.0);
            }
            self.raw(part.raw());
        }
        self.0.push(b'"');
    }

    pub fn number(&mut self, number: u64) {
        // Most numbers are places in short lists.
        if number < 10 {
            self.0.push(b'0' + number as u8);
            return;
        }
        let mut digits = [0; 20];
        let (mut at, mut rest) = (digits.len(), number);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.0.extend_from_slice(&digits[at..]);
    }

    pub fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    pub fn null(&mut self) {
        self.raw("null");
    }

    #[inline]
    fn raw(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The one value that was written.
    pub fn into_json(self) -> Json {
        Json::shared(text::into_string(self.0))
    }
}

impl Json {
    /// Builds an object.
    pub fn object(fill: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Writer::default();
        out.object(fill);
        out.into_json()
    }

    /// Builds an array.
    pub fn array(fill: impl FnOnce(&mut Array<'_>)) -> Self {
        let mut out = Writer::default();
        out.array(fill);
        out.into_json()
    }
}

impl Object<'_> {
    /// A key that needs no escaping; its value is to be written next.
    #[inline]
    pub fn key(&mut self, key: &'static str) -> &mut Writer {
        self.raw_key(key)
    }

    /// A key as it was read.
    pub fn key_text(&mut self, key: &Text) -> &mut Writer {
        self.raw_key(key.raw())
    }

    pub fn word(&mut self, key: &'static str, word: &str) {
        self.raw_key(key).string(word);
    }

    /// A word that needs no escaping.
    #[inline]
    pub fn known(&mut self, key: &'static str, word: &'static str) {
        let out = self.raw_key(key);
        out.0.push(b'"');
        out.raw(word);
        out.0.push(b'"');
    }

    #[inline]
    pub fn text(&mut self, key: &'static str, text: &Text) {
        self.raw_key(key).text(text);
    }

    #[inline]
    pub fn json(&mut self, key: &'static str, json: &Json) {
        self.raw_key(key).json(json);
    }

    #[inline]
    pub fn number(&mut self, key: &'static str, number: u64) {
        self.raw_key(key).number(number);
    }

    pub fn boolean(&mut self, key: &'static str, value: bool) {
        self.raw_key(key).boolean(value);
    }

    pub fn null(&mut self, key: &'static str) {
        self.raw_key(key).null();
    }

    #[inline]
    pub fn object(&mut self, key: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        self.raw_key(key).object(fill);
    }

    #[inline]
    pub fn array(&mut self, key: &'static str, fill: impl FnOnce(&mut Array<'_>)) {
        self.raw_key(key).array(fill);
    }

    /// Nothing for `None`.
    pub fn text_if(&mut self, key: &'static str, text: Option<&Text>) {
        if let Some(text) = text {
            self.text(key, text);
        }
    }

    /// Nothing for `None`.
    pub fn json_if(&mut self, key: &'static str, json: Option<&Json>) {
        if let Some(json) = json {
            self.json(key, json);
        }
    }

    /// All fields of another object as they stand there.
    pub fn fields(&mut self, object: &Json) {
        let inside = object.as_str().trim_matches([' ', '\n', '\r', '\t']);
        let inside = inside.strip_prefix('{').and_then(|inside| inside.strip_suffix('}'));
        let Some(inside) = inside.map(str::trim_ascii).filter(|inside| !inside.is_empty()) else {
            return;
        };
        self.separate();
        self.0.raw(inside);
    }

    #[inline]
    fn raw_key(&mut self, key: &str) -> &mut Writer {
        self.0.0.extend_from_slice(if std::mem::take(&mut self.1) { b"\"" } else { b",\"" });
        self.0.raw(key);
        self.0.raw("\":");
        self.0
    }

    fn separate(&mut self) {
        if !std::mem::take(&mut self.1) {
            self.0.0.push(b',');
        }
    }
}

impl Array<'_> {
    /// The next element is to be written to what this returns.
    pub fn item(&mut self) -> &mut Writer {
        if !std::mem::take(&mut self.1) {
            self.0.0.push(b',');
        }
        self.0
    }

    #[inline]
    pub fn object(&mut self, fill: impl FnOnce(&mut Object<'_>)) {
        self.item().object(fill);
    }
}
