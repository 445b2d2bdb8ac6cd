//! A schema with its keywords mended: what another draft says is said anew, what no draft says is
//! left out.

use interlingua_wire::json::Object;
use interlingua_wire::{Field, Json, Kind, Node, Text, Writer};

use super::look::{Keyword, TYPES, are_unique, holds};
use super::narrow::narrow;

/// The schema anew, in a narrower kind if asked for, and the keywords that were mended or left out.
pub(crate) fn mend(
    schema: &Json,
    refused: &'static [&'static str],
    narrow: bool,
) -> (Json, Vec<String>) {
    let doc = schema.doc();
    let mut pen = Pen { refused, narrow, touched: Vec::new() };
    let mut out = Writer::with_capacity(schema.as_str().len() + 64);
    pen.schema(doc.root(), &mut out);
    (out.into_json(), pen.touched)
}

struct Pen {
    /// Keywords that the target does not have.
    refused: &'static [&'static str],
    /// The target reads a narrower kind.
    narrow: bool,
    touched: Vec<String>,
}

impl Pen {
    fn touch(&mut self, keyword: &str) {
        if !self.touched.iter().any(|known| known == keyword) {
            self.touched.push(keyword.to_owned());
        }
    }

    fn schema(&mut self, schema: Node<'_>, out: &mut Writer) {
        if let Some((anew, keyword)) = self.narrow.then(|| narrow(schema)).flatten() {
            self.touch(keyword);
            return self.schema(anew.doc().root(), out);
        }
        match schema.kind() {
            Kind::Object => out.object(|object| {
                for field in schema.fields() {
                    self.keyword(schema, &field.key(), field.value, object);
                }
                self.missing_items(schema, object);
                missing_names(schema, object);
            }),
            Kind::Bool => out.json(&schema.json()),
            Kind::Null | Kind::Number | Kind::String | Kind::Array => {
                self.touch("schemas that are none");
                out.object(|_| {});
            }
        }
    }

    /// Any array says what it holds, also where it is one of several types.
    fn missing_items(&mut self, schema: Node<'_>, object: &mut Object<'_>) {
        let is_array = |kind: Node<'_>| {
            kind.word() == "array" || kind.items().any(|one| one.word() == "array")
        };
        let tuple = self.says_tuple(schema) || schema.get(TUPLE).is_some() && !self.lacks(TUPLE);
        let holds = schema.get("items").is_some() || tuple;
        if schema.get("type").is_some_and(is_array) && !holds {
            self.touch("items");
            object.object("items", |_| {});
        }
    }

    fn keyword(&mut self, schema: Node<'_>, key: &Text, value: Node<'_>, object: &mut Object<'_>) {
        let name = key.contents();
        if self.lacks(&name) {
            self.touch(&name);
            return self.instead(schema, &name, value, object);
        }
        match holds(&name) {
            // Said together with what the first items are.
            Keyword::Schema if name == "items" && self.says_tuple(schema) => {}
            Keyword::Type => self.kind(value, object),
            Keyword::Schemas => self.named(key, value, object),
            Keyword::Schema if name == "items" && value.is_array() => {
                self.tuple(schema, value, object);
            }
            Keyword::Schema if value.is_object() || value.boolean().is_some() => {
                self.schema(value, object.key_text(key));
            }
            Keyword::Schema => {
                self.touch(&name);
                if name == "items" {
                    object.object("items", |_| {});
                }
            }
            Keyword::List if value.is_array() && !value.is_empty() => {
                object.key_text(key).array(|list| {
                    value.items().for_each(|one| self.schema(one, list.item()));
                });
            }
            Keyword::Names if value.is_array() => self.names(schema, key, value, object),
            Keyword::Values if !value.is_array() && !value.is_object() && !value.is_null() => {
                self.touch(&name);
                object.key_text(key).array(|list| list.item().json(&value.json()));
            }
            Keyword::Number => self.number(schema, key, value, object),
            kind if fits(kind, value) => object.key_text(key).json(&value.json()),
            _ => self.touch(&name),
        }
    }

    fn kind(&mut self, value: Node<'_>, object: &mut Object<'_>) {
        let known = |kind: Node<'_>| TYPES.contains(&&*kind.word());
        if known(value)
            || value.is_array()
                && !value.is_empty()
                && value.items().all(known)
                && are_unique(value)
        {
            return object.json("type", &value.json());
        }
        self.touch("type");
        let mut kinds: Vec<&'static str> = Vec::new();
        let one = (!value.is_array()).then_some(value);
        for kind in value.items().chain(one).filter_map(meant) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        match kinds.as_slice() {
            [] => {}
            [one] => object.word("type", one),
            many => {
                object.array("type", |list| many.iter().for_each(|one| list.item().string(one)));
            }
        }
    }

    fn named(&mut self, key: &Text, value: Node<'_>, object: &mut Object<'_>) {
        if !value.is_object() {
            self.touch(&key.contents());
        }
        object.key_text(key).object(|object| {
            for field in value.fields() {
                self.schema(field.value, object.key_text(&field.key()));
            }
        });
    }

    /// A list of items is spelled otherwise since 2020.
    fn tuple(&mut self, schema: Node<'_>, value: Node<'_>, object: &mut Object<'_>) {
        self.touch("items");
        if value.is_empty() {
            return object.object("items", |_| {});
        }
        if self.lacks(TUPLE) {
            return self.any_items(value, None, object);
        }
        object.array(TUPLE, |list| {
            value.items().for_each(|one| self.schema(one, list.item()));
        });
        let more = schema.get("additionalItems");
        if let Some(more) = more.filter(|more| more.is_object() || more.boolean().is_some()) {
            self.schema(more, object.key("items"));
        }
    }

    fn names(&mut self, schema: Node<'_>, key: &Text, value: Node<'_>, object: &mut Object<'_>) {
        let mut names: Vec<Text> = Vec::new();
        let more = of_properties(schema).filter(|_| *key == "required");
        for name in value.items().filter_map(Node::text).chain(more) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if names.len() != value.len() {
            self.touch(&key.contents());
        }
        object.key_text(key).array(|list| names.iter().for_each(|name| list.item().text(name)));
    }

    /// `exclusiveMinimum: true` beside a `minimum` is of the fourth draft.
    fn number(&mut self, schema: Node<'_>, key: &Text, value: Node<'_>, object: &mut Object<'_>) {
        let name = key.contents();
        let excludes = |key: &str| schema.get(key).and_then(Node::boolean) == Some(true);
        let limit = match &*name {
            "exclusiveMinimum" => schema.get("minimum"),
            "exclusiveMaximum" => schema.get("maximum"),
            _ => None,
        };
        let excluded = name == "minimum" && excludes("exclusiveMinimum")
            || name == "maximum" && excludes("exclusiveMaximum");
        let is_number = |value: &Node<'_>| value.kind() == Kind::Number;
        match (value.kind(), limit.filter(is_number)) {
            (Kind::Number, _) if !excluded => object.key_text(key).json(&value.json()),
            (Kind::Bool, Some(limit)) if value.boolean() == Some(true) => {
                self.touch(&name);
                object.key_text(key).json(&limit.json());
            }
            (Kind::String, _) if value.word().parse::<f64>().is_ok_and(f64::is_finite) => {
                self.touch(&name);
                if let Ok(number) = Json::parse(value.word().into_owned()) {
                    object.key_text(key).json(&number);
                }
            }
            _ => self.touch(&name),
        }
    }

    fn lacks(&self, keyword: &str) -> bool {
        self.refused.contains(&keyword)
    }

    /// Whether a list of items is said as a choice, since the target has no such list.
    fn says_tuple(&self, schema: Node<'_>) -> bool {
        let listed = |list: Node<'_>| list.is_array() && !list.is_empty();
        self.lacks(TUPLE) && schema.get(TUPLE).is_some_and(listed)
    }

    /// Items that may be any of these.
    fn any_items(&mut self, list: Node<'_>, more: Option<Node<'_>>, object: &mut Object<'_>) {
        let all: Vec<Node<'_>> = list.items().chain(more).collect();
        if let [one] = all.as_slice() {
            return self.schema(*one, object.key("items"));
        }
        object.object("items", |object| {
            object.array("anyOf", |out| {
                for one in &all {
                    self.schema(*one, out.item());
                }
            });
        });
    }

    /// What a keyword that the target does not have says in others.
    fn instead(&mut self, schema: Node<'_>, name: &str, value: Node<'_>, object: &mut Object<'_>) {
        let lacks = |key: &str| schema.get(key).is_none();
        match name {
            "const" if value.is_string() && lacks("enum") => {
                if lacks("type") {
                    object.word("type", "string");
                }
                object.array("enum", |list| list.item().json(&value.json()));
            }
            "exclusiveMinimum" if value.kind() == Kind::Number && lacks("minimum") => {
                object.json("minimum", &value.json());
            }
            "exclusiveMaximum" if value.kind() == Kind::Number && lacks("maximum") => {
                object.json("maximum", &value.json());
            }
            "oneOf" if value.is_array() && !value.is_empty() && lacks("anyOf") => {
                object.array("anyOf", |list| {
                    value.items().for_each(|one| self.schema(one, list.item()));
                });
            }
            TUPLE if self.says_tuple(schema) => {
                let more = schema.get("items").filter(|more| more.is_object());
                self.any_items(value, more, object);
            }
            _ => {}
        }
    }
}

/// What is required is said by the object, and not by its properties.
fn missing_names(schema: Node<'_>, object: &mut Object<'_>) {
    let names: Vec<Text> = of_properties(schema).collect();
    if !names.is_empty() && !schema.get("required").is_some_and(Node::is_array) {
        object.array("required", |list| names.iter().for_each(|name| list.item().text(name)));
    }
}

/// The properties of an object that say themselves that they are required.
fn of_properties<'a>(schema: Node<'a>) -> impl Iterator<Item = Text> + 'a {
    let properties = schema.get("properties").into_iter().flat_map(Node::fields);
    let says = |schema: Node<'a>| schema.get("required").and_then(Node::boolean) == Some(true);
    properties.filter(move |field| says(field.value)).map(Field::key)
}

fn fits(kind: Keyword, value: Node<'_>) -> bool {
    match kind {
        Keyword::Values => value.is_array(),
        Keyword::Count => value.count().is_some(),
        Keyword::Flag => value.boolean().is_some(),
        Keyword::Text => value.is_string(),
        Keyword::Other => true,
        Keyword::Type
        | Keyword::Schemas
        | Keyword::Schema
        | Keyword::List
        | Keyword::Names
        | Keyword::Number => false,
    }
}

/// The type that a word most likely means.
pub(super) fn meant(kind: Node<'_>) -> Option<&'static str> {
    let word = kind.word().to_ascii_lowercase();
    let known = TYPES.iter().copied().find(|known| *known == word);
    known.or_else(|| MEANT.iter().find(|(said, _)| *said == word).map(|(_, kind)| *kind))
}

const MEANT: &[(&str, &str)] = &[
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

const TUPLE: &str = "prefixItems";
