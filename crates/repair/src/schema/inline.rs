//! Replaces `$ref` in a schema by the schemas that they refer to.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use interlingua_wire::{Field, JsonNode, JsonString, JsonWriter, RawJson};

use super::names::NameIndex;

/// The schema without references. A circular reference becomes any object, an unresolved one an
/// empty schema; siblings of a reference override the fields of its target.
pub(crate) fn inline_references(schema: &RawJson) -> RawJson {
    let doc = schema.to_doc();
    let mut inliner = Inliner {
        references: References::new(doc.root()),
        following: Vec::new(),
        written: 0,
        depth: 0,
        max_bytes: schema.as_str().len() * MAX_EXPANSION + MIN_EXPANSION_BYTES,
    };
    let mut out = JsonWriter::with_capacity(schema.as_str().len() * 2);
    inliner.write(doc.root(), true, &mut out);
    out.into_json()
}

/// Resolves local references such as `#/$defs/A`.
pub(crate) struct References<'d> {
    root: JsonNode<'d>,
    /// The children of large values by the address of their text: a search in `$defs` or `properties`
    /// for each reference would be quadratic.
    children: RefCell<HashMap<usize, Children<'d>>>,
}

enum Children<'d> {
    Fields(HashMap<Cow<'d, str>, JsonNode<'d>>),
    Items(Vec<JsonNode<'d>>),
}

impl<'d> References<'d> {
    pub(crate) fn new(root: JsonNode<'d>) -> Self {
        Self { root, children: RefCell::default() }
    }

    pub(crate) fn resolve(&self, reference: &str) -> Option<JsonNode<'d>> {
        let path = reference.strip_prefix('#')?;
        let mut segments = path.split('/').map(decode_segment);
        // A local reference begins with `#/`.
        segments.next().filter(String::is_empty)?;
        segments.try_fold(self.root, |node, segment| self.child(node, &segment))
    }

    fn child(&self, node: JsonNode<'d>, segment: &str) -> Option<JsonNode<'d>> {
        if node.raw().len() <= MAX_SEARCHED_BYTES {
            return match segment.parse::<usize>() {
                Ok(at) if node.is_array() => node.items().nth(at),
                _ => node.get(segment),
            };
        }
        let mut children = self.children.borrow_mut();
        match children
            .entry(node.raw().as_ptr().addr())
            .or_insert_with(|| Children::from_node(node))
        {
            Children::Fields(fields) => fields.get(segment).copied(),
            Children::Items(items) => items.get(segment.parse::<usize>().ok()?).copied(),
        }
    }
}

impl<'d> Children<'d> {
    fn from_node(node: JsonNode<'d>) -> Self {
        if node.is_array() {
            Self::Items(node.items().collect())
        } else {
            Self::Fields(node.fields().map(|field| (field.key(), field.value)).collect())
        }
    }
}

/// Decodes a segment of a reference.
fn decode_segment(segment: &str) -> String {
    segment.replace("%24", "$").replace("~1", "/").replace("~0", "~")
}

/// Whether a reference is circular.
pub(crate) fn is_circular(schema: &RawJson) -> bool {
    let doc = schema.to_doc();
    let references = References::new(doc.root());
    let (following, checked) = (Vec::new(), HashSet::new());
    CycleSearch { references, following, checked, depth: 0 }.run(doc.root())
}

struct CycleSearch<'d> {
    references: References<'d>,
    /// References that lead to the current schema.
    following: Vec<String>,
    /// References whose targets were searched: each is searched once.
    checked: HashSet<String>,
    /// Nesting of the current value, through references.
    depth: usize,
}

impl<'d> CycleSearch<'d> {
    fn run(&mut self, value: JsonNode<'d>) -> bool {
        self.depth += 1;
        let has_cycle = self.search(value);
        self.depth -= 1;
        has_cycle
    }

    fn search(&mut self, value: JsonNode<'d>) -> bool {
        if value.is_array() {
            return value.items().any(|item| self.run(item));
        }
        let reference = value.get("$ref").map(JsonNode::str_or_empty).unwrap_or_default();
        !reference.is_empty() && self.is_circular(&reference)
            || value
                .fields()
                .filter(|field| !is_definitions(field))
                .any(|field| self.run(field.value))
    }

    fn is_circular(&mut self, reference: &str) -> bool {
        if reference == "#" || self.following.iter().any(|name| *name == reference) {
            return true;
        }
        if !self.checked.insert(reference.to_owned()) {
            return false;
        }
        if self.depth > MAX_DEPTH {
            return true;
        }
        self.following.push(reference.to_owned());
        let target = self.references.resolve(reference);
        let returns = target.is_some_and(|target| self.run(target));
        self.following.pop();
        returns
    }
}

fn is_definitions(field: &Field<'_>) -> bool {
    DEFINITIONS.iter().any(|key| field.key_is(key))
}

struct Inliner<'d> {
    references: References<'d>,
    /// References that are being resolved.
    following: Vec<String>,
    /// Number of schemas written: nested references grow exponentially.
    written: usize,
    /// Nesting of the current schema, through references: a chain of them could overflow the stack.
    depth: usize,
    /// Output size above which references are cut.
    max_bytes: usize,
}

impl<'d> Inliner<'d> {
    fn write(&mut self, schema: JsonNode<'d>, is_root: bool, out: &mut JsonWriter) {
        self.written += 1;
        self.depth += 1;
        self.write_schema(schema, is_root, out);
        self.depth -= 1;
    }

    fn write_schema(&mut self, schema: JsonNode<'d>, is_root: bool, out: &mut JsonWriter) {
        if !schema.is_object() {
            return out.json(&schema.json());
        }
        let Some(reference) = schema.get("$ref").filter(|reference| reference.is_string()) else {
            return out.object(|object| {
                // A reference that is not a string refers to nothing.
                for field in schema.fields().filter(|field| !field.key_is("$ref")) {
                    if !(is_root && is_definitions(&field)) {
                        self.write_field(&field.key_json_string(), field.value, object);
                    }
                }
            });
        };
        let name = reference.str_or_empty().into_owned();
        let target = self.resolve_chain(&name).filter(|target| target.is_object());
        let is_cut = name == "#"
            || self.following.contains(&name)
            || self.written > MAX_SCHEMAS
            || self.depth > MAX_DEPTH
            || out.len() > self.max_bytes;
        let target = target.filter(|_| !is_cut);
        self.following.push(name);
        let siblings = NameIndex::new(schema);
        out.object(|object| {
            for field in target.into_iter().flat_map(JsonNode::fields) {
                let is_overridden = siblings.contains(&field.key());
                if !(is_overridden || is_definitions(&field) || field.key_is("$ref")) {
                    self.write_field(&field.key_json_string(), field.value, object);
                }
            }
            if is_cut {
                object.str("type", "object");
            }
            for field in schema.fields().filter(|field| !field.key_is("$ref")) {
                if !(is_root && is_definitions(&field) || is_cut && field.key_is("type")) {
                    self.write_field(&field.key_json_string(), field.value, object);
                }
            }
        });
        self.following.pop();
    }

    /// The target of a reference, followed through other references.
    fn resolve_chain(&self, name: &str) -> Option<JsonNode<'d>> {
        let mut target = self.references.resolve(name)?;
        for _ in 0..MAX_REFERENCE_CHAIN {
            match target.get("$ref") {
                Some(next) => target = self.references.resolve(&next.str_or_empty())?,
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

/// Smaller values are searched.
const MAX_SEARCHED_BYTES: usize = 1024;
/// Maximum length of a chain of references.
const MAX_REFERENCE_CHAIN: usize = 16;
/// Above the number of schemas in any real tool; beyond it references are cut.
const MAX_SCHEMAS: usize = 2000;
/// Above the nesting of schemas in any real tool; deeper references are cut, or count as circular.
const MAX_DEPTH: usize = 64;
/// Size of the output as a multiple of the schema, and a minimum for small schemas, beyond which
/// references are cut.
const MAX_EXPANSION: usize = 8;
const MIN_EXPANSION_BYTES: usize = 64 * 1024;
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];
