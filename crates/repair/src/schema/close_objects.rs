//! Closes the objects of a schema: sets `additionalProperties` to false.

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString, JsonWriter, RawJson};

use super::check::{self, KeywordKind, keyword_kind};

/// Whether some object accepts undeclared properties.
pub(crate) fn has_open_object(schema: JsonNode<'_>) -> bool {
    check::any_subschema(schema, true, &is_open)
}

/// Whether the schema matches any object: closed, it would match only empty ones.
pub(crate) fn is_any_object(schema: JsonNode<'_>) -> bool {
    is_open(schema)
        && !schema.fields().any(|field| DESCRIBING_KEYWORDS.iter().any(|key| field.key_is(key)))
}

pub(crate) fn close_objects(schema: &RawJson) -> RawJson {
    let mut out = JsonWriter::with_capacity(schema.as_str().len() + 64);
    write(schema.to_doc().root(), &mut out);
    out.into_json()
}

fn is_open(schema: JsonNode<'_>) -> bool {
    let [kind, additional] = schema.get_many(["type", ADDITIONAL_PROPERTIES]);
    let is_object = |kind: JsonNode<'_>| {
        kind.str_or_empty() == "object" || kind.items().any(|item| item.str_or_empty() == "object")
    };
    kind.is_some_and(is_object) && additional.and_then(JsonNode::as_bool) != Some(false)
}

fn write(schema: JsonNode<'_>, out: &mut JsonWriter) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    let open = is_open(schema);
    out.object(|object| {
        for field in schema.fields().filter(|field| !(open && field.key_is(ADDITIONAL_PROPERTIES)))
        {
            keyword(&field.key_json_string(), field.value, object);
        }
        if open {
            object.boolean(ADDITIONAL_PROPERTIES, false);
        }
    });
}

fn keyword(key: &JsonString, value: JsonNode<'_>, object: &mut ObjectWriter<'_>) {
    let out = object.key_json_string(key);
    match keyword_kind(&key.unescape()) {
        KeywordKind::SchemaMap if value.is_object() => out.object(|object| {
            for field in value.fields() {
                write(field.value, object.key_json_string(&field.key_json_string()));
            }
        }),
        KeywordKind::Schema => write(value, out),
        KeywordKind::SchemaList if value.is_array() => {
            out.array(|list| value.items().for_each(|item| write(item, list.item())));
        }
        _ => out.json(&value.json()),
    }
}

const ADDITIONAL_PROPERTIES: &str = "additionalProperties";
/// Keywords that describe an object further than by its type.
const DESCRIBING_KEYWORDS: &[&str] = &["properties", "$ref", "anyOf", "oneOf", "allOf"];
