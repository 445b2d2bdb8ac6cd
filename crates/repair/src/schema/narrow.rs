//! A schema in terms of a narrower kind: what all of several say is said at once, and a type is one
//! word.

use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::spell::meant;

/// One level of the schema anew, and the keyword that was said otherwise; nothing if it is narrow.
pub(super) fn narrow(schema: Node<'_>) -> Option<(Json, &'static str)> {
    if schema.get(ALL).is_some_and(Node::is_array) {
        return Some((merge(schema), ALL));
    }
    let kinds = schema.get(TYPE).filter(|kinds| kinds.is_array())?;
    Some((part(schema, kinds), TYPE))
}

/// What all of them say; where several say the same, the first does.
fn merge(schema: Node<'_>) -> Json {
    let mut all = Merged::default();
    all.gather(schema);
    Json::object(|object| {
        for (key, value) in &all.fields {
            if key == PROPERTIES && value.is_object() {
                object.object(PROPERTIES, |object| {
                    all.properties.iter().for_each(|(key, one)| copy(key, *one, object));
                });
            } else if key == REQUIRED && value.is_array() {
                object.array(REQUIRED, |list| {
                    all.required.iter().for_each(|name| list.item().text(name));
                });
            } else {
                copy(key, *value, object);
            }
        }
    })
}

#[derive(Default)]
struct Merged<'d> {
    fields: Vec<(Text, Node<'d>)>,
    properties: Vec<(Text, Node<'d>)>,
    required: Vec<Text>,
}

impl<'d> Merged<'d> {
    fn gather(&mut self, schema: Node<'d>) {
        for field in schema.fields().filter(|field| !field.is(ALL)) {
            if field.is(PROPERTIES) {
                for one in field.value.fields() {
                    add(&mut self.properties, one.key(), one.value);
                }
            }
            if field.is(REQUIRED) {
                for name in field.value.items().filter_map(Node::text) {
                    if !self.required.contains(&name) {
                        self.required.push(name);
                    }
                }
            }
            add(&mut self.fields, field.key(), field.value);
        }
        schema.get(ALL).into_iter().flat_map(Node::items).for_each(|one| self.gather(one));
    }
}

fn add<'d>(fields: &mut Vec<(Text, Node<'d>)>, key: Text, value: Node<'d>) {
    if !fields.iter().any(|(known, _)| *known == key) {
        fields.push((key, value));
    }
}

/// Several types are a choice among schemas, and that there may be nothing is a flag.
fn part(schema: Node<'_>, kinds: Node<'_>) -> Json {
    let mut words: Vec<&'static str> = Vec::new();
    for word in kinds.items().filter_map(meant) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let nothing = words.len() > 1 && words.contains(&NULL);
    words.retain(|word| !nothing || *word != NULL);
    // What is a choice already says the types there.
    let chosen = CHOICES.iter().any(|key| schema.get(key).is_some());
    let apart = words.len() > 1 && !chosen;
    let goes_along = |key: &str| apart && words.iter().any(|word| parts(word).contains(&key));
    Json::object(|object| {
        for field in schema.fields() {
            if !field.is(TYPE) {
                if !goes_along(&field.name()) {
                    copy(&field.key(), field.value, object);
                }
                continue;
            }
            match words.as_slice() {
                [one] => object.word(TYPE, one),
                many if apart => object.array(CHOICES[0], |list| {
                    for word in many {
                        list.object(|object| one_of(schema, word, object));
                    }
                }),
                _ => {}
            }
            if nothing && schema.get(NULLABLE).is_none() {
                object.boolean(NULLABLE, true);
            }
        }
    })
}

/// A type with the keywords that are about it.
fn one_of(schema: Node<'_>, word: &'static str, object: &mut Object<'_>) {
    object.word(TYPE, word);
    let parts = parts(word);
    for field in schema.fields().filter(|field| parts.iter().any(|part| field.is(part))) {
        copy(&field.key(), field.value, object);
    }
}

fn parts(word: &str) -> &'static [&'static str] {
    match word {
        "array" => &["items", "prefixItems", "minItems", "maxItems"],
        "object" => &[PROPERTIES, REQUIRED, "minProperties", "maxProperties"],
        _ => &[],
    }
}

fn copy(key: &Text, value: Node<'_>, object: &mut Object<'_>) {
    object.key_text(key).json(&value.json());
}

const ALL: &str = "allOf";
const TYPE: &str = "type";
const NULL: &str = "null";
const NULLABLE: &str = "nullable";
const PROPERTIES: &str = "properties";
const REQUIRED: &str = "required";
/// By which a schema is a choice.
const CHOICES: &[&str] = &["anyOf", "oneOf"];
