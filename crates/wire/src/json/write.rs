//! Writes JSON with closures that nest as the JSON does.

use super::{JsonString, RawJson, escape, json_str};

/// Writes JSON into memory. The types admit only valid JSON.
#[derive(Debug, Default)]
pub struct JsonWriter(Vec<u8>);

/// Writes the fields of an object.
#[derive(Debug)]
pub struct ObjectWriter<'w>(&'w mut JsonWriter, bool);

/// Writes the elements of an array.
#[derive(Debug)]
pub struct ArrayWriter<'w>(&'w mut JsonWriter, bool);

impl JsonWriter {
    /// A writer with memory for this many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    /// Appends JSON to existing bytes, such as the start of a stream frame.
    pub fn append_to(bytes: &mut Vec<u8>, fill: impl FnOnce(&mut Self)) {
        let mut writer = Self(std::mem::take(bytes));
        fill(&mut writer);
        *bytes = writer.0;
    }

    /// Writes an object with the fields that `fill` writes.
    #[inline]
    pub fn object(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.0.push(b'{');
        fill(&mut ObjectWriter(self, true));
        self.0.push(b'}');
    }

    /// Writes an array with the elements that `fill` writes.
    #[inline]
    pub fn array(&mut self, fill: impl FnOnce(&mut ArrayWriter<'_>)) {
        self.0.push(b'[');
        fill(&mut ArrayWriter(self, true));
        self.0.push(b']');
    }

    /// Writes a value as it is spelled.
    pub fn json(&mut self, json: &RawJson) {
        self.push_raw(json.as_str());
    }

    /// Writes a string as it is spelled.
    #[inline]
    pub fn json_string(&mut self, text: &JsonString) {
        self.0.push(b'"');
        self.push_raw(text.raw());
        self.0.push(b'"');
    }

    /// Escapes and writes a string.
    pub fn str(&mut self, contents: &str) {
        self.0.push(b'"');
        escape::escape_into(contents, &mut self.0);
        self.0.push(b'"');
    }

    /// Writes several strings as one, with `separator`, which is given unescaped.
    pub fn join<'t>(&mut self, parts: impl IntoIterator<Item = &'t JsonString>, separator: &str) {
        self.0.push(b'"');
        let mut first = true;
        for part in parts {
            if !std::mem::take(&mut first) && !separator.is_empty() {
                escape::escape_into(separator, &mut self.0);
            }
            self.push_raw(part.raw());
        }
        self.0.push(b'"');
    }

    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        // Most numbers are indices of short lists.
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

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.push_raw(if value { "true" } else { "false" });
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        self.push_raw("null");
    }

    #[inline]
    fn push_raw(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of bytes written so far.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The bytes that were written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// The value that was written.
    pub fn into_json(self) -> RawJson {
        RawJson::from_raw(json_str::into_byte_string(self.0))
    }
}

impl RawJson {
    /// Builds an object.
    pub fn object(fill: impl FnOnce(&mut ObjectWriter<'_>)) -> Self {
        let mut out = JsonWriter::default();
        out.object(fill);
        out.into_json()
    }

    /// Builds an array.
    pub fn array(fill: impl FnOnce(&mut ArrayWriter<'_>)) -> Self {
        let mut out = JsonWriter::default();
        out.array(fill);
        out.into_json()
    }
}

impl ObjectWriter<'_> {
    /// Writes a key that needs no escaping, and returns the writer for its value.
    #[inline]
    pub fn key(&mut self, key: &'static str) -> &mut JsonWriter {
        self.raw_key(key)
    }

    /// Writes a key that is already escaped, and returns the writer for its value.
    pub fn key_json_string(&mut self, key: &JsonString) -> &mut JsonWriter {
        self.raw_key(key.raw())
    }

    /// Writes a field with a string, which is escaped.
    pub fn str(&mut self, key: &'static str, contents: &str) {
        self.raw_key(key).str(contents);
    }

    /// Writes a field with a constant that needs no escaping.
    #[inline]
    pub fn static_str(&mut self, key: &'static str, text: &'static str) {
        let out = self.raw_key(key);
        out.0.push(b'"');
        out.push_raw(text);
        out.0.push(b'"');
    }

    /// Writes a field with a string as it is spelled.
    #[inline]
    pub fn json_string(&mut self, key: &'static str, text: &JsonString) {
        self.raw_key(key).json_string(text);
    }

    /// Writes a field with a value as it is spelled.
    #[inline]
    pub fn json(&mut self, key: &'static str, json: &RawJson) {
        self.raw_key(key).json(json);
    }

    /// Writes a field with a number.
    #[inline]
    pub fn number(&mut self, key: &'static str, number: u64) {
        self.raw_key(key).number(number);
    }

    /// Writes a field with `true` or `false`.
    pub fn boolean(&mut self, key: &'static str, value: bool) {
        self.raw_key(key).boolean(value);
    }

    /// Writes a field with `null`.
    pub fn null(&mut self, key: &'static str) {
        self.raw_key(key).null();
    }

    /// Writes a field with an object, whose fields `fill` writes.
    #[inline]
    pub fn object(&mut self, key: &'static str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.raw_key(key).object(fill);
    }

    /// Writes a field with an array, whose elements `fill` writes.
    #[inline]
    pub fn array(&mut self, key: &'static str, fill: impl FnOnce(&mut ArrayWriter<'_>)) {
        self.raw_key(key).array(fill);
    }

    /// Writes the field only for `Some`.
    pub fn json_string_opt(&mut self, key: &'static str, text: Option<&JsonString>) {
        if let Some(text) = text {
            self.json_string(key, text);
        }
    }

    /// Writes the field only for `Some`.
    pub fn json_opt(&mut self, key: &'static str, json: Option<&RawJson>) {
        if let Some(json) = json {
            self.json(key, json);
        }
    }

    /// Copies all fields of another object.
    pub fn extend(&mut self, object: &RawJson) {
        let fields = object.as_str().trim_matches([' ', '\n', '\r', '\t']);
        let fields = fields.strip_prefix('{').and_then(|fields| fields.strip_suffix('}'));
        let Some(fields) = fields.map(str::trim_ascii).filter(|fields| !fields.is_empty()) else {
            return;
        };
        self.separator();
        self.0.push_raw(fields);
    }

    #[inline]
    fn raw_key(&mut self, key: &str) -> &mut JsonWriter {
        self.0.0.extend_from_slice(if std::mem::take(&mut self.1) { b"\"" } else { b",\"" });
        self.0.push_raw(key);
        self.0.push_raw("\":");
        self.0
    }

    fn separator(&mut self) {
        if !std::mem::take(&mut self.1) {
            self.0.0.push(b',');
        }
    }
}

impl ArrayWriter<'_> {
    /// Returns the writer for the next element.
    pub fn item(&mut self) -> &mut JsonWriter {
        if !std::mem::take(&mut self.1) {
            self.0.0.push(b',');
        }
        self.0
    }

    /// Writes an object with the fields that `fill` writes.
    #[inline]
    pub fn object(&mut self, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.item().object(fill);
    }
}
