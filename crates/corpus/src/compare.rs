//! Two JSON values compared by what they mean.

use std::fmt;

use interlingua::wire::Node;
use interlingua::{Doc, Json, Kind, Text};

/// Where two values differ. One that is not there is `None`.
#[derive(Clone, Debug)]
pub struct Difference {
    pub path: String,
    pub expected: Option<Json>,
    pub got: Option<Json>,
}

/// What of a value does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Everything,
    /// The native form without what it keeps for leaving in the dialect it came from.
    Native,
}

/// Every difference of meaning: the order of keys and the spelling of numbers and strings do not
/// count. In the native form, neither do the fields that remember another dialect's spelling.
pub fn compare(expected: &Json, got: &Json, native: bool) -> Vec<Difference> {
    let (expected, got): (Doc, Doc) = (expected.doc(), got.doc());
    let mut differences = Vec::new();
    let reading = if native { Reading::Native } else { Reading::Everything };
    values("", expected.root(), got.root(), reading, &mut differences);
    differences
}

fn values(
    path: &str,
    expected: Node<'_>,
    got: Node<'_>,
    reading: Reading,
    out: &mut Vec<Difference>,
) {
    match (expected.kind(), got.kind()) {
        (Kind::Object, Kind::Object) => objects(path, expected, got, reading, out),
        (Kind::Array, Kind::Array) => arrays(path, expected, got, reading, out),
        (Kind::String, Kind::String) if expected.text() == got.text() => {}
        (Kind::Number, Kind::Number) if same_number(expected.raw(), got.raw()) => {}
        (Kind::Null, Kind::Null) => {}
        (Kind::Bool, Kind::Bool) if expected.raw() == got.raw() => {}
        _ => out.push(Difference::at(path, Some(expected), Some(got))),
    }
}

fn objects(
    path: &str,
    expected: Node<'_>,
    got: Node<'_>,
    reading: Reading,
    out: &mut Vec<Difference>,
) {
    let counts = |key: &str| reading == Reading::Everything || !SPELLING.contains(&key);
    for (key, value) in last_of_each(expected).into_iter().filter(|(key, _)| counts(key)) {
        let path = join(path, &key);
        let reading = if OPAQUE.contains(&&*key) { Reading::Everything } else { reading };
        match got.get(&key) {
            Some(got) => values(&path, value, got, reading, out),
            None => out.push(Difference::at(&path, Some(value), None)),
        }
    }
    for (key, value) in last_of_each(got).into_iter().filter(|(key, _)| counts(key)) {
        if expected.get(&key).is_none() {
            out.push(Difference::at(&join(path, &key), None, Some(value)));
        }
    }
    let twice = |node: Node<'_>| node.fields().count() > last_of_each(node).len();
    if twice(got) && !twice(expected) {
        let path = join(path, "(a key stands twice)");
        out.push(Difference::at(&path, None, Some(got)));
    }
}

fn arrays(
    path: &str,
    expected: Node<'_>,
    got: Node<'_>,
    reading: Reading,
    out: &mut Vec<Difference>,
) {
    let (mut expected, mut got) = (expected.items(), got.items());
    for index in 0.. {
        let path = join(path, &index.to_string());
        match (expected.next(), got.next()) {
            (Some(expected), Some(got)) => values(&path, expected, got, reading, out),
            (None, None) => break,
            (expected, got) => out.push(Difference::at(&path, expected, got)),
        }
    }
}

fn last_of_each(object: Node<'_>) -> Vec<(String, Node<'_>)> {
    let mut fields: Vec<(String, Node<'_>)> = Vec::new();
    for field in object.fields() {
        let name = field.name().into_owned();
        match fields.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = field.value,
            None => fields.push((name, field.value)),
        }
    }
    fields
}

fn same_number(a: &str, b: &str) -> bool {
    let number = |raw: &str| raw.parse::<f64>().ok().filter(|number| number.is_finite());
    let whole = |raw: &str| raw.parse::<i128>().ok();
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b || number(a).is_some_and(|a| Some(a) == number(b)),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl Difference {
    fn at(path: &str, expected: Option<Node<'_>>, got: Option<Node<'_>>) -> Self {
        let path = if path.is_empty() { "(all)" } else { path };
        Self { path: path.to_owned(), expected: expected.map(Node::json), got: got.map(Node::json) }
    }

    pub(crate) fn of_words(path: &str, expected: &str, got: &str) -> Self {
        let string = |contents| Some(Json::string(&Text::new(contents)));
        Self { path: path.to_owned(), expected: string(expected), got: string(got) }
    }

    pub fn to_json(&self) -> Json {
        Json::object(|out| {
            out.word("path", &self.path);
            out.json_if("expected", self.expected.as_ref());
            out.json_if("got", self.got.as_ref());
        })
    }
}

/// Three lines: the path, what was expected, what came.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let say = |json: &Option<Json>| json.as_ref().map_or("nothing", Json::as_str).to_owned();
        let (expected, got) = (say(&self.expected), say(&self.got));
        write!(f, "at {}\n  expected {expected}\n  got      {got}", self.path)
    }
}

/// Keys of the native form that remember how another dialect spelled something.
const SPELLING: [&str; 7] =
    ["raw", "fields", "word", "written", "source", "interlingua", "remembered"];

/// Keys of the native form below which everything is the client's own.
const OPAQUE: [&str; 7] = ["args", "schema", "json", "extras", "metadata", "data", "freeform"];
