//! Replaces `$ref` in a schema by the schemas that they refer to.

use interlingua_wire::{JsonNode, JsonString, JsonWriter, RawJson};

/// The schema without references. A circular reference becomes any object, an unresolved one an
/// empty schema; siblings of a reference override the fields of its target.
pub(crate) fn inline_references(schema: &RawJson) -> RawJson {
    let doc = schema.to_doc();
    let mut inliner = Inliner { root: doc.root(), following: Vec::new(), written: 0 };
    let mut out = JsonWriter::with_capacity(schema.as_str().len() * 2);
    inliner.write(doc.root(), true, &mut out);
    out.into_json()
}

/// The target of a local reference such as `#/$defs/A`.
pub(crate) fn resolve_reference<'d>(root: JsonNode<'d>, reference: &str) -> Option<JsonNode<'d>> {
    let path = reference.strip_prefix('#')?;
    let mut segments = path.split('/');
    // A local reference begins with `#/`.
    segments.next().filter(|prefix| prefix.is_empty())?;
    segments.try_fold(root, |node, segment| {
        let segment = segment.replace("%24", "$").replace("~1", "/").replace("~0", "~");
        match segment.parse::<usize>() {
            Ok(at) if node.is_array() => node.items().nth(at),
            _ => node.get(&segment),
        }
    })
}

/// Whether a reference is circular.
pub(crate) fn is_circular(schema: &RawJson) -> bool {
    let doc = schema.to_doc();
    has_cycle(doc.root(), doc.root(), &mut Vec::new())
}

fn has_cycle<'d>(root: JsonNode<'d>, value: JsonNode<'d>, following: &mut Vec<String>) -> bool {
    if value.is_array() {
        return value.items().any(|item| has_cycle(root, item, following));
    }
    let reference = value.get("$ref").map(JsonNode::str_or_empty).unwrap_or_default();
    let is_circular = !reference.is_empty()
        && (reference == "#" || following.iter().any(|name| *name == reference) || {
            following.push(reference.clone().into_owned());
            let target = resolve_reference(root, &reference);
            let returns = following.len() < MAX_REFERENCE_CHAIN
                && target.is_some_and(|target| has_cycle(root, target, following));
            following.pop();
            returns
        });
    let is_used = |field: &interlingua_wire::Field<'d>| {
        !field.key_is("$defs") && !field.key_is("definitions")
    };
    is_circular
        || value.fields().filter(is_used).any(|field| has_cycle(root, field.value, following))
}

struct Inliner<'d> {
    root: JsonNode<'d>,
    /// References that are being resolved.
    following: Vec<String>,
    /// Number of schemas written: nested references grow exponentially.
    written: usize,
}

impl<'d> Inliner<'d> {
    fn write(&mut self, schema: JsonNode<'d>, is_root: bool, out: &mut JsonWriter) {
        self.written += 1;
        if !schema.is_object() {
            return out.json(&schema.json());
        }
        let Some(reference) = schema.get("$ref").filter(|reference| reference.is_string()) else {
            return out.object(|object| {
                // A reference that is not a string refers to nothing.
                for field in schema.fields().filter(|field| !field.key_is("$ref")) {
                    if !(is_root && (field.key_is("$defs") || field.key_is("definitions"))) {
                        self.write_field(&field.key_json_string(), field.value, object);
                    }
                }
            });
        };
        let name = reference.str_or_empty().into_owned();
        let target = self.resolve_chain(&name).filter(|target| target.is_object());
        let is_cut = name == "#" || self.following.contains(&name) || self.written > MAX_SCHEMAS;
        let target = target.filter(|_| !is_cut);
        self.following.push(name);
        out.object(|object| {
            for field in target.into_iter().flat_map(JsonNode::fields) {
                let is_overridden = schema.get(&field.key()).is_some();
                if !(is_overridden
                    || field.key_is("$defs")
                    || field.key_is("definitions")
                    || field.key_is("$ref"))
                {
                    self.write_field(&field.key_json_string(), field.value, object);
                }
            }
            if is_cut {
                object.str("type", "object");
            }
            for field in schema.fields().filter(|field| !field.key_is("$ref")) {
                let is_definition =
                    is_root && (field.key_is("$defs") || field.key_is("definitions"));
                if !(is_definition || is_cut && field.key_is("type")) {
                    self.write_field(&field.key_json_string(), field.value, object);
                }
            }
        });
        self.following.pop();
    }

    /// The target of a reference, followed through other references.
    fn resolve_chain(&self, name: &str) -> Option<JsonNode<'d>> {
        let mut target = resolve_reference(self.root, name)?;
        for _ in 0..MAX_REFERENCE_CHAIN {
            match target.get("$ref") {
                Some(next) => target = resolve_reference(self.root, &next.str_or_empty())?,
                None => break,
            }
        }
        Some(target)
    }

    fn write_field(
        &mut self,
        key: &JsonString,
        value: JsonNode<'d>,
        object: &mut interlingua_wire::json::ObjectWriter<'_>,
    ) {
        let out = object.key_json_string(key);
        match super::check::keyword_kind(&key.unescape()) {
            super::check::KeywordKind::SchemaMap => self.write_map(value, out),
            super::check::KeywordKind::Schema => self.write(value, false, out),
            super::check::KeywordKind::SchemaList => out.array(|list| {
                value.items().for_each(|item| self.write(item, false, list.item()));
            }),
            _ => out.json(&value.json()),
        }
    }

    fn write_map(&mut self, value: JsonNode<'d>, out: &mut JsonWriter) {
        if !value.is_object() {
            return out.json(&value.json());
        }
        out.object(|object| {
            for field in value.fields() {
                self.write(field.value, false, object.key_json_string(&field.key_json_string()));
            }
        });
    }
}

/// Maximum length of a chain of references.
const MAX_REFERENCE_CHAIN: usize = 16;
/// Above the number of schemas in any real tool; beyond it references are cut.
const MAX_SCHEMAS: usize = 2000;
