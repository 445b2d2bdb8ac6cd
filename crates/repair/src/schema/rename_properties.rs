//! Renames the properties at the root of a schema.

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua_wire::{JsonNode, JsonString, JsonWriter, RawJson};

/// Renamed properties.
#[derive(Debug, Default)]
pub(crate) struct PropertyRenames {
    /// The sent name of each client's name.
    sent_names: HashMap<String, JsonString>,
    /// As sent, and the client's.
    pub(crate) pairs: Vec<(JsonString, JsonString)>,
}

impl PropertyRenames {
    pub(crate) fn contains(&self, client_name: &str) -> bool {
        self.sent_names.contains_key(client_name)
    }

    pub(crate) fn insert(&mut self, sent_name: JsonString, client_name: JsonString) {
        self.sent_names.insert(client_name.unescape().into_owned(), sent_name.clone());
        self.pairs.push((sent_name, client_name));
    }
}

/// Renames the properties in the schema, wherever it refers to properties of the root.
pub(crate) fn rename_in_schema(schema: &RawJson, pairs: &PropertyRenames) -> RawJson {
    let mut out = JsonWriter::with_capacity(schema.as_str().len() + 64);
    write(schema.to_doc().root(), pairs, &mut out);
    let json = out.into_json();
    if !json.as_str().contains(PROPERTIES) {
        return json;
    }
    let mut out = JsonWriter::with_capacity(json.as_str().len() + 64);
    rewrite_references(json.to_doc().root(), pairs, &mut out);
    out.into_json()
}

/// Renames the fields of an object.
pub(crate) fn rename_in_object(value: JsonNode<'_>, pairs: &PropertyRenames) -> RawJson {
    if !value.is_object() {
        return value.json();
    }
    RawJson::object(|object| {
        for field in value.fields() {
            object
                .key_json_string(&sent_name(&field.key_json_string(), pairs))
                .json(&field.value.json());
        }
    })
}

fn sent_name(client: &JsonString, pairs: &PropertyRenames) -> JsonString {
    pairs.sent_names.get(&*client.unescape()).unwrap_or(client).clone()
}

fn write(schema: JsonNode<'_>, pairs: &PropertyRenames, out: &mut JsonWriter) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    out.object(|object| {
        for field in schema.fields() {
            let (key, value) = (field.key_json_string(), field.value);
            let out = object.key_json_string(&key);
            match &*key.unescape() {
                "properties" if value.is_object() => write_properties(value, pairs, out),
                "required" | "propertyOrdering" => write_names(value, pairs, out),
                "dependentRequired" | "dependentSchemas" | "dependencies" if value.is_object() => {
                    out.object(|object| {
                        for item in value.fields() {
                            let out =
                                object.key_json_string(&sent_name(&item.key_json_string(), pairs));
                            if item.value.is_array() {
                                write_names(item.value, pairs, out);
                            } else {
                                write(item.value, pairs, out);
                            }
                        }
                    });
                }
                "allOf" | "anyOf" | "oneOf" if value.is_array() => {
                    out.array(|list| {
                        value.items().for_each(|item| write(item, pairs, list.item()));
                    });
                }
                "if" | "then" | "else" | "not" => write(value, pairs, out),
                _ => out.json(&value.json()),
            }
        }
    });
}

/// A renamed property gets its client name as title, if it has none.
fn write_properties(schemas: JsonNode<'_>, pairs: &PropertyRenames, out: &mut JsonWriter) {
    out.object(|object| {
        for property in schemas.fields() {
            let (client, value) = (property.key_json_string(), property.value);
            let sent = sent_name(&client, pairs);
            let out = object.key_json_string(&sent);
            if sent == client || !value.is_object() || value.get("title").is_some() {
                out.json(&value.json());
                continue;
            }
            out.object(|object| {
                object.json_string("title", &client);
                object.extend(&value.json());
            });
        }
    });
}

fn write_names(list: JsonNode<'_>, pairs: &PropertyRenames, out: &mut JsonWriter) {
    if !list.is_array() {
        return out.json(&list.json());
    }
    out.array(|names| {
        for name in list.items() {
            match name.json_string() {
                Some(name) => names.item().json_string(&sent_name(&name, pairs)),
                None => names.item().json(&name.json()),
            }
        }
    });
}

/// Rewrites references to renamed properties at any depth.
fn rewrite_references(value: JsonNode<'_>, pairs: &PropertyRenames, out: &mut JsonWriter) {
    if value.is_object() {
        out.object(|object| {
            for field in value.fields() {
                let out = object.key_json_string(&field.key_json_string());
                match field.value.json_string().filter(|_| field.key_is("$ref")) {
                    Some(reference) => out.str(&rewritten_reference(&reference.unescape(), pairs)),
                    None => rewrite_references(field.value, pairs, out),
                }
            }
        });
    } else if value.is_array() {
        out.array(|list| {
            value.items().for_each(|item| rewrite_references(item, pairs, list.item()));
        });
    } else {
        out.json(&value.json());
    }
}

fn rewritten_reference<'r>(reference: &'r str, pairs: &PropertyRenames) -> Cow<'r, str> {
    let Some(path) = reference.strip_prefix(PROPERTIES) else { return reference.into() };
    let (name, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    // The name in a reference may be percent-encoded.
    let decoded = unescaped(name);
    let sent_name = pairs.sent_names.get(name).or_else(|| pairs.sent_names.get(&decoded));
    sent_name.map_or(reference.into(), |sent| format!("{PROPERTIES}{sent}{rest}").into())
}

/// Decodes a segment of a JSON pointer in a URI fragment.
fn unescaped(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).replace("~1", "/").replace("~0", "~")
}

const PROPERTIES: &str = "#/properties/";
