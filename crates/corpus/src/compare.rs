//! Compares two JSON values by meaning.

use std::fmt;

use interlingua::{JsonDoc, JsonKind, JsonString, RawJson};
use interlingua_wire::JsonNode;

/// A difference between two values; `None` stands for an absent value.
#[derive(Clone, Debug)]
pub struct Difference {
    pub path: String,
    pub expected: Option<RawJson>,
    pub actual: Option<RawJson>,
}

/// Fields that a comparison ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompareMode {
    AllFields,
    /// Ignores the fields in which the native form keeps the spelling of the original dialect.
    IgnoreNativeSpelling,
}

/// All differences in meaning: the order of keys and the spelling of numbers and strings are
/// ignored. With `native`, fields that keep the spelling of another dialect are ignored as well.
pub fn compare(expected: &RawJson, actual: &RawJson, native: bool) -> Vec<Difference> {
    let (expected, actual): (JsonDoc, JsonDoc) = (expected.to_doc(), actual.to_doc());
    let mut differences = Vec::new();
    let mode = if native { CompareMode::IgnoreNativeSpelling } else { CompareMode::AllFields };
    compare_values("", expected.root(), actual.root(), mode, &mut differences);
    differences
}

fn compare_values(
    path: &str,
    expected: JsonNode<'_>,
    actual: JsonNode<'_>,
    mode: CompareMode,
    out: &mut Vec<Difference>,
) {
    match (expected.kind(), actual.kind()) {
        (JsonKind::Object, JsonKind::Object) => compare_objects(path, expected, actual, mode, out),
        (JsonKind::Array, JsonKind::Array) => compare_arrays(path, expected, actual, mode, out),
        (JsonKind::String, JsonKind::String) if expected.json_string() == actual.json_string() => {}
        (JsonKind::Number, JsonKind::Number) if is_same_number(expected.raw(), actual.raw()) => {}
        (JsonKind::Null, JsonKind::Null) => {}
        (JsonKind::Bool, JsonKind::Bool) if expected.raw() == actual.raw() => {}
        _ => out.push(Difference::at(path, Some(expected), Some(actual))),
    }
}

fn compare_objects(
    path: &str,
    expected: JsonNode<'_>,
    actual: JsonNode<'_>,
    mode: CompareMode,
    out: &mut Vec<Difference>,
) {
    let is_compared = |key: &str| mode == CompareMode::AllFields || !SPELLING_KEYS.contains(&key);
    for (key, value) in last_fields(expected).into_iter().filter(|(key, _)| is_compared(key)) {
        let path = join(path, &key);
        let mode = if OPAQUE_KEYS.contains(&&*key) { CompareMode::AllFields } else { mode };
        match actual.get(&key) {
            Some(actual) => compare_values(&path, value, actual, mode, out),
            None => out.push(Difference::at(&path, Some(value), None)),
        }
    }
    for (key, value) in last_fields(actual).into_iter().filter(|(key, _)| is_compared(key)) {
        if expected.get(&key).is_none() {
            out.push(Difference::at(&join(path, &key), None, Some(value)));
        }
    }
    let has_duplicates = |node: JsonNode<'_>| node.fields().count() > last_fields(node).len();
    if has_duplicates(actual) && !has_duplicates(expected) {
        let path = join(path, "(duplicate key)");
        out.push(Difference::at(&path, None, Some(actual)));
    }
}

fn compare_arrays(
    path: &str,
    expected: JsonNode<'_>,
    actual: JsonNode<'_>,
    mode: CompareMode,
    out: &mut Vec<Difference>,
) {
    let (mut expected, mut actual) = (expected.items(), actual.items());
    for index in 0.. {
        let path = join(path, &index.to_string());
        match (expected.next(), actual.next()) {
            (Some(expected), Some(actual)) => compare_values(&path, expected, actual, mode, out),
            (None, None) => break,
            (expected, actual) => out.push(Difference::at(&path, expected, actual)),
        }
    }
}

fn last_fields(object: JsonNode<'_>) -> Vec<(String, JsonNode<'_>)> {
    let mut fields: Vec<(String, JsonNode<'_>)> = Vec::new();
    for field in object.fields() {
        let name = field.key().into_owned();
        match fields.iter_mut().find(|(entry, _)| *entry == name) {
            Some(entry) => entry.1 = field.value,
            None => fields.push((name, field.value)),
        }
    }
    fields
}

fn is_same_number(a: &str, b: &str) -> bool {
    let number = |raw: &str| raw.parse::<f64>().ok().filter(|number| number.is_finite());
    let integer = |raw: &str| raw.parse::<i128>().ok();
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b || number(a).is_some_and(|a| Some(a) == number(b)),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl Difference {
    fn at(path: &str, expected: Option<JsonNode<'_>>, actual: Option<JsonNode<'_>>) -> Self {
        let path = if path.is_empty() { "(all)" } else { path };
        Self {
            path: path.to_owned(),
            expected: expected.map(JsonNode::json),
            actual: actual.map(JsonNode::json),
        }
    }

    pub(crate) fn from_strings(path: &str, expected: &str, actual: &str) -> Self {
        let string = |contents| Some(RawJson::string(&JsonString::new(contents)));
        Self { path: path.to_owned(), expected: string(expected), actual: string(actual) }
    }

    pub fn to_json(&self) -> RawJson {
        RawJson::object(|out| {
            out.str("path", &self.path);
            out.json_opt("expected", self.expected.as_ref());
            out.json_opt("got", self.actual.as_ref());
        })
    }
}

/// Three lines: path, expected value, actual value.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format =
            |json: &Option<RawJson>| json.as_ref().map_or("nothing", RawJson::as_str).to_owned();
        let (expected, actual) = (format(&self.expected), format(&self.actual));
        write!(f, "at {}\n  expected {expected}\n  got      {actual}", self.path)
    }
}

/// Keys of the native form that keep the spelling of another dialect.
const SPELLING_KEYS: [&str; 7] =
    ["raw", "fields", "word", "written", "source", "interlingua", "remembered"];

/// Keys of the native form with the client's data, below which every field is compared.
const OPAQUE_KEYS: [&str; 7] = ["args", "schema", "json", "extras", "metadata", "data", "freeform"];
