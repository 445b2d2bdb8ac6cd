//! A schema whose properties at the root have other names.

use std::borrow::Cow;

use interlingua_wire::{Json, Node, Text, Writer};

/// Names of properties: the name sent, the client's.
pub(crate) type Pairs = Vec<(Text, Text)>;

/// The schema under the names that are sent, wherever it speaks of what is given at the root.
pub(crate) fn schema(schema: &Json, pairs: &Pairs) -> Json {
    let mut out = Writer::with_capacity(schema.as_str().len() + 64);
    write(schema.doc().root(), pairs, &mut out);
    let json = out.into_json();
    if !json.as_str().contains(PROPERTIES) {
        return json;
    }
    let mut out = Writer::with_capacity(json.as_str().len() + 64);
    refer(json.doc().root(), pairs, &mut out);
    out.into_json()
}

/// An object under the names that are sent.
pub(crate) fn object(value: Node<'_>, pairs: &Pairs) -> Json {
    if !value.is_object() {
        return value.json();
    }
    Json::object(|object| {
        for field in value.fields() {
            object.key_text(&sent(&field.key(), pairs)).json(&field.value.json());
        }
    })
}

fn sent(client: &Text, pairs: &Pairs) -> Text {
    let known = pairs.iter().find(|(_, known)| known == client);
    known.map_or_else(|| client.clone(), |(sent, _)| sent.clone())
}

fn write(schema: Node<'_>, pairs: &Pairs, out: &mut Writer) {
    if !schema.is_object() {
        return out.json(&schema.json());
    }
    out.object(|object| {
        for field in schema.fields() {
            let (key, value) = (field.key(), field.value);
            let out = object.key_text(&key);
            match &*key.contents() {
                "properties" if value.is_object() => properties(value, pairs, out),
                "required" | "propertyOrdering" => names(value, pairs, out),
                "dependentRequired" | "dependentSchemas" | "dependencies" if value.is_object() => {
                    out.object(|object| {
                        for one in value.fields() {
                            let out = object.key_text(&sent(&one.key(), pairs));
                            if one.value.is_array() {
                                names(one.value, pairs, out);
                            } else {
                                write(one.value, pairs, out);
                            }
                        }
                    });
                }
                "allOf" | "anyOf" | "oneOf" if value.is_array() => {
                    out.array(|list| value.items().for_each(|one| write(one, pairs, list.item())));
                }
                "if" | "then" | "else" | "not" => write(value, pairs, out),
                _ => out.json(&value.json()),
            }
        }
    });
}

/// What a property is called elsewhere is its title, if it has none.
fn properties(all: Node<'_>, pairs: &Pairs, out: &mut Writer) {
    out.object(|object| {
        for property in all.fields() {
            let (client, value) = (property.key(), property.value);
            let sent = sent(&client, pairs);
            let out = object.key_text(&sent);
            if sent == client || !value.is_object() || value.get("title").is_some() {
                out.json(&value.json());
                continue;
            }
            out.object(|object| {
                object.text("title", &client);
                object.fields(&value.json());
            });
        }
    });
}

fn names(list: Node<'_>, pairs: &Pairs, out: &mut Writer) {
    if !list.is_array() {
        return out.json(&list.json());
    }
    out.array(|names| {
        for name in list.items() {
            match name.text() {
                Some(name) => names.item().text(&sent(&name, pairs)),
                None => names.item().json(&name.json()),
            }
        }
    });
}

/// References to such properties, wherever they stand.
fn refer(value: Node<'_>, pairs: &Pairs, out: &mut Writer) {
    if value.is_object() {
        out.object(|object| {
            for field in value.fields() {
                let out = object.key_text(&field.key());
                match field.value.text().filter(|_| field.is("$ref")) {
                    Some(reference) => out.string(&referred(&reference.contents(), pairs)),
                    None => refer(field.value, pairs, out),
                }
            }
        });
    } else if value.is_array() {
        out.array(|list| value.items().for_each(|one| refer(one, pairs, list.item())));
    } else {
        out.json(&value.json());
    }
}

fn referred<'r>(reference: &'r str, pairs: &Pairs) -> Cow<'r, str> {
    let Some(path) = reference.strip_prefix(PROPERTIES) else { return reference.into() };
    let (name, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    // Some write the name as it is, and some as an address has it.
    let read = unescaped(name);
    let known = pairs.iter().find(|(_, client)| {
        let client = client.contents();
        client == name || client == read
    });
    known.map_or(reference.into(), |(sent, _)| format!("{PROPERTIES}{sent}{rest}").into())
}

/// A part of a JSON pointer in an address as the name it stands for.
fn unescaped(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
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
