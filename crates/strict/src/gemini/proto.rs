//! How Google's JSON parser reads a message: names in either spelling, closed shapes, its words.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;

use super::view::{is_spelling, is_vertex};

/// A message: its name in the API's package, and its fields.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) name: &'static str,
    /// Fields of which only one may be set, and what this choice is called.
    pub(super) one_of: Option<(&'static str, &'static [&'static str])>,
    pub(super) fields: &'static [Field],
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    kind: Kind,
    repeated: bool,
    on: On,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Bytes,
    Whole,
    Number,
    Truth,
    /// One of these names, in any case, or their number.
    Choice(&'static str, &'static [&'static str]),
    /// Any JSON object.
    Struct,
    /// Any JSON.
    Any,
    Of(&'static Message),
    /// An object whose values are such messages.
    MapOf(&'static Message),
}

/// Who knows a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    Both,
    Studio,
    Vertex,
}

/// What the parser stumbles over.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) path: String,
    pub(super) words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    Unknown,
    /// As unknown, in a schema.
    SchemaKey,
    /// A list for what is not repeated.
    List,
    Value,
    OneOf,
}

impl Field {
    pub(super) const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, repeated: false, on: On::Both }
    }

    pub(super) const fn many(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, repeated: true, on: On::Both }
    }

    pub(super) const fn studio(self) -> Self {
        Self { on: On::Studio, ..self }
    }

    pub(super) const fn vertex(self) -> Self {
        Self { on: On::Vertex, ..self }
    }
}

/// Everything that the parser stumbles over, in the order of the document.
pub(super) fn faults(message: &'static Message, value: &Value, flavor: &str) -> Vec<Fault> {
    let mut reader = Reader { vertex: is_vertex(flavor), faults: Vec::new() };
    if value.is_object() {
        reader.message(message, value, &Path::ROOT);
    } else {
        let words =
            "Invalid JSON payload received. Unknown name \"\": Root element must be a message.";
        reader.add(FaultKind::Value, &Path::ROOT, words.to_owned());
    }
    reader.faults
}

/// The bytes of a bytes field: base64 of either alphabet, with or without padding.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    [STANDARD, URL_SAFE, STANDARD_NO_PAD, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|alphabet| alphabet.decode(text).ok())
}

struct Reader {
    vertex: bool,
    faults: Vec<Fault>,
}

/// Where the reader is; spelled only where there is something to say.
#[derive(Clone, Copy)]
struct Path<'p> {
    above: Option<&'p Path<'p>>,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    Root,
    Field(&'static str),
    Item(usize),
    /// The value of an entry of a map.
    Value(usize),
}

impl Path<'_> {
    const ROOT: Path<'static> = Path { above: None, step: Step::Root };

    fn step(&self, step: Step) -> Path<'_> {
        Path { above: Some(self), step }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(above) = self.above else { return Ok(()) };
        above.fmt(f)?;
        let dot = if matches!(above.step, Step::Root) { "" } else { "." };
        match self.step {
            Step::Root => Ok(()),
            Step::Field(name) => write!(f, "{dot}{name}"),
            Step::Item(index) => write!(f, "[{index}]"),
            Step::Value(index) => write!(f, "[{index}].value"),
        }
    }
}

impl Reader {
    fn add(&mut self, kind: FaultKind, path: &Path<'_>, words: String) {
        self.faults.push(Fault { kind, path: dotted(&path.to_string()), words });
    }

    fn known(&self, message: &'static Message, key: &str) -> Option<&'static Field> {
        let here = if self.vertex { On::Vertex } else { On::Studio };
        let is_here = |field: &&Field| field.on == On::Both || field.on == here;
        message.fields.iter().filter(is_here).find(|field| is_spelling(key, field.name))
    }

    fn message(&mut self, message: &'static Message, value: &Value, path: &Path<'_>) {
        let mut chosen = false;
        for (key, value) in value.as_object().into_iter().flatten() {
            let Some(field) = self.known(message, key) else {
                let schema = message.name == "Schema";
                let kind = if schema { FaultKind::SchemaKey } else { FaultKind::Unknown };
                self.add(kind, path, unknown(key, path, "Cannot find field."));
                continue;
            };
            // Nothing is what a field has that is not set.
            if value.is_null() {
                continue;
            }
            if let Some((one_of, members)) = message.one_of
                && members.contains(&field.name)
            {
                if chosen {
                    let words = format!(
                        "Invalid value at '{path}' (oneof), oneof field '{one_of}' is already set. Cannot set '{key}'"
                    );
                    self.add(FaultKind::OneOf, path, words);
                }
                chosen = true;
            }
            self.field(field, key, value, path);
        }
    }

    fn field(&mut self, field: &'static Field, key: &str, value: &Value, path: &Path<'_>) {
        let at = path.step(Step::Field(field.name));
        match value {
            _ if matches!(field.kind, Kind::Any) => {}
            Value::Array(list) if field.repeated => {
                for (index, value) in list.iter().enumerate() {
                    self.value(field, value, &at.step(Step::Item(index)), path);
                }
            }
            Value::Array(_) => {
                let why = "Proto field is not repeating, cannot start list.";
                self.add(FaultKind::List, path, unknown(key, path, why));
            }
            // One of a repeated field may stand without its list.
            value => self.value(field, value, &at, path),
        }
    }

    fn value(&mut self, field: &'static Field, value: &Value, at: &Path<'_>, path: &Path<'_>) {
        let kind = match field.kind {
            Kind::Of(message) if value.is_object() => return self.message(message, value, at),
            Kind::MapOf(message) if value.is_object() => {
                for (index, value) in
                    value.as_object().into_iter().flat_map(|map| map.values()).enumerate()
                {
                    let at = at.step(Step::Value(index));
                    if value.is_object() {
                        self.message(message, value, &at);
                    } else {
                        let kind = self.typed(message.name);
                        self.add(FaultKind::Value, &at, invalid(&at, &kind, value));
                    }
                }
                return;
            }
            Kind::Of(message) => self.typed(message.name),
            Kind::MapOf(message) => self.typed(&format!("{}.PropertiesEntry", message.name)),
            Kind::Struct if value.is_object() => return,
            Kind::Struct => "type.googleapis.com/google.protobuf.Struct".to_owned(),
            Kind::Any => return,
            scalar => {
                if value.is_object() {
                    let words = format!(
                        "Invalid value at '{path}' ({}), Starting an object on a scalar field",
                        field.name
                    );
                    return self.add(FaultKind::Value, path, words);
                }
                match self.scalar(scalar, value) {
                    Some(kind) => kind,
                    None => return,
                }
            }
        };
        let words = match (&field.kind, value) {
            (Kind::Bytes, Value::String(_)) => {
                format!("Invalid value at '{at}' (TYPE_BYTES), Base64 decoding failed for {value}")
            }
            _ => invalid(at, &kind, value),
        };
        self.add(FaultKind::Value, at, words);
    }

    /// The type of a scalar that this is no value of.
    fn scalar(&self, kind: Kind, value: &Value) -> Option<String> {
        let text = value.as_str();
        let (is_one, name) = match kind {
            Kind::Text => (value.is_string(), "TYPE_STRING"),
            Kind::Bytes => (text.is_some_and(|text| decoded(text).is_some()), "TYPE_BYTES"),
            Kind::Whole => {
                let number = value.as_f64().or_else(|| text.and_then(|text| text.parse().ok()));
                (number.is_some_and(|number| number.fract() == 0.0), "TYPE_INT32")
            }
            Kind::Number => {
                let number = value.as_f64().or_else(|| text.and_then(|text| text.parse().ok()));
                (number.is_some(), "TYPE_FLOAT")
            }
            Kind::Truth => {
                (value.is_boolean() || matches!(text, Some("true" | "false")), "TYPE_BOOL")
            }
            Kind::Choice(choice, names) => {
                let known = |text: &str| names.iter().any(|one| one.eq_ignore_ascii_case(text));
                let is_one = value.is_u64() || text.is_some_and(known);
                return (!is_one).then(|| self.typed(choice));
            }
            Kind::Struct | Kind::Any | Kind::Of(_) | Kind::MapOf(_) => return None,
        };
        (!is_one).then(|| name.to_owned())
    }

    /// A type's name with its package.
    fn typed(&self, name: &str) -> String {
        let package = if self.vertex {
            "google.cloud.aiplatform.v1beta1"
        } else {
            "google.ai.generativelanguage.v1beta"
        };
        format!("type.googleapis.com/{package}.{name}")
    }
}

fn unknown(key: &str, path: &Path<'_>, why: &str) -> String {
    let at = if path.above.is_none() { String::new() } else { format!(" at '{path}'") };
    format!("Invalid JSON payload received. Unknown name \"{key}\"{at}: {why}")
}

fn invalid(at: &Path<'_>, kind: &str, value: &Value) -> String {
    format!("Invalid value at '{at}' ({kind}), {value}")
}

/// `contents[0].parts[1]` as `contents.0.parts.1`.
pub(super) fn dotted(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}
