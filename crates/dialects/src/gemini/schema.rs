//! Schemas: the provider's own kind, after `OpenAPI`, and JSON Schema.

use interlingua_wire::{Json, Node, Text, Writer};

use super::names;

/// The provider's own kind of schema as JSON Schema: types in lower case, `nullable` as a type,
/// counts as numbers, references with their sign.
pub(super) fn to_json_schema(schema: Node<'_>) -> Json {
    if !differs(schema) {
        return schema.json();
    }
    let mut out = Writer::default();
    lower(schema, &mut out);
    out.into_json()
}

/// JSON Schema as the provider's own kind; what that does not know stays for others to remove.
pub(super) fn to_own_schema(schema: &Json) -> Json {
    let doc = schema.doc();
    let mut out = Writer::default();
    raise(doc.root(), &mut out);
    out.into_json()
}

/// A schema that asks for no argument: the provider wants such a function without parameters.
pub(super) fn asks_nothing(schema: &Json) -> bool {
    let doc = schema.doc();
    let root = doc.root();
    let says = |key: &str| root.get(key).is_some_and(|value| !value.is_null());
    let open = root.get("additionalProperties").is_some_and(|more| more.boolean() != Some(false));
    let properties = root.get("properties").is_some_and(|properties| !properties.is_empty());
    !properties && !open && !SHAPES.iter().any(|key| says(key))
}

fn differs(schema: Node<'_>) -> bool {
    schema.fields().any(|field| match names::one_of(&field.name(), TRANSLATED) {
        Some("type") => field.value.word().bytes().any(|byte| byte.is_ascii_uppercase()),
        Some("properties" | "$defs") => field.value.fields().any(|one| differs(one.value)),
        Some("anyOf") => !field.is("anyOf") || field.value.items().any(differs),
        Some("items" | "additionalProperties") => differs(field.value),
        Some("nullable" | "defs" | "ref") => true,
        Some("enum") | None => false,
        Some(_) => field.value.is_string() || field.name().contains('_'),
    })
}

fn lower(schema: Node<'_>, out: &mut Writer) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    let nullable = names::get(schema, "nullable").and_then(Node::boolean) == Some(true);
    out.object(|object| {
        for field in schema.fields() {
            let value = field.value;
            match names::one_of(&field.name(), TRANSLATED) {
                Some("type") if value.is_string() => {
                    let kind = Text::new(&value.word().to_ascii_lowercase());
                    let out = object.key("type");
                    if nullable && kind != "null" {
                        out.array(|kinds| {
                            kinds.item().text(&kind);
                            kinds.item().string("null");
                        });
                    } else {
                        out.text(&kind);
                    }
                }
                Some("nullable") => {}
                Some("ref") if value.is_string() => {
                    let place = value.word();
                    let inside = place.strip_prefix("#/defs/").map(|at| format!("#/$defs/{at}"));
                    object.text("$ref", &Text::new(inside.as_deref().unwrap_or(&place)));
                }
                Some(key @ ("properties" | "defs" | "$defs")) => object.object(plain(key), |all| {
                    for one in value.fields() {
                        lower(one.value, all.key_text(&one.key()));
                    }
                }),
                Some("anyOf") => object.array("anyOf", |all| {
                    value.items().for_each(|one| lower(one, all.item()));
                    if nullable {
                        all.object(|kind| kind.known("type", "null"));
                    }
                }),
                Some("enum") if nullable && value.is_array() => object.array("enum", |all| {
                    value.items().for_each(|one| all.item().json(&one.json()));
                    if !value.items().any(Node::is_null) {
                        all.item().json(&Json::NULL);
                    }
                }),
                Some("enum") => object.json("enum", &value.json()),
                Some(key @ ("items" | "additionalProperties")) => lower(value, object.key(key)),
                Some(key) => match value.word().parse() {
                    Ok(count) if value.is_string() => object.number(key, count),
                    _ => object.json(key, &value.json()),
                },
                None => object.key_text(&field.key()).json(&value.json()),
            }
        }
    });
}

fn raise(schema: Node<'_>, out: &mut Writer) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    let mut nullable = false;
    out.object(|object| {
        for field in schema.fields() {
            let value = field.value;
            match names::one_of(&field.name(), TRANSLATED) {
                Some("type") if value.is_array() => {
                    let mut kinds = value.items().filter(|kind| kind.word() != "null");
                    if let Some(kind) = kinds.next() {
                        object.json("type", &kind.json());
                    }
                    nullable |= value.items().any(|kind| kind.word() == "null");
                }
                Some("enum") if value.items().any(Node::is_null) => {
                    nullable = true;
                    object.array("enum", |all| {
                        let said = value.items().filter(|one| !one.is_null());
                        said.for_each(|one| all.item().json(&one.json()));
                    });
                }
                Some(key @ ("properties" | "defs")) => object.object(key, |all| {
                    for one in value.fields() {
                        raise(one.value, all.key_text(&one.key()));
                    }
                }),
                Some("anyOf") => object.array("anyOf", |all| {
                    nullable |= value.items().any(is_null_type);
                    let said = value.items().filter(|one| !is_null_type(*one));
                    said.for_each(|one| raise(one, all.item()));
                }),
                Some(key @ ("items" | "additionalProperties")) => raise(value, object.key(key)),
                Some("nullable") => nullable |= value.boolean() == Some(true),
                _ => object.key_text(&field.key()).json(&value.json()),
            }
        }
        if nullable {
            object.boolean("nullable", true);
        }
    });
}

/// The key in JSON Schema.
fn plain(key: &'static str) -> &'static str {
    if key == "defs" { "$defs" } else { key }
}

/// A schema of nothing but `null`, which the provider's own kind says beside the others.
fn is_null_type(schema: Node<'_>) -> bool {
    schema.len() == 1 && schema.get("type").is_some_and(|kind| kind.word() == "null")
}

/// Keys that the two kinds of schema spell differently, and those below which schemas stand.
const TRANSLATED: &[&str] = &[
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

/// Keys that give a schema without properties a shape all the same.
const SHAPES: &[&str] =
    &["anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if", "not", "enum", "const"];
