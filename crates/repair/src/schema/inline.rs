//! References within a schema, followed: what they name stands in their place.

use interlingua_wire::{Json, Node, Text, Writer};

/// The schema without references. What refers to itself is cut to any object, what refers to nothing
/// says nothing; what stands beside a reference wins over what it names.
pub(crate) fn inline(schema: &Json) -> Json {
    let doc = schema.doc();
    let mut walk = Walk { root: doc.root(), following: Vec::new(), written: 0 };
    let mut out = Writer::with_capacity(schema.as_str().len() * 2);
    walk.write(doc.root(), true, &mut out);
    out.into_json()
}

/// What a local reference such as `#/$defs/A` names.
pub(crate) fn target<'d>(root: Node<'d>, reference: &str) -> Option<Node<'d>> {
    let path = reference.strip_prefix('#')?;
    let mut steps = path.split('/');
    // Nothing before the first slash.
    steps.next().filter(|first| first.is_empty())?;
    steps.try_fold(root, |node, step| {
        let step = step.replace("%24", "$").replace("~1", "/").replace("~0", "~");
        match step.parse::<usize>() {
            Ok(at) if node.is_array() => node.items().nth(at),
            _ => node.get(&step),
        }
    })
}

/// Whether following the references comes back to where it has been.
pub(crate) fn is_circular(schema: &Json) -> bool {
    let doc = schema.doc();
    turns(doc.root(), doc.root(), &mut Vec::new())
}

fn turns<'d>(root: Node<'d>, value: Node<'d>, following: &mut Vec<String>) -> bool {
    if value.is_array() {
        return value.items().any(|one| turns(root, one, following));
    }
    let reference = value.get("$ref").map(Node::word).unwrap_or_default();
    let around = !reference.is_empty()
        && (reference == "#" || following.iter().any(|name| *name == reference) || {
            following.push(reference.clone().into_owned());
            let found = target(root, &reference);
            let turns = following.len() < LONGEST
                && found.is_some_and(|found| turns(root, found, following));
            following.pop();
            turns
        });
    let inside =
        |field: &interlingua_wire::Field<'d>| !field.is("$defs") && !field.is("definitions");
    around || value.fields().filter(inside).any(|field| turns(root, field.value, following))
}

struct Walk<'d> {
    root: Node<'d>,
    /// The references that are being followed.
    following: Vec<String>,
    /// How many schemas were written: references multiply.
    written: usize,
}

impl<'d> Walk<'d> {
    fn write(&mut self, schema: Node<'d>, is_root: bool, out: &mut Writer) {
        self.written += 1;
        if !schema.is_object() {
            return out.json(&schema.json());
        }
        let Some(reference) = schema.get("$ref").filter(|reference| reference.is_string()) else {
            return out.object(|object| {
                // What is no text names nothing.
                for field in schema.fields().filter(|field| !field.is("$ref")) {
                    if !(is_root && (field.is("$defs") || field.is("definitions"))) {
                        self.field(&field.key(), field.value, object);
                    }
                }
            });
        };
        let name = reference.word().into_owned();
        let found = self.end(&name).filter(|found| found.is_object());
        let turns = name == "#" || self.following.contains(&name) || self.written > MOST;
        let found = found.filter(|_| !turns);
        self.following.push(name);
        out.object(|object| {
            for field in found.into_iter().flat_map(Node::fields) {
                let said = schema.get(&field.name()).is_some();
                if !(said || field.is("$defs") || field.is("definitions") || field.is("$ref")) {
                    self.field(&field.key(), field.value, object);
                }
            }
            if turns {
                object.word("type", "object");
            }
            for field in schema.fields().filter(|field| !field.is("$ref")) {
                let defines = is_root && (field.is("$defs") || field.is("definitions"));
                if !(defines || turns && field.is("type")) {
                    self.field(&field.key(), field.value, object);
                }
            }
        });
        self.following.pop();
    }

    /// What a reference names in the end, if it names another one.
    fn end(&self, name: &str) -> Option<Node<'d>> {
        let mut found = target(self.root, name)?;
        for _ in 0..LONGEST {
            match found.get("$ref") {
                Some(next) => found = target(self.root, &next.word())?,
                None => break,
            }
        }
        Some(found)
    }

    fn field(
        &mut self,
        key: &Text,
        value: Node<'d>,
        object: &mut interlingua_wire::json::Object<'_>,
    ) {
        let out = object.key_text(key);
        match super::look::holds(&key.contents()) {
            super::look::Keyword::Schemas => self.each_named(value, out),
            super::look::Keyword::Schema => self.write(value, false, out),
            super::look::Keyword::List => out.array(|list| {
                value.items().for_each(|one| self.write(one, false, list.item()));
            }),
            _ => out.json(&value.json()),
        }
    }

    fn each_named(&mut self, value: Node<'d>, out: &mut Writer) {
        if !value.is_object() {
            return out.json(&value.json());
        }
        out.object(|object| {
            for field in value.fields() {
                self.write(field.value, false, object.key_text(&field.key()));
            }
        });
    }
}

/// How many references may name each other.
const LONGEST: usize = 16;
/// More schemas than any tool has: beyond these a reference is cut.
const MOST: usize = 2000;
