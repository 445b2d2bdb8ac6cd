//! A schema whose objects are closed: they hold what they say, and nothing else.

use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text, Writer};

use super::look::{self, Keyword, holds};

/// Whether an object may hold more than it says.
pub(crate) fn has_open(schema: Node<'_>) -> bool {
    look::any(schema, true, &is_open)
}

/// Whether the schema is of any object: closed, it would be of none.
pub(crate) fn is_any_object(schema: Node<'_>) -> bool {
    is_open(schema) && !schema.fields().any(|field| SAYING.iter().any(|key| field.is(key)))
}

pub(crate) fn close(schema: &Json) -> Json {
    let mut out = Writer::with_capacity(schema.as_str().len() + 64);
    write(schema.doc().root(), &mut out);
    out.into_json()
}

fn is_open(schema: Node<'_>) -> bool {
    let [kind, more] = schema.pick(["type", MORE]);
    let is_object =
        |kind: Node<'_>| kind.word() == "object" || kind.items().any(|one| one.word() == "object");
    kind.is_some_and(is_object) && more.and_then(Node::boolean) != Some(false)
}

fn write(schema: Node<'_>, out: &mut Writer) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    let open = is_open(schema);
    out.object(|object| {
        for field in schema.fields().filter(|field| !(open && field.is(MORE))) {
            keyword(&field.key(), field.value, object);
        }
        if open {
            object.boolean(MORE, false);
        }
    });
}

fn keyword(key: &Text, value: Node<'_>, object: &mut Object<'_>) {
    let out = object.key_text(key);
    match holds(&key.contents()) {
        Keyword::Schemas if value.is_object() => out.object(|object| {
            for field in value.fields() {
                write(field.value, object.key_text(&field.key()));
            }
        }),
        Keyword::Schema => write(value, out),
        Keyword::List if value.is_array() => {
            out.array(|list| value.items().for_each(|one| write(one, list.item())));
        }
        _ => out.json(&value.json()),
    }
}

const MORE: &str = "additionalProperties";
/// What says more of an object than that it is one.
const SAYING: &[&str] = &["properties", "$ref", "anyOf", "oneOf", "allOf"];
