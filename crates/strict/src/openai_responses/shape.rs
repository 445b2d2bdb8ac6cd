//! Validates a request against its shape and collects the errors.

use serde_json::Value;

use crate::form::ObjectFields;
use crate::json::{JsonExt as _, json_type_name};

/// The expected type of a value.
pub(super) enum FieldType {
    Any,
    Str,
    Bool,
    Integer,
    Number,
    /// An object with any keys.
    AnyObject,
    /// One of the first strings, which error messages list, or one of the second, which are
    /// accepted.
    Enum(&'static [&'static str], &'static [&'static str]),
    /// An object with these keys and no others.
    Object(&'static [Field]),
    /// An array, with the description of its elements for error messages.
    Array(&'static str, &'static FieldType),
    /// Checked by a function.
    Custom(fn(&mut ShapeValidator, &Value)),
}

pub(super) struct Field {
    pub name: &'static str,
    required: bool,
    field_type: FieldType,
}

/// A shape error with its path in brackets.
#[derive(Debug)]
pub(super) struct ShapeError {
    pub path: String,
    pub kind: ShapeErrorKind,
}

#[derive(Debug)]
pub(super) enum ShapeErrorKind {
    Missing,
    /// A key that is not in the shape.
    UnknownKey,
    WrongType {
        expected: String,
        actual: &'static str,
    },
    /// A message with null content.
    NullContent,
    UnknownValue {
        found: String,
        supported: &'static [&'static str],
    },
    /// A part type that is not allowed in this position.
    WrongPart {
        found: String,
        supported: &'static [&'static str],
    },
}

/// Validates one request.
#[derive(Debug, Default)]
pub(super) struct ShapeValidator {
    path: String,
    pub errors: Vec<ShapeError>,
}

/// Adds the fields of an object and of those inside it.
pub(super) fn collect_fields(fields: &[Field], path: &str, out: &mut ObjectFields) {
    let known = fields.iter().map(|field| (field.name.to_owned(), field.required));
    out.entry(path.to_owned()).or_default().extend(known);
    for field in fields {
        if let FieldType::Object(fields) = &field.field_type {
            collect_fields(fields, &format!("{path}.{}", field.name), out);
        }
    }
}

pub(super) const fn required(name: &'static str, kind: FieldType) -> Field {
    Field { name, required: true, field_type: kind }
}

pub(super) const fn optional(name: &'static str, kind: FieldType) -> Field {
    Field { name, required: false, field_type: kind }
}

impl ShapeValidator {
    pub(super) fn check_value(&mut self, value: &Value, kind: &FieldType) {
        match kind {
            FieldType::Any => {}
            FieldType::Str => self.expect(value.is_string(), "a string", value),
            FieldType::Bool => self.expect(value.is_boolean(), "a boolean", value),
            FieldType::Integer => {
                self.expect(value.is_i64() || value.is_u64(), "an integer", value);
            }
            FieldType::Number => self.expect(value.is_number(), "a decimal", value),
            FieldType::AnyObject => self.expect(value.is_object(), "an object", value),
            FieldType::Enum(supported, accepted) => self.check_enum(value, supported, accepted),
            FieldType::Object(fields) => self.check_object(value, fields),
            FieldType::Array(description, kind) => match value.as_array() {
                Some(list) => {
                    self.check_items(list, |validator, value| validator.check_value(value, kind));
                }
                None => self.expect(false, &format!("an array of {description}"), value),
            },
            FieldType::Custom(check) => check(self, value),
        }
    }

    /// Checks the fields of an object in the order of the shape, then unknown keys.
    pub(super) fn check_object(&mut self, value: &Value, fields: &[Field]) {
        let Some(object) = value.as_object() else {
            return self.expect(false, "an object", value);
        };
        for field in fields {
            match object.field(field.name) {
                None if field.required => self
                    .at_key(field.name, |validator| validator.push_error(ShapeErrorKind::Missing)),
                Some(value) if field.required || !value.is_null() => {
                    self.at_key(field.name, |validator| {
                        validator.check_value(value, &field.field_type);
                    });
                }
                _ => {}
            }
        }
        for key in object.keys().filter(|key| !fields.iter().any(|field| field.name == *key)) {
            self.at_key(key, |validator| validator.push_error(ShapeErrorKind::UnknownKey));
        }
    }

    pub(super) fn check_items(&mut self, list: &[Value], mut check: impl FnMut(&mut Self, &Value)) {
        let length = self.path.len();
        for (at, value) in list.iter().enumerate() {
            self.path.push('[');
            self.path.push_str(&at.to_string());
            self.path.push(']');
            check(self, value);
            self.path.truncate(length);
        }
    }

    pub(super) fn at_key(&mut self, key: &str, check: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(key);
        check(self);
        self.path.truncate(length);
    }

    pub(super) fn expect(&mut self, is_valid: bool, expected: &str, value: &Value) {
        if !is_valid {
            self.push_error(ShapeErrorKind::WrongType {
                expected: expected.to_owned(),
                actual: json_type_name(value),
            });
        }
    }

    pub(super) fn push_error(&mut self, kind: ShapeErrorKind) {
        self.errors.push(ShapeError { path: self.path.clone(), kind });
    }

    pub(super) fn check_enum(
        &mut self,
        value: &Value,
        supported: &'static [&'static str],
        accepted: &[&str],
    ) {
        match value.as_str() {
            Some(word) if supported.contains(&word) || accepted.contains(&word) => {}
            Some(word) => {
                self.push_error(ShapeErrorKind::UnknownValue { found: word.to_owned(), supported });
            }
            None => self.expect(false, &format!("one of {}", quoted_list(supported, "or")), value),
        }
    }
}

/// Formats `error_message` as a quoted English list.
pub(super) fn quoted_list(message: &[&str], conjunction: &str) -> String {
    let quoted: Vec<_> = message.iter().map(|word| format!("'{word}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} {conjunction} {two}"),
        [rest @ .., final_word] => format!("{}, {conjunction} {final_word}", rest.join(", ")),
    }
}
