//! Validates the shape of a body: keys and types. The tables are in `fields` and `blocks`, the
//! rules in `shape_rules`.

use serde_json::Value;

use super::view::{as_integer, quote_each};
use crate::field_path::FieldPath;
use crate::form::ObjectFields;

use crate::json::JsonExt as _;

/// An object with a known set of keys.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) fields: &'static [Field],
    /// The rule that an unknown key violates.
    pub(super) unknown_key_rule: &'static str,
    /// Whether unknown keys are accepted.
    pub(super) allows_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    name: &'static str,
    field_type: FieldType,
    required: bool,
    /// Prefixes of betas, one of which the request needs for this key; empty if none is needed.
    beta_prefixes: &'static [&'static str],
    /// The rule that errors of this field violate, instead of the default.
    rule: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FieldType {
    Any,
    /// A known key that is rejected here.
    Forbidden,
    Str,
    /// A string; error paths include its type.
    StrInUnion,
    Integer,
    Number,
    Bool,
    Object,
    Enum(&'static [&'static str]),
    Array(&'static FieldType),
    /// A string, or a value of this type.
    StrOr(&'static FieldType),
    Shape(&'static Shape),
    Tagged(&'static TaggedUnion),
}

/// Objects of several types, distinguished by a key.
#[derive(Debug)]
pub(super) struct TaggedUnion {
    pub(super) tag_key: &'static str,
    pub(super) variants: &'static [UnionVariant],
    /// The tag of an object without the key.
    pub(super) default_tag: Option<&'static str>,
    /// Whether the tag is a segment of error paths inside the object.
    pub(super) tag_in_path: bool,
    /// Whether an unknown tag is reported as an invalid value of its key.
    pub(super) reports_value: bool,
    /// The rule that an unknown tag violates.
    pub(super) unknown_tag_rule: &'static str,
}

#[derive(Debug)]
pub(super) struct UnionVariant {
    pub(super) tag: &'static str,
    pub(super) shape: &'static Shape,
    pub(super) beta_prefixes: &'static [&'static str],
}

pub(super) struct ShapeError {
    pub(super) rule: &'static str,
    pub(super) path: String,
    pub(super) message: String,
}

struct ShapeValidator<'r> {
    betas: &'r [&'r str],
    errors: Vec<ShapeError>,
}

impl Shape {
    pub(super) const fn closed(fields: &'static [Field]) -> Self {
        Self { fields, unknown_key_rule: EXTRA_INPUT, allows_unknown: false }
    }
}

impl Shape {
    /// Adds the fields of this object and of those inside it.
    pub(super) fn collect_fields(&self, path: &str, out: &mut ObjectFields) {
        if !self.allows_unknown {
            let known = |field: &&Field| !matches!(field.field_type, FieldType::Forbidden);
            let fields = self.fields.iter().filter(known);
            let fields = fields.map(|field| (field.name.to_owned(), field.required));
            out.entry(path.to_owned()).or_default().extend(fields);
        }
        for field in self.fields {
            field.field_type.collect_fields(&format!("{path}.{}", field.name), out);
        }
    }
}

impl FieldType {
    fn collect_fields(&self, path: &str, out: &mut ObjectFields) {
        match self {
            Self::Array(element) => element.collect_fields(&format!("{path}[]"), out),
            Self::StrOr(other) => other.collect_fields(path, out),
            Self::Shape(shape) => shape.collect_fields(path, out),
            Self::Tagged(tagged) => {
                for row in tagged.variants {
                    row.shape.collect_fields(&format!("{path}({})", row.tag), out);
                }
            }
            _ => {}
        }
    }
}

impl Field {
    pub(super) const fn required(name: &'static str, field_type: FieldType) -> Self {
        Self { name, field_type, required: true, beta_prefixes: &[], rule: None }
    }

    pub(super) const fn optional(name: &'static str, field_type: FieldType) -> Self {
        Self { name, field_type, required: false, beta_prefixes: &[], rule: None }
    }

    pub(super) const fn with_betas(self, betas: &'static [&'static str]) -> Self {
        Self { beta_prefixes: betas, ..self }
    }

    pub(super) const fn with_rule(self, rule: &'static str) -> Self {
        Self { rule: Some(rule), ..self }
    }
}

impl UnionVariant {
    pub(super) const fn new(tag: &'static str, shape: &'static Shape) -> Self {
        Self { tag, shape, beta_prefixes: &[] }
    }

    pub(super) const fn with_betas(self, betas: &'static [&'static str]) -> Self {
        Self { beta_prefixes: betas, ..self }
    }
}

impl ShapeValidator<'_> {
    fn push_error(&mut self, rule: &'static str, path: &FieldPath<'_>, message: impl Into<String>) {
        self.errors.push(ShapeError { rule, path: path.dotted(), message: message.into() });
    }

    fn has_beta(&self, betas: &[&str]) -> bool {
        betas.is_empty()
            || self.betas.iter().any(|beta| betas.iter().any(|prefix| beta.starts_with(prefix)))
    }

    fn check_object(&mut self, value: &Value, shape: &Shape, path: &FieldPath<'_>) {
        let Some(object) = value.as_object() else {
            return self.push_error(WRONG_TYPE, path, "Input should be an object");
        };
        for field in shape.fields.iter().filter(|field| field.required) {
            if object.field(field.name).is_none() {
                self.push_error(
                    field.rule.unwrap_or(FIELD_REQUIRED),
                    &path.key(field.name),
                    FIELD_REQUIRED_ERROR,
                );
            }
        }
        for (key, value) in object {
            let path = path.key(key);
            match shape.fields.iter().find(|field| field.name == key) {
                Some(field)
                    if !self.has_beta(field.beta_prefixes)
                        || matches!(field.field_type, FieldType::Forbidden) =>
                {
                    self.push_error(
                        field.rule.unwrap_or(shape.unknown_key_rule),
                        &path,
                        EXTRA_INPUT_ERROR,
                    );
                }
                // Optional fields may be null.
                Some(field) if value.is_null() && !field.required => {}
                Some(field) => self.check_value(value, field.field_type, &path, field.rule),
                None if shape.allows_unknown => {}
                None => self.push_error(shape.unknown_key_rule, &path, EXTRA_INPUT_ERROR),
            }
        }
    }

    fn check_value(
        &mut self,
        value: &Value,
        kind: FieldType,
        path: &FieldPath<'_>,
        rule: Option<&'static str>,
    ) {
        let expected = match kind {
            FieldType::Any | FieldType::Forbidden => None,
            FieldType::Str | FieldType::StrInUnion => {
                (!value.is_string()).then_some("a valid string")
            }
            FieldType::Integer => as_integer(value).is_none().then_some("a valid integer"),
            FieldType::Number => (!value.is_number()).then_some("a valid number"),
            FieldType::Bool => (!value.is_boolean()).then_some("a valid boolean"),
            FieldType::Object => (!value.is_object()).then_some("an object"),
            FieldType::Array(_) => (!value.is_array()).then_some("a valid array"),
            FieldType::Enum(names) => return self.check_enum(value, names, path, rule),
            FieldType::StrOr(_) if value.is_string() => None,
            FieldType::StrOr(kind) => return self.check_value(value, *kind, path, rule),
            FieldType::Shape(shape) => return self.check_object(value, shape, path),
            FieldType::Tagged(tagged) => return self.check_union(value, tagged, path),
        };
        if let Some(expected) = expected {
            let str_path = path.key("str");
            let path = if matches!(kind, FieldType::StrInUnion) { &str_path } else { path };
            let message = format!("Input should be {expected}");
            return self.push_error(rule.unwrap_or(WRONG_TYPE), path, message);
        }
        if let (FieldType::Array(kind), Some(list)) = (kind, value.as_array()) {
            for (index, value) in list.iter().enumerate() {
                self.check_value(value, *kind, &path.index(index), None);
            }
        }
    }

    fn check_enum(
        &mut self,
        value: &Value,
        names: &[&str],
        path: &FieldPath<'_>,
        rule: Option<&'static str>,
    ) {
        if !value.as_str().is_some_and(|value| names.contains(&value)) {
            let message = format!("Input should be {}", quoted_or_list(names));
            self.push_error(rule.unwrap_or(WRONG_TYPE), path, message);
        }
    }

    fn check_union(&mut self, value: &Value, tagged: &TaggedUnion, path: &FieldPath<'_>) {
        if !value.is_object() {
            let rule = if tagged.unknown_tag_rule == UNKNOWN_TOOL_CHOICE {
                UNKNOWN_TOOL_CHOICE
            } else {
                WRONG_TYPE
            };
            return self.push_error(rule, path, "Input should be an object");
        }
        let tag_value = value.field(tagged.tag_key).filter(|tag| !tag.is_null());
        let Some(tag) = tag_value.and_then(Value::as_str).or(tagged.default_tag) else {
            if tagged.reports_value {
                return self.push_error(
                    FIELD_REQUIRED,
                    &path.key(tagged.tag_key),
                    FIELD_REQUIRED_ERROR,
                );
            }
            let message = format!("Unable to extract tag using discriminator '{}'", tagged.tag_key);
            return self.push_error(tagged.unknown_tag_rule, path, message);
        };
        let known_tags = || {
            tagged.variants.iter().filter(|row| self.has_beta(row.beta_prefixes)).map(|row| row.tag)
        };
        match tagged.variants.iter().find(|row| row.tag == tag && self.has_beta(row.beta_prefixes))
        {
            Some(row) if tagged.tag_in_path => self.check_object(value, row.shape, &path.key(tag)),
            Some(row) => self.check_object(value, row.shape, path),
            None if tagged.reports_value => {
                let message = format!(
                    "Input should be {}",
                    quoted_or_list(&known_tags().collect::<Vec<_>>())
                );
                self.push_error(tagged.unknown_tag_rule, &path.key(tagged.tag_key), message);
            }
            None => {
                let message = format!(
                    "Input tag '{tag}' found using '{}' does not match any of the expected tags: {}",
                    tagged.tag_key,
                    quote_each(&known_tags().collect::<Vec<_>>()).join(", ")
                );
                self.push_error(tagged.unknown_tag_rule, path, message);
            }
        }
    }
}

/// Checks a body against a shape.
pub(super) fn shape_errors(body: &Value, shape: &Shape, betas: &[&str]) -> Vec<ShapeError> {
    let mut validator = ShapeValidator { betas, errors: Vec::new() };
    validator.check_object(body, shape, &FieldPath::ROOT);
    validator.errors
}

/// Formats names as `'a', 'b' or 'c'`.
pub(super) fn quoted_or_list(names: &[&str]) -> String {
    let names = quote_each(names);
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

pub(super) const FIELD_REQUIRED: &str = "field-required";
pub(super) const WRONG_TYPE: &str = "wrong-type";
pub(super) const EXTRA_INPUT: &str = "extra-input";
pub(super) const UNKNOWN_TAG: &str = "unknown-tag";
pub(super) const UNKNOWN_ROLE: &str = "unknown-role";
pub(super) const CACHE_CONTROL_KEY: &str = "cache-control-key";
pub(super) const CACHE_CONTROL_VALUE: &str = "cache-control-value";
pub(super) const UNKNOWN_TOOL_CHOICE: &str = "unknown-tool-choice";
pub(super) const TOOL_INPUT: &str = "tool-input";
pub(super) const RESULT_WITHOUT_ID: &str = "result-without-id";
pub(super) const UNSIGNED_THINKING: &str = "unsigned-thinking";
pub(super) const CACHED_THINKING: &str = "cached-thinking";
pub(super) const BLOCK_BINDING_WITHOUT_BETA: &str = "block-binding-without-beta";
pub(super) const SCHEMA_MISSING: &str = "schema-missing";
pub(super) const THINKING_DISPLAY: &str = "thinking-display";

const FIELD_REQUIRED_ERROR: &str = "Field required";
const EXTRA_INPUT_ERROR: &str = "Extra inputs are not permitted";
