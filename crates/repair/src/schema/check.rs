//! Checks whether a target accepts a schema unchanged; each check is one that some provider makes.

use interlingua_providers::profile::tools::{NameFormat, SchemaDraft, SchemaRoot};
use interlingua_wire::{JsonKind, JsonNode};

use super::names::{NameIndex, are_unique};

/// Whether the root has the type that the target requires and no rejected keyword; `None` means
/// that there is no schema.
pub(crate) fn root_fits(
    schema: Option<JsonNode<'_>>,
    required_root: SchemaRoot,
    rejected: &[&str],
) -> bool {
    let Some(schema) = schema else {
        return matches!(
            required_root,
            SchemaRoot::Unchecked | SchemaRoot::AnySchema | SchemaRoot::ObjectIfPresent
        );
    };
    let is_object = || schema.get("type").is_some_and(|kind| kind.str_or_empty() == "object");
    match required_root {
        SchemaRoot::Unchecked => true,
        SchemaRoot::Required => schema.is_object(),
        SchemaRoot::AnySchema => schema.is_object() || schema.as_bool().is_some(),
        SchemaRoot::ObjectIfPresent | SchemaRoot::ObjectRequired => {
            is_object() && !rejected.iter().any(|key| schema.get(key).is_some())
        }
    }
}

/// Whether the property names at the root are valid.
pub(crate) fn has_valid_property_names(schema: JsonNode<'_>, names: &NameFormat) -> bool {
    let properties = schema.get("properties").into_iter().flat_map(JsonNode::fields);
    properties.into_iter().all(|property| names.accepts(&property.key()))
}

pub(crate) fn is_valid(schema: JsonNode<'_>, draft: SchemaDraft) -> bool {
    match draft {
        SchemaDraft::Unchecked => true,
        SchemaDraft::Draft7 => is_draft7(schema),
        SchemaDraft::Draft2020 => is_draft2020(schema),
    }
}

fn is_draft2020(schema: JsonNode<'_>) -> bool {
    match schema.kind() {
        JsonKind::Bool => true,
        JsonKind::Object => {
            schema.fields().all(|field| is_draft2020_keyword(&field.key(), field.value))
        }
        JsonKind::Null | JsonKind::Number | JsonKind::String | JsonKind::Array => false,
    }
}

fn is_draft2020_keyword(key: &str, value: JsonNode<'_>) -> bool {
    match keyword_kind(key) {
        KeywordKind::Type if value.is_array() => {
            !value.is_empty() && value.items().all(is_type) && are_unique(value)
        }
        KeywordKind::Type => is_type(value),
        KeywordKind::SchemaMap => {
            value.is_object() && value.fields().all(|field| is_draft2020(field.value))
        }
        KeywordKind::Schema => is_draft2020(value),
        KeywordKind::SchemaList => {
            value.is_array() && !value.is_empty() && value.items().all(is_draft2020)
        }
        KeywordKind::Names => {
            value.is_array() && value.items().all(JsonNode::is_string) && are_unique(value)
        }
        KeywordKind::Values => value.is_array(),
        KeywordKind::Number => value.kind() == JsonKind::Number,
        KeywordKind::Count => is_count(value),
        KeywordKind::Flag => value.as_bool().is_some(),
        KeywordKind::Text => value.is_string(),
        KeywordKind::Other => true,
    }
}

/// A non-negative integer of any size and spelling.
fn is_count(value: JsonNode<'_>) -> bool {
    let number = Some(value).filter(|value| value.kind() == JsonKind::Number);
    let number = number.and_then(|value| value.raw().parse::<f64>().ok());
    number.is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

/// Providers with draft 7 check fewer keywords.
fn is_draft7(schema: JsonNode<'_>) -> bool {
    match schema.kind() {
        JsonKind::Bool => true,
        JsonKind::Object => {
            schema.fields().all(|field| is_draft7_keyword(&field.key(), field.value))
        }
        JsonKind::Null | JsonKind::Number | JsonKind::String | JsonKind::Array => false,
    }
}

fn is_draft7_keyword(key: &str, value: JsonNode<'_>) -> bool {
    match key {
        "type" if value.is_array() => value.items().all(is_type),
        "type" => is_type(value),
        "required" | "enum" => value.is_array(),
        "properties" | "definitions" | "$defs" | "patternProperties" => {
            value.is_object() && value.fields().all(|field| is_draft7(field.value))
        }
        "items" | "anyOf" | "oneOf" | "allOf" if value.is_array() => value.items().all(is_draft7),
        "anyOf" | "oneOf" | "allOf" => false,
        "items" | "additionalProperties" | "not" | "if" | "then" | "else" => is_draft7(value),
        _ => true,
    }
}

fn is_type(value: JsonNode<'_>) -> bool {
    TYPES.contains(&&*value.str_or_empty())
}

pub(crate) fn has_array_without_items(schema: JsonNode<'_>) -> bool {
    any_subschema(schema, false, &|node| {
        node.get("type").is_some_and(|kind| kind.str_or_empty() == "array")
            && node.get("items").is_none()
            && node.get("prefixItems").is_none()
    })
}

pub(crate) fn has_type_list(schema: JsonNode<'_>) -> bool {
    any_subschema(schema, false, &|node| node.get("type").is_some_and(JsonNode::is_array))
}

/// Whether some `$ref` has siblings, or some `items` is a list.
pub(crate) fn has_reference_with_siblings(schema: JsonNode<'_>) -> bool {
    any_subschema(schema, false, &|node| {
        let has_siblings =
            node.fields().any(|field| !field.key_is("$ref") && !field.key_is("$defs"));
        node.get("$ref").is_some() && has_siblings
            || node.get("items").is_some_and(JsonNode::is_array)
    })
}

pub(crate) fn has_keyword(schema: JsonNode<'_>, keywords: &[&str]) -> bool {
    !keywords.is_empty()
        && any_subschema(schema, false, &|node| {
            node.fields().any(|field| keywords.iter().any(|key| field.key_is(key)))
        })
}

pub(crate) fn has_reference(schema: JsonNode<'_>) -> bool {
    any_subschema(schema, true, &|node| node.get("$ref").is_some())
}

/// Whether an object is open or has an optional property, a `$ref` has siblings, or a rejected
/// keyword occurs.
pub(crate) fn violates_strict(schema: JsonNode<'_>, rejected: &[&str]) -> bool {
    any_subschema(schema, false, &|node| {
        let [kind, properties, additional, required, reference] =
            node.get_many(["type", "properties", "additionalProperties", "required", "$ref"]);
        let properties = properties.filter(|properties| properties.is_object());
        let is_object = kind.is_some_and(|kind| kind.str_or_empty() == "object")
            || node.get("properties").is_some();
        let is_open = is_object && additional.and_then(JsonNode::as_bool) != Some(false);
        let required = required.filter(|list| list.is_array()).map(NameIndex::new);
        let is_required =
            |name: &str| required.as_ref().is_some_and(|required| required.contains(name));
        is_open
            || properties
                .is_some_and(|fields| fields.fields().any(|entry| !is_required(&entry.key())))
            || reference.is_some() && node.len() > 1
            || node.fields().any(|field| rejected.iter().any(|key| field.key_is(key)))
    })
}

/// Whether an object is open or a pattern has a lookaround or backreference.
pub(crate) fn violates_grammar_limits(schema: JsonNode<'_>) -> bool {
    any_subschema(schema, true, &|node| {
        let [kind, additional, pattern] =
            node.get_many(["type", "additionalProperties", "pattern"]);
        let is_object = kind.is_some_and(|kind| kind.str_or_empty() == "object");
        let pattern = pattern.map(JsonNode::str_or_empty).unwrap_or_default();
        is_object && additional.and_then(JsonNode::as_bool) != Some(false)
            || UNSUPPORTED_PATTERNS.iter().any(|substring| pattern.contains(substring))
    })
}

pub(crate) fn count_optional_properties(schema: JsonNode<'_>) -> usize {
    let count = std::cell::Cell::new(0);
    any_subschema(schema, true, &|node| {
        let [properties, required] = node.get_many(["properties", "required"]);
        let names = properties.filter(|value| value.is_object()).map_or(0, JsonNode::len);
        let required_count = required.filter(|value| value.is_array()).map_or(0, JsonNode::len);
        count.set(count.get() + names.saturating_sub(required_count));
        false
    });
    count.get()
}

/// Whether the predicate holds for this schema or a nested one. Providers check the schemas under
/// some keywords only; `wide` adds a few more.
pub(crate) fn any_subschema(
    schema: JsonNode<'_>,
    wide: bool,
    predicate: &dyn Fn(JsonNode<'_>) -> bool,
) -> bool {
    if !schema.is_object() {
        return false;
    }
    predicate(schema)
        || schema.fields().any(|field| match &*field.key() {
            "properties" | "$defs" | "definitions" => {
                field.value.fields().any(|inner| any_subschema(inner.value, wide, predicate))
            }
            "patternProperties" if wide => {
                field.value.fields().any(|inner| any_subschema(inner.value, wide, predicate))
            }
            "items" | "additionalProperties" | "not" => any_subschema(field.value, wide, predicate),
            "contains" if wide => any_subschema(field.value, wide, predicate),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                field.value.items().any(|inner| any_subschema(inner, wide, predicate))
            }
            _ => false,
        })
}

/// Type of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeywordKind {
    Type,
    SchemaMap,
    Schema,
    SchemaList,
    Names,
    Values,
    Number,
    Count,
    Flag,
    Text,
    Other,
}

pub(crate) fn keyword_kind(key: &str) -> KeywordKind {
    match key {
        "type" => KeywordKind::Type,
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
            KeywordKind::SchemaMap
        }
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems" => KeywordKind::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => KeywordKind::SchemaList,
        "required" => KeywordKind::Names,
        "enum" => KeywordKind::Values,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            KeywordKind::Number
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            KeywordKind::Count
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => KeywordKind::Flag,
        "title" | "description" | "pattern" | "format" | "$ref" | "$id" | "$schema" => {
            KeywordKind::Text
        }
        _ => KeywordKind::Other,
    }
}

pub(crate) const TYPES: &[&str] =
    &["array", "boolean", "integer", "null", "number", "object", "string"];
/// Substrings of patterns with lookarounds, backreferences or word boundaries.
const UNSUPPORTED_PATTERNS: &[&str] = &["(?=", "(?!", "(?<=", "(?<!", "\\1", "\\b"];
