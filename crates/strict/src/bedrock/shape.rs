//! Validates a request as AWS does: types, required members, lengths, patterns and unions.

use std::fmt::Write as _;

use serde_json::Value;

use crate::field_path::FieldPath;
use crate::form::ObjectFields;
use crate::json::JsonExt as _;

/// The shape of a value.
#[derive(Debug)]
pub(super) enum Shape {
    Structure(&'static [Member]),
    /// A structure of which exactly one member is set.
    Union(&'static str, &'static [Member]),
    List(&'static Shape, Length),
    Str(Length, Option<Pattern>),
    Enum(&'static [&'static str]),
    /// A number between a minimum and a maximum.
    Number(f64, f64),
    /// A whole number with a minimum.
    Integer(f64),
    /// Any object with a limited number of keys.
    Map(Length),
    Any,
}

#[derive(Debug)]
pub(super) struct Member {
    name: &'static str,
    shape: &'static Shape,
    required: bool,
    /// Whether error messages omit it from a union's keys.
    unlisted: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Length {
    pub(super) min: usize,
    pub(super) max: usize,
}

/// Letters, digits and `extra_chars`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    pub(super) regex: &'static str,
    pub(super) extra_chars: &'static str,
}

impl Member {
    pub(super) const fn optional(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, required: false, unlisted: false }
    }

    pub(super) const fn unlisted(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, required: false, unlisted: true }
    }

    pub(super) const fn required(name: &'static str, shape: &'static Shape) -> Self {
        Self { name, shape, required: true, unlisted: false }
    }
}

impl Shape {
    /// Adds the fields of this object and of those inside it.
    pub(super) fn collect_fields(&self, path: &str, out: &mut ObjectFields) {
        match self {
            Self::Structure(members) | Self::Union(_, members) => {
                let fields = members.iter().map(|member| (member.name.to_owned(), member.required));
                out.entry(path.to_owned()).or_default().extend(fields);
                for member in *members {
                    member.shape.collect_fields(&format!("{path}.{}", member.name), out);
                }
            }
            Self::List(element, _) => element.collect_fields(&format!("{path}[]"), out),
            _ => {}
        }
    }
}

pub(super) const ANY_LENGTH: Length = Length { min: 0, max: usize::MAX };

/// Formats a path as `messages.1.member.content.2.member`.
fn member_path(path: &FieldPath<'_>) -> String {
    path.format_with(&|out, index| write!(out, ".{}.member", index + 1))
}

#[derive(Default)]
pub(super) struct ShapeValidator {
    /// Paths and error messages of values of the wrong type.
    pub(super) type_errors: Vec<(String, String)>,
    /// Paths and error messages of violated constraints.
    pub(super) constraint_errors: Vec<(String, String)>,
    /// Paths and error messages of unions with no member, or several.
    pub(super) union_errors: Vec<(String, String)>,
}

impl ShapeValidator {
    pub(super) fn validate(shape: &'static Shape, body: &Value) -> Self {
        let mut validator = Self::default();
        validator.check_value(shape, body, &FieldPath::ROOT);
        validator
    }

    fn check_value(&mut self, shape: &'static Shape, value: &Value, path: &FieldPath<'_>) {
        match (shape, value) {
            (Shape::Any, _) => {}
            (Shape::Structure(members), Value::Object(_)) => {
                self.check_members(members, value, path);
            }
            (Shape::Union(name, members), Value::Object(object)) => {
                let is_set =
                    |member: &&Member| object.field(member.name).is_some_and(|v| !v.is_null());
                if members.iter().filter(is_set).count() == 1 {
                    return self.check_members(members, value, path);
                }
                let listed = members.iter().filter(|member| !member.unlisted);
                let names: Vec<_> = listed.map(|member| member.name).collect();
                let message = format!(
                    "{name} object at {} must set one of the following keys: {}.",
                    path.dotted(),
                    names.join(", ")
                );
                self.union_errors.push((path.dotted(), message));
            }
            (Shape::List(element, length), Value::Array(list)) => {
                self.check_length(*length, list.len(), value, path);
                for (index, value) in list.iter().enumerate() {
                    self.check_value(element, value, &path.index(index));
                }
            }
            (Shape::Str(length, pattern), Value::String(text)) => {
                self.check_str(*length, *pattern, text, value, path);
            }
            (Shape::Enum(names), Value::String(text)) => {
                if !names.contains(&text.as_str()) {
                    let value_set = names.join(", ");
                    self.push_constraint_error(
                        value,
                        path,
                        &format!("Member must satisfy enum value set: [{value_set}]"),
                    );
                }
            }
            (Shape::Number(min, max), Value::Number(_)) => {
                self.check_range(*min, *max, value, path);
            }
            (Shape::Integer(min), Value::Number(number))
                if number.as_f64().is_none_or(|number| number.fract() == 0.0) =>
            {
                self.check_range(*min, f64::INFINITY, value, path);
            }
            (Shape::Map(length), Value::Object(object)) => {
                self.check_length(*length, object.len(), value, path);
            }
            (shape, value) => {
                let message = type_error(shape, value);
                self.type_errors.push((path.dotted(), message));
            }
        }
    }

    fn check_members(&mut self, members: &'static [Member], value: &Value, path: &FieldPath<'_>) {
        for member in members {
            let path = &path.key(member.name);
            match value.field(member.name).filter(|value| !value.is_null()) {
                Some(value) => self.check_value(member.shape, value, path),
                None if member.required => {
                    let message = format!(
                        "Value null at '{}' failed to satisfy constraint: Member must not be null",
                        member_path(path)
                    );
                    self.constraint_errors.push((path.dotted(), message));
                }
                None => {}
            }
        }
    }

    fn check_str(
        &mut self,
        length: Length,
        pattern: Option<Pattern>,
        text: &str,
        value: &Value,
        path: &FieldPath<'_>,
    ) {
        let count = text.chars().count();
        if count > length.max {
            self.check_length(length, count, value, path);
        }
        if let Some(pattern) = pattern {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || pattern.extra_chars.contains(c);
            if text.is_empty() || !text.chars().all(is_allowed) {
                let message =
                    format!("Member must satisfy regular expression pattern: {}", pattern.regex);
                self.push_constraint_error(value, path, &message);
            }
        }
        if count < length.min {
            self.check_length(length, count, value, path);
        }
    }

    fn check_length(&mut self, length: Length, count: usize, value: &Value, path: &FieldPath<'_>) {
        if count > length.max {
            let message = format!("Member must have length less than or equal to {}", length.max);
            self.push_constraint_error(value, path, &message);
        } else if count < length.min {
            let message =
                format!("Member must have length greater than or equal to {}", length.min);
            self.push_constraint_error(value, path, &message);
        }
    }

    fn check_range(&mut self, min: f64, max: f64, value: &Value, path: &FieldPath<'_>) {
        let number = value.as_f64().unwrap_or_default();
        if number > max {
            let message = format!("Member must have value less than or equal to {max}");
            self.push_constraint_error(value, path, &message);
        } else if number < min {
            let message = format!("Member must have value greater than or equal to {min}");
            self.push_constraint_error(value, path, &message);
        }
    }

    fn push_constraint_error(&mut self, value: &Value, path: &FieldPath<'_>, constraint: &str) {
        let value_text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let message = format!(
            "Value '{value_text}' at '{}' failed to satisfy constraint: {constraint}",
            member_path(path)
        );
        self.constraint_errors.push((path.dotted(), message));
    }
}

/// The error message for a value of the wrong type.
fn type_error(shape: &Shape, value: &Value) -> String {
    let expected = match shape {
        Shape::List(..) => "List",
        Shape::Str(..) | Shape::Enum(_) => "String",
        Shape::Number(..) => "Float",
        Shape::Integer(_) => "Integer",
        Shape::Structure(_) | Shape::Union(..) | Shape::Map(_) | Shape::Any => "Structure",
    };
    let actual = match value {
        Value::Object(_) => {
            return "Start of structure or map found where not expected.".to_owned();
        }
        Value::Array(_) => return "Start of list found where not expected".to_owned(),
        Value::String(_) => "STRING_VALUE",
        Value::Number(_) => "NUMBER_VALUE",
        Value::Bool(true) => "TRUE_VALUE",
        Value::Bool(false) => "FALSE_VALUE",
        Value::Null => "NULL_VALUE",
    };
    format!("{actual} cannot be converted to {expected}")
}
