//! Rewrites `allOf` and lists of types for targets that support neither.

use std::collections::HashSet;

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::schema::check::TYPES;
use crate::schema::names::OrderedNames;

/// One level of the schema rewritten, and the replaced keyword; `None` if it has neither.
pub(super) fn narrow(schema: JsonNode<'_>) -> Option<(RawJson, &'static str)> {
    if schema.get(ALL_OF).is_some_and(JsonNode::is_array) {
        return Some((merge_all_of(schema), ALL_OF));
    }
    let kinds = schema.get(TYPE).filter(|kinds| kinds.is_array())?;
    Some((split_types(schema, kinds), TYPE))
}

/// Merges the schemas of `allOf`; of duplicate fields, the first one is kept.
fn merge_all_of(schema: JsonNode<'_>) -> RawJson {
    let mut merged = MergedSchema::default();
    merged.gather(schema);
    RawJson::object(|object| {
        for (key, value) in &merged.fields.fields {
            if key == PROPERTIES && value.is_object() {
                object.object(PROPERTIES, |object| {
                    let properties = merged.properties.fields.iter();
                    properties.for_each(|(key, property)| copy(key, *property, object));
                });
            } else if key == REQUIRED && value.is_array() {
                object.array(REQUIRED, |list| {
                    merged
                        .required
                        .as_slice()
                        .iter()
                        .for_each(|name| list.item().json_string(name));
                });
            } else {
                copy(key, *value, object);
            }
        }
    })
}

#[derive(Default)]
struct MergedSchema<'d> {
    fields: FirstFields<'d>,
    properties: FirstFields<'d>,
    required: OrderedNames,
}

/// Fields with distinct keys; of duplicates, the first one is kept.
#[derive(Default)]
struct FirstFields<'d> {
    fields: Vec<(JsonString, JsonNode<'d>)>,
    known: HashSet<String>,
}

impl<'d> MergedSchema<'d> {
    fn gather(&mut self, schema: JsonNode<'d>) {
        for field in schema.fields().filter(|field| !field.key_is(ALL_OF)) {
            if field.key_is(PROPERTIES) {
                for branch in field.value.fields() {
                    self.properties.insert(branch);
                }
            }
            if field.key_is(REQUIRED) {
                for name in field.value.items().filter_map(JsonNode::json_string) {
                    self.required.insert(name);
                }
            }
            self.fields.insert(field);
        }
        schema
            .get(ALL_OF)
            .into_iter()
            .flat_map(JsonNode::items)
            .for_each(|branch| self.gather(branch));
    }
}

impl<'d> FirstFields<'d> {
    fn insert(&mut self, field: Field<'d>) {
        if self.known.insert(field.key().into_owned()) {
            self.fields.push((field.key_json_string(), field.value));
        }
    }
}

/// Rewrites a list of types as `anyOf`, and `null` as `nullable`.
fn split_types(schema: JsonNode<'_>, kinds: JsonNode<'_>) -> RawJson {
    let mut types: Vec<&'static str> = Vec::new();
    for type_name in kinds.items().filter_map(guess_type) {
        if !types.contains(&type_name) {
            types.push(type_name);
        }
    }
    let is_nullable = types.len() > 1 && types.contains(&NULL);
    types.retain(|type_name| !is_nullable || *type_name != NULL);
    // The alternatives of an existing choice have types of their own.
    let has_choice = CHOICES.iter().any(|key| schema.get(key).is_some());
    let needs_choice = types.len() > 1 && !has_choice;
    let moves = |key: &str| {
        needs_choice && types.iter().any(|type_name| type_keywords(type_name).contains(&key))
    };
    RawJson::object(|object| {
        for field in schema.fields() {
            if !field.key_is(TYPE) {
                if !moves(&field.key()) {
                    copy(&field.key_json_string(), field.value, object);
                }
                continue;
            }
            match types.as_slice() {
                [one] => object.str(TYPE, one),
                many if needs_choice => object.array(CHOICES[0], |list| {
                    for type_name in many {
                        list.object(|object| write_type(schema, type_name, object));
                    }
                }),
                _ => {}
            }
            if is_nullable && schema.get(NULLABLE).is_none() {
                object.boolean(NULLABLE, true);
            }
        }
    })
}

/// Writes a type with the keywords that apply to it.
fn write_type(schema: JsonNode<'_>, type_name: &'static str, object: &mut ObjectWriter<'_>) {
    object.str(TYPE, type_name);
    let keywords = type_keywords(type_name);
    for field in
        schema.fields().filter(|field| keywords.iter().any(|keyword| field.key_is(keyword)))
    {
        copy(&field.key_json_string(), field.value, object);
    }
}

fn type_keywords(type_name: &str) -> &'static [&'static str] {
    match type_name {
        "array" => &["items", "prefixItems", "minItems", "maxItems"],
        "object" => &[PROPERTIES, REQUIRED, "minProperties", "maxProperties"],
        _ => &[],
    }
}

fn copy(key: &JsonString, value: JsonNode<'_>, object: &mut ObjectWriter<'_>) {
    object.key_json_string(key).json(&value.json());
}

const ALL_OF: &str = "allOf";
const TYPE: &str = "type";
const NULL: &str = "null";
const NULLABLE: &str = "nullable";
const PROPERTIES: &str = "properties";
const REQUIRED: &str = "required";
/// Keywords with alternatives.
const CHOICES: &[&str] = &["anyOf", "oneOf"];

/// The most likely type for a non-standard type name.
pub(crate) fn guess_type(kind: JsonNode<'_>) -> Option<&'static str> {
    let word = kind.str_or_empty().to_ascii_lowercase();
    let type_name = TYPES.iter().copied().find(|type_name| *type_name == word);
    type_name
        .or_else(|| TYPE_ALIASES.iter().find(|(alias, _)| *alias == word).map(|(_, kind)| *kind))
}

const TYPE_ALIASES: &[(&str, &str)] = &[
    ("str", "string"),
    ("text", "string"),
    ("date", "string"),
    ("datetime", "string"),
    ("date-time", "string"),
    ("file", "string"),
    ("uuid", "string"),
    ("enum", "string"),
    ("int", "integer"),
    ("long", "integer"),
    ("float", "number"),
    ("double", "number"),
    ("decimal", "number"),
    ("bool", "boolean"),
    ("list", "array"),
    ("tuple", "array"),
    ("set", "array"),
    ("dict", "object"),
    ("map", "object"),
    ("record", "object"),
    ("none", "null"),
    ("nil", "null"),
];
