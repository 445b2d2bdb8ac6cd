//! Validates messages as Google's protobuf JSON parser does: names in either spelling, known
//! fields.

pub(super) mod messages;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use serde_json::Value;

use super::view::{is_name_of, is_vertex};
use crate::field_path::FieldPath;
use crate::form::ObjectFields;

/// A protobuf message type: its name in the API's package, and its fields.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) name: &'static str,
    /// Fields of which only one may be set, and the name of the oneof.
    pub(super) one_of: Option<(&'static str, &'static [&'static str])>,
    pub(super) fields: &'static [Field],
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    field_type: FieldType,
    repeated: bool,
    availability: Availability,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FieldType {
    Str,
    Bytes,
    Integer,
    Number,
    Bool,
    /// One of these names, in any case, or a number.
    Enum(&'static str, &'static [&'static str]),
    /// Any JSON object.
    Struct,
    /// Any JSON.
    Any,
    Nested(&'static Message),
    /// An object with messages as values.
    MapOf(&'static Message),
}

/// The flavors that have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Availability {
    Both,
    AiStudio,
    Vertex,
}

/// An error of the parser.
#[derive(Debug)]
pub(super) struct ParseError {
    pub(super) kind: ParseErrorKind,
    pub(super) path: String,
    pub(super) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParseErrorKind {
    UnknownField,
    /// An unknown field of a schema.
    UnknownSchemaKey,
    /// A list for a field that is not repeated.
    UnexpectedList,
    InvalidValue,
    OneOf,
}

impl Message {
    /// Adds the fields of this message type and of those that it uses.
    pub(in crate::gemini) fn collect_fields(&self, out: &mut ObjectFields) {
        if out.contains_key(self.name) {
            return;
        }
        let fields = self.fields.iter().map(|field| (field.name.to_owned(), false));
        out.insert(self.name.to_owned(), fields.collect());
        for field in self.fields {
            if let FieldType::Nested(message) | FieldType::MapOf(message) = field.field_type {
                message.collect_fields(out);
            }
        }
    }
}

impl ParseErrorKind {
    /// The rule that reports the error.
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::UnknownField => "unknown-field",
            Self::UnknownSchemaKey => "unknown-schema-key",
            Self::UnexpectedList => "unexpected-list",
            Self::InvalidValue => "invalid-value",
            Self::OneOf => "two-kinds-of-data",
        }
    }
}

impl Field {
    pub(super) const fn singular(name: &'static str, field_type: FieldType) -> Self {
        Self { name, field_type, repeated: false, availability: Availability::Both }
    }

    pub(super) const fn repeated(name: &'static str, field_type: FieldType) -> Self {
        Self { name, field_type, repeated: true, availability: Availability::Both }
    }

    pub(super) const fn ai_studio_only(self) -> Self {
        Self { availability: Availability::AiStudio, ..self }
    }

    pub(super) const fn vertex_only(self) -> Self {
        Self { availability: Availability::Vertex, ..self }
    }
}

/// All parse errors, in the order of the document.
pub(super) fn parse_errors(
    message: &'static Message,
    value: &Value,
    flavor: &str,
) -> Vec<ParseError> {
    let mut validator = MessageValidator { is_vertex: is_vertex(flavor), errors: Vec::new() };
    if value.is_object() {
        validator.check_message(message, value, &FieldPath::ROOT);
    } else {
        let error_message =
            "Invalid JSON payload received. Unknown name \"\": Root element must be a message.";
        validator.push_error(
            ParseErrorKind::InvalidValue,
            &FieldPath::ROOT,
            error_message.to_owned(),
        );
    }
    validator.errors
}

/// Decodes a bytes field: base64 of either alphabet, with or without padding.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    [STANDARD, URL_SAFE, STANDARD_NO_PAD, URL_SAFE_NO_PAD]
        .iter()
        .find_map(|alphabet| alphabet.decode(text).ok())
}

struct MessageValidator {
    is_vertex: bool,
    errors: Vec<ParseError>,
}

impl MessageValidator {
    fn push_error(&mut self, kind: ParseErrorKind, path: &FieldPath<'_>, message: String) {
        self.errors.push(ParseError { kind, path: path.dotted(), message });
    }

    fn find_field(&self, message: &'static Message, key: &str) -> Option<&'static Field> {
        let availability =
            if self.is_vertex { Availability::Vertex } else { Availability::AiStudio };
        let is_available = |field: &&Field| {
            field.availability == Availability::Both || field.availability == availability
        };
        message.fields.iter().filter(is_available).find(|field| is_name_of(key, field.name))
    }

    fn check_message(&mut self, message: &'static Message, value: &Value, path: &FieldPath<'_>) {
        let mut is_set = false;
        for (key, value) in value.as_object().into_iter().flatten() {
            let Some(field) = self.find_field(message, key) else {
                let is_schema = message.name == "Schema";
                let kind = if is_schema {
                    ParseErrorKind::UnknownSchemaKey
                } else {
                    ParseErrorKind::UnknownField
                };
                self.push_error(kind, path, unknown_field_message(key, path, "Cannot find field."));
                continue;
            };
            // Null is the same as a missing field.
            if value.is_null() {
                continue;
            }
            if let Some((one_of, members)) = message.one_of
                && members.contains(&field.name)
            {
                if is_set {
                    let error_message = format!(
                        "Invalid value at '{path}' (oneof), oneof field '{one_of}' is already set. Cannot set '{key}'"
                    );
                    self.push_error(ParseErrorKind::OneOf, path, error_message);
                }
                is_set = true;
            }
            self.check_field(field, key, value, path);
        }
    }

    fn check_field(
        &mut self,
        field: &'static Field,
        key: &str,
        value: &Value,
        path: &FieldPath<'_>,
    ) {
        let value_path = path.key(field.name);
        match value {
            _ if matches!(field.field_type, FieldType::Any) => {}
            Value::Array(list) if field.repeated => {
                for (index, value) in list.iter().enumerate() {
                    self.check_value(field, value, &value_path.index(index), path);
                }
            }
            Value::Array(_) => {
                let reason = "Proto field is not repeating, cannot start list.";
                self.push_error(
                    ParseErrorKind::UnexpectedList,
                    path,
                    unknown_field_message(key, path, reason),
                );
            }
            // A single value of a repeated field may be written without a list.
            value => self.check_value(field, value, &value_path, path),
        }
    }

    fn check_value(
        &mut self,
        field: &'static Field,
        value: &Value,
        value_path: &FieldPath<'_>,
        path: &FieldPath<'_>,
    ) {
        let kind = match field.field_type {
            FieldType::Nested(message) if value.is_object() => {
                return self.check_message(message, value, value_path);
            }
            FieldType::MapOf(message) if value.is_object() => {
                for (index, value) in
                    value.as_object().into_iter().flat_map(|map| map.values()).enumerate()
                {
                    let value_path = value_path.map_value(index);
                    if value.is_object() {
                        self.check_message(message, value, &value_path);
                    } else {
                        let kind = self.qualified_type(message.name);
                        self.push_error(
                            ParseErrorKind::InvalidValue,
                            &value_path,
                            invalid_value_message(&value_path, &kind, value),
                        );
                    }
                }
                return;
            }
            FieldType::Nested(message) => self.qualified_type(message.name),
            FieldType::MapOf(message) => {
                self.qualified_type(&format!("{}.PropertiesEntry", message.name))
            }
            FieldType::Struct if value.is_object() => return,
            FieldType::Struct => "type.googleapis.com/google.protobuf.Struct".to_owned(),
            FieldType::Any => return,
            scalar => {
                if value.is_object() {
                    let error_message = format!(
                        "Invalid value at '{path}' ({}), Starting an object on a scalar field",
                        field.name
                    );
                    return self.push_error(ParseErrorKind::InvalidValue, path, error_message);
                }
                match self.scalar_error(scalar, value) {
                    Some(kind) => kind,
                    None => return,
                }
            }
        };
        let error_message = match (&field.field_type, value) {
            (FieldType::Bytes, Value::String(_)) => {
                format!(
                    "Invalid value at '{value_path}' (TYPE_BYTES), Base64 decoding failed for {value}"
                )
            }
            _ => invalid_value_message(value_path, &kind, value),
        };
        self.push_error(ParseErrorKind::InvalidValue, value_path, error_message);
    }

    /// The name of the scalar type if the value has another type.
    fn scalar_error(&self, kind: FieldType, value: &Value) -> Option<String> {
        let text = value.as_str();
        let (is_valid, name) = match kind {
            FieldType::Str => (value.is_string(), "TYPE_STRING"),
            FieldType::Bytes => {
                (text.is_some_and(|text| decode_base64(text).is_some()), "TYPE_BYTES")
            }
            FieldType::Integer => {
                let number = value.as_f64().or_else(|| text.and_then(|text| text.parse().ok()));
                (number.is_some_and(|number| number.fract() == 0.0), "TYPE_INT32")
            }
            FieldType::Number => {
                let number = value.as_f64().or_else(|| text.and_then(|text| text.parse().ok()));
                (number.is_some(), "TYPE_FLOAT")
            }
            FieldType::Bool => {
                (value.is_boolean() || matches!(text, Some("true" | "false")), "TYPE_BOOL")
            }
            FieldType::Enum(choice, names) => {
                let is_known =
                    |text: &str| names.iter().any(|candidate| candidate.eq_ignore_ascii_case(text));
                let is_valid = value.is_u64() || text.is_some_and(is_known);
                return (!is_valid).then(|| self.qualified_type(choice));
            }
            FieldType::Struct | FieldType::Any | FieldType::Nested(_) | FieldType::MapOf(_) => {
                return None;
            }
        };
        (!is_valid).then(|| name.to_owned())
    }

    /// The name of a type with its package.
    fn qualified_type(&self, name: &str) -> String {
        let package = if self.is_vertex {
            "google.cloud.aiplatform.v1beta1"
        } else {
            "google.ai.generativelanguage.v1beta"
        };
        format!("type.googleapis.com/{package}.{name}")
    }
}

fn unknown_field_message(key: &str, path: &FieldPath<'_>, reason: &str) -> String {
    let location = if path.is_root() { String::new() } else { format!(" at '{path}'") };
    format!("Invalid JSON payload received. Unknown name \"{key}\"{location}: {reason}")
}

fn invalid_value_message(value_path: &FieldPath<'_>, kind: &str, value: &Value) -> String {
    format!("Invalid value at '{value_path}' ({kind}), {value}")
}

/// Converts `contents[0].parts[1]` to `contents.0.parts.1`.
pub(super) fn dotted_path(path: &str) -> String {
    path.replace('[', ".").replace(']', "")
}
