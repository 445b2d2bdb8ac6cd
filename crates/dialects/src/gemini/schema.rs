//! Converts between JSON Schema and the provider's `OpenAPI`-like schemas.

use interlingua_wire::{JsonNode, JsonString, JsonWriter, RawJson};

use super::field_name;

/// Converts the provider's schema to JSON Schema: types in lower case, `nullable` as a type, counts
/// as numbers, references as `$ref`.
pub(super) fn to_json_schema(schema: JsonNode<'_>) -> RawJson {
    if !needs_conversion(schema) {
        return schema.json();
    }
    let mut out = JsonWriter::default();
    write_json_schema(schema, &mut out);
    out.into_json()
}

/// Converts JSON Schema to the provider's schema. Keywords it does not support are left for the
/// repair rules to remove.
pub(super) fn to_openapi_schema(schema: &RawJson) -> RawJson {
    let doc = schema.to_doc();
    let mut out = JsonWriter::default();
    write_openapi_schema(doc.root(), &mut out);
    out.into_json()
}

/// Returns whether a schema allows no argument: the provider wants such a function without
/// parameters.
pub(super) fn takes_no_args(schema: &RawJson) -> bool {
    let doc = schema.to_doc();
    let root = doc.root();
    let is_set = |key: &str| root.get(key).is_some_and(|value| !value.is_null());
    let allows_more = root
        .get("additionalProperties")
        .is_some_and(|additional| additional.as_bool() != Some(false));
    let has_properties =
        root.get("properties").is_some_and(|has_properties| !has_properties.is_empty());
    !has_properties && !allows_more && !SHAPE_KEYS.iter().any(|key| is_set(key))
}

fn needs_conversion(schema: JsonNode<'_>) -> bool {
    schema.fields().any(|field| match field_name::find_known(&field.key(), TRANSLATED_KEYS) {
        Some("type") => field.value.str_or_empty().bytes().any(|byte| byte.is_ascii_uppercase()),
        Some("properties" | "$defs") => {
            field.value.fields().any(|property| needs_conversion(property.value))
        }
        Some("anyOf") => !field.key_is("anyOf") || field.value.items().any(needs_conversion),
        Some("items" | "additionalProperties") => needs_conversion(field.value),
        Some("nullable" | "defs" | "ref") => true,
        Some("enum") | None => false,
        Some(_) => field.value.is_string() || field.key().contains('_'),
    })
}

fn write_json_schema(schema: JsonNode<'_>, out: &mut JsonWriter) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    let nullable = field_name::get(schema, "nullable").and_then(JsonNode::as_bool) == Some(true);
    out.object(|object| {
        for field in schema.fields() {
            let value = field.value;
            match field_name::find_known(&field.key(), TRANSLATED_KEYS) {
                Some("type") if value.is_string() => {
                    let kind = JsonString::new(&value.str_or_empty().to_ascii_lowercase());
                    let out = object.key("type");
                    if nullable && kind != "null" {
                        out.array(|kinds| {
                            kinds.item().json_string(&kind);
                            kinds.item().str("null");
                        });
                    } else {
                        out.json_string(&kind);
                    }
                }
                Some("nullable") => {}
                Some("ref") if value.is_string() => {
                    let reference = value.str_or_empty();
                    let converted =
                        reference.strip_prefix("#/defs/").map(|name| format!("#/$defs/{name}"));
                    object.json_string(
                        "$ref",
                        &JsonString::new(converted.as_deref().unwrap_or(&reference)),
                    );
                }
                Some(key @ ("properties" | "defs" | "$defs")) => {
                    object.object(json_schema_key(key), |list| {
                        for item in value.fields() {
                            write_json_schema(
                                item.value,
                                list.key_json_string(&item.key_json_string()),
                            );
                        }
                    });
                }
                Some("anyOf") => object.array("anyOf", |list| {
                    value.items().for_each(|item| write_json_schema(item, list.item()));
                    if nullable {
                        list.object(|kind| kind.static_str("type", "null"));
                    }
                }),
                Some("enum") if nullable && value.is_array() => object.array("enum", |list| {
                    value.items().for_each(|item| list.item().json(&item.json()));
                    if !value.items().any(JsonNode::is_null) {
                        list.item().json(&RawJson::NULL);
                    }
                }),
                Some("enum") => object.json("enum", &value.json()),
                Some(key @ ("items" | "additionalProperties")) => {
                    write_json_schema(value, object.key(key));
                }
                Some(key) => match value.str_or_empty().parse() {
                    Ok(count) if value.is_string() => object.number(key, count),
                    _ => object.json(key, &value.json()),
                },
                None => object.key_json_string(&field.key_json_string()).json(&value.json()),
            }
        }
    });
}

fn write_openapi_schema(schema: JsonNode<'_>, out: &mut JsonWriter) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    let mut nullable = false;
    out.object(|object| {
        for field in schema.fields() {
            let value = field.value;
            match field_name::find_known(&field.key(), TRANSLATED_KEYS) {
                Some("type") if value.is_array() => {
                    let mut kinds = value.items().filter(|kind| kind.str_or_empty() != "null");
                    if let Some(kind) = kinds.next() {
                        object.json("type", &kind.json());
                    }
                    nullable |= value.items().any(|kind| kind.str_or_empty() == "null");
                }
                Some("enum") if value.items().any(JsonNode::is_null) => {
                    nullable = true;
                    object.array("enum", |list| {
                        let non_null = value.items().filter(|item| !item.is_null());
                        non_null.for_each(|item| list.item().json(&item.json()));
                    });
                }
                Some(key @ ("properties" | "defs")) => object.object(key, |list| {
                    for item in value.fields() {
                        write_openapi_schema(
                            item.value,
                            list.key_json_string(&item.key_json_string()),
                        );
                    }
                }),
                Some("anyOf") => object.array("anyOf", |list| {
                    nullable |= value.items().any(is_null_type);
                    let non_null = value.items().filter(|item| !is_null_type(*item));
                    non_null.for_each(|item| write_openapi_schema(item, list.item()));
                }),
                Some(key @ ("items" | "additionalProperties")) => {
                    write_openapi_schema(value, object.key(key));
                }
                Some("nullable") => nullable |= value.as_bool() == Some(true),
                _ => object.key_json_string(&field.key_json_string()).json(&value.json()),
            }
        }
        if nullable {
            object.boolean("nullable", true);
        }
    });
}

/// The key's name in JSON Schema.
fn json_schema_key(key: &'static str) -> &'static str {
    if key == "defs" { "$defs" } else { key }
}

/// A schema of only `null`, which the provider's form expresses as `nullable`.
fn is_null_type(schema: JsonNode<'_>) -> bool {
    schema.len() == 1 && schema.get("type").is_some_and(|kind| kind.str_or_empty() == "null")
}

/// Keywords that the two forms spell differently, and those with subschemas.
const TRANSLATED_KEYS: &[&str] = &[
    "type",
    "nullable",
    "enum",
    "properties",
    "defs",
    "$defs",
    "ref",
    "items",
    "additionalProperties",
    "anyOf",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
];

/// Keywords that define a shape without `properties`.
const SHAPE_KEYS: &[&str] =
    &["anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if", "not", "enum", "const"];
