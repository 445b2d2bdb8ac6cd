//! Makes the root of a schema an object and merges alternatives at the root into it.

use std::collections::{HashMap, HashSet};

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use super::check::TYPES;
use super::inline::References;
use super::names::{NameIndex, OrderedNames};

/// A schema with an object root, and a description of the merged alternatives.
#[derive(Debug)]
pub(crate) struct RootObject {
    pub json: RawJson,
    pub description: Option<String>,
}

/// Converts a tool's schema to one with an object root. Where the target rejects alternatives at
/// the root, they are merged: all their properties, and those that all of them require.
pub(crate) fn to_object_root(schema: Option<&RawJson>, rejected: &[&str]) -> RootObject {
    let Some(schema) = schema.filter(|schema| schema.is_object()) else {
        return RootObject { json: empty_object_schema(), description: None };
    };
    let doc = schema.to_doc();
    let root = doc.root();
    if is_non_object(root) {
        return RootObject { json: wrap_in_object(schema), description: None };
    }
    let mut merger = BranchMerger { references: References::new(root), steps: 0 };
    let referenced = merger.referenced(root).filter(|referenced| referenced.is_object());
    let has_rejected = |node: JsonNode<'_>| rejected.iter().any(|key| node.get(key).is_some());
    let needs_merge = has_rejected(root) || referenced.is_some_and(has_rejected);
    if !needs_merge && referenced.is_none() {
        return RootObject { json: with_object_type(root), description: None };
    }
    let branches = merger.collect(root, 0);
    let description =
        if needs_merge { describe_choices(root, referenced, &mut merger) } else { None };
    RootObject { json: merged(root, referenced, &branches, rejected), description }
}

/// The object in a string of JSON text.
pub(crate) fn parse_string_schema(schema: &RawJson) -> Option<RawJson> {
    let text = schema.json_string()?;
    RawJson::parse(text.unescape().into_owned()).ok().filter(RawJson::is_object)
}

/// Whether a value is neither a schema nor empty.
pub(crate) fn is_no_schema(schema: &RawJson) -> bool {
    let doc = schema.to_doc();
    match doc.root().kind() {
        JsonKind::Object | JsonKind::Null | JsonKind::Bool => false,
        JsonKind::String => {
            doc.root().json_string().is_some_and(|text| !text.unescape().trim().is_empty())
        }
        JsonKind::Array => !doc.root().is_empty(),
        JsonKind::Number => true,
    }
}

/// A schema of an object without properties.
fn empty_object_schema() -> RawJson {
    RawJson::object(|schema| {
        schema.str("type", "object");
        schema.object("properties", |_| {});
    })
}

/// Whether the root has a type other than object.
fn is_non_object(root: JsonNode<'_>) -> bool {
    let is_other_type = |kind: JsonNode<'_>| {
        let kind = kind.str_or_empty().to_ascii_lowercase();
        TYPES.contains(&&*kind) && kind != "object"
    };
    match root.get("type") {
        Some(kind) if kind.is_array() => !kind.is_empty() && kind.items().all(is_other_type),
        Some(kind) => is_other_type(kind),
        None => false,
    }
}

/// Wraps the schema of a non-object in an object with the property `value`.
fn wrap_in_object(schema: &RawJson) -> RawJson {
    RawJson::object(|object| {
        object.str("type", "object");
        object.object("properties", |properties| properties.json("value", schema));
        object.array("required", |required| required.item().str("value"));
    })
}

/// The root with the type object.
fn with_object_type(root: JsonNode<'_>) -> RawJson {
    RawJson::object(|object| {
        if root.get("type").is_none() {
            object.str("type", "object");
        }
        for field in root.fields() {
            if field.key_is("type") {
                object.str("type", "object");
            } else {
                object.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
    })
}

/// Merged content of the branches of a schema.
#[derive(Debug, Default)]
struct MergedBranches {
    /// Each property with the schemas that branches have for it.
    properties: Vec<(JsonString, Vec<RawJson>)>,
    required: OrderedNames,
    /// The index of each property.
    index: HashMap<String, usize>,
    /// Every schema of every property.
    known: HashSet<(usize, RawJson)>,
}

/// Merges the branches of a schema, which can refer to the schema itself.
struct BranchMerger<'d> {
    references: References<'d>,
    /// Number of branches, properties and names merged: nested references grow exponentially.
    steps: usize,
}

impl<'d> BranchMerger<'d> {
    fn referenced(&self, schema: JsonNode<'d>) -> Option<JsonNode<'d>> {
        self.references.resolve(&schema.get("$ref")?.str_or_empty())
    }

    fn collect(&mut self, schema: JsonNode<'d>, depth: usize) -> MergedBranches {
        let mut merged = MergedBranches::default();
        if depth > 0 && self.steps > MAX_MERGE_STEPS {
            return merged;
        }
        if let Some(referenced) = self.referenced(schema).filter(|_| depth < MAX_DEPTH) {
            merged.merge_all(self.collect(referenced, depth + 1));
        }
        let [properties, required] = schema.get_many(["properties", "required"]);
        for field in properties.into_iter().flat_map(JsonNode::fields) {
            merged.add(field.key_json_string(), field.value.json());
        }
        for name in required.into_iter().flat_map(JsonNode::items).filter_map(JsonNode::json_string)
        {
            merged.required.insert(name);
        }
        self.steps += 1 + merged.properties.len() + merged.required.as_slice().len();
        if depth >= MAX_DEPTH {
            return merged;
        }
        for branch in schema.get("allOf").into_iter().flat_map(JsonNode::items) {
            merged.merge_all(self.collect(branch, depth + 1));
        }
        for choice in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)) {
            let branches =
                choice.items().filter(|branch| branch.is_object() && !is_non_object(*branch));
            merged.merge_any(branches.map(|branch| self.collect(branch, depth + 1)));
        }
        merged
    }
}

impl MergedBranches {
    fn add(&mut self, name: JsonString, schema: RawJson) {
        let next = self.properties.len();
        let at = *self.index.entry(name.unescape().into_owned()).or_insert(next);
        if at == next {
            self.properties.push((name, Vec::new()));
        }
        if self.known.insert((at, schema.clone())) {
            self.properties[at].1.push(schema);
        }
    }

    /// Merges a branch that always applies.
    fn merge_all(&mut self, other: Self) {
        for (name, schemas) in other.properties {
            for schema in schemas {
                self.add(name.clone(), schema);
            }
        }
        other.required.into_names().into_iter().for_each(|name| self.required.insert(name));
    }

    /// Merges alternatives: all properties, and those that every branch requires.
    fn merge_any(&mut self, branches: impl Iterator<Item = Self>) {
        let mut common: Option<Vec<JsonString>> = None;
        for mut branch in branches {
            let required = std::mem::take(&mut branch.required);
            common = Some(match common {
                None => required.into_names(),
                Some(mut names) => {
                    names.retain(|name| required.contains(name));
                    names
                }
            });
            self.merge_all(branch);
        }
        common.into_iter().flatten().for_each(|name| self.required.insert(name));
    }
}

fn merged(
    root: JsonNode<'_>,
    referenced: Option<JsonNode<'_>>,
    branches: &MergedBranches,
    rejected: &[&str],
) -> RawJson {
    let is_handled = |key: &str| {
        rejected.contains(&key) || matches!(key, "type" | "properties" | "required" | "$ref")
    };
    let own_fields = NameIndex::new(root);
    RawJson::object(|object| {
        object.str("type", "object");
        for field in referenced.into_iter().flat_map(JsonNode::fields) {
            if !is_handled(&field.key()) && !own_fields.contains(&field.key()) {
                object.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
        for field in root.fields().filter(|field| !is_handled(&field.key())) {
            object.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        object.object("properties", |properties| {
            for (name, schemas) in &branches.properties {
                property(name, schemas, properties);
            }
        });
        let required = branches.required.as_slice();
        if !required.is_empty() {
            object.array("required", |list| {
                for name in required {
                    list.item().json_string(name);
                }
            });
        }
    })
}

fn property(name: &JsonString, schemas: &[RawJson], object: &mut ObjectWriter<'_>) {
    match schemas {
        [schema] => object.key_json_string(name).json(schema),
        schemas_of_all => object.key_json_string(name).object(|object| {
            object.array("anyOf", |list| {
                for schema in schemas_of_all {
                    list.item().json(schema);
                }
            });
        }),
    }
}

/// Describes the alternatives in a text for the model.
fn describe_choices<'d>(
    root: JsonNode<'d>,
    referenced: Option<JsonNode<'d>>,
    merger: &mut BranchMerger<'d>,
) -> Option<String> {
    let mut sentences = Vec::new();
    for schema in [Some(root), referenced].into_iter().flatten() {
        for (key, intro) in [
            ("oneOf", "Exactly one of these forms of the input applies"),
            ("anyOf", "At least one of these forms of the input applies"),
        ] {
            let branches = schema.get(key).into_iter().flat_map(JsonNode::items);
            let forms: Vec<_> =
                branches.filter_map(|branch| describe_branch(branch, merger)).collect();
            if !forms.is_empty() {
                sentences.push(format!("{intro}: {}.", forms.join("; or ")));
            }
        }
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// `with "a", "kind" = "file"`
fn describe_branch<'d>(branch: JsonNode<'d>, merger: &mut BranchMerger<'d>) -> Option<String> {
    let branches = merger.collect(branch, 1);
    let mut clauses: Vec<String> = Vec::new();
    let mut described = OrderedNames::default();
    for (name, schemas) in &branches.properties {
        let constant = schemas.iter().find_map(|schema| {
            let doc = schema.to_doc();
            doc.root().get("const").map(|value| value.raw().to_owned())
        });
        if let Some(value) = constant {
            clauses.push(format!("`{name}` is {value}"));
            described.insert(name.clone());
        }
    }
    let required: Vec<_> = branches
        .required
        .as_slice()
        .iter()
        .filter(|name| !described.contains(name))
        .map(|name| format!("`{name}`"))
        .collect();
    if !required.is_empty() {
        clauses.push(format!("{} given", required.join(", ")));
    } else if clauses.is_empty() {
        let names: Vec<_> =
            branches.properties.iter().map(|(name, _)| format!("`{name}`")).collect();
        if names.is_empty() {
            return None;
        }
        clauses.push(format!("with {}", names.join(", ")));
    }
    Some(clauses.join(" and "))
}

/// Maximum depth of nested alternatives and references.
const MAX_DEPTH: usize = 8;
/// Above the number in any real schema; further branches are left out.
const MAX_MERGE_STEPS: usize = 20_000;
