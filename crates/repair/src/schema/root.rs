//! Makes the root of a schema an object and merges alternatives at the root into it.

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonKind, JsonNode, JsonString, RawJson};

use super::check::TYPES;
use super::inline::resolve_reference;

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
    let referenced =
        root.get("$ref").and_then(|reference| resolve_reference(root, &reference.str_or_empty()));
    let referenced = referenced.filter(|referenced| referenced.is_object());
    let has_rejected = |node: JsonNode<'_>| rejected.iter().any(|key| node.get(key).is_some());
    let needs_merge = has_rejected(root) || referenced.is_some_and(has_rejected);
    if !needs_merge && referenced.is_none() {
        return RootObject { json: with_object_type(root), description: None };
    }
    let branches = MergedBranches::collect(root, root, 0);
    let description = if needs_merge { describe_choices(root, referenced) } else { None };
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
pub(crate) fn empty_object_schema() -> RawJson {
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
    required: Vec<JsonString>,
}

impl MergedBranches {
    fn collect(schema: JsonNode<'_>, root: JsonNode<'_>, depth: usize) -> Self {
        let mut merged = Self::default();
        let referenced = schema
            .get("$ref")
            .and_then(|reference| resolve_reference(root, &reference.str_or_empty()));
        if let Some(referenced) = referenced.filter(|_| depth < MAX_DEPTH) {
            merged.merge_all(Self::collect(referenced, root, depth + 1));
        }
        let [properties, required] = schema.get_many(["properties", "required"]);
        for field in properties.into_iter().flat_map(JsonNode::fields) {
            merged.add(field.key_json_string(), field.value.json());
        }
        for name in required.into_iter().flat_map(JsonNode::items).filter_map(JsonNode::json_string)
        {
            merged.require(name);
        }
        if depth >= MAX_DEPTH {
            return merged;
        }
        for branch in schema.get("allOf").into_iter().flat_map(JsonNode::items) {
            merged.merge_all(Self::collect(branch, root, depth + 1));
        }
        for choice in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)) {
            let branches =
                choice.items().filter(|branch| branch.is_object() && !is_non_object(*branch));
            merged.merge_any(branches.map(|branch| Self::collect(branch, root, depth + 1)));
        }
        merged
    }

    fn add(&mut self, name: JsonString, schema: RawJson) {
        match self.properties.iter_mut().find(|(existing, _)| *existing == name) {
            Some((_, schemas)) if schemas.contains(&schema) => {}
            Some((_, schemas)) => schemas.push(schema),
            None => self.properties.push((name, vec![schema])),
        }
    }

    fn require(&mut self, name: JsonString) {
        if !self.required.contains(&name) {
            self.required.push(name);
        }
    }

    /// Merges a branch that always applies.
    fn merge_all(&mut self, other: Self) {
        for (name, schemas) in other.properties {
            for schema in schemas {
                self.add(name.clone(), schema);
            }
        }
        other.required.into_iter().for_each(|name| self.require(name));
    }

    /// Merges alternatives: all properties, and those that every branch requires.
    fn merge_any(&mut self, branches: impl Iterator<Item = Self>) {
        let mut common: Option<Vec<JsonString>> = None;
        for branch in branches {
            common = Some(match common {
                None => branch.required.clone(),
                Some(mut names) => {
                    names.retain(|name| branch.required.contains(name));
                    names
                }
            });
            self.merge_all(Self { required: Vec::new(), ..branch });
        }
        common.into_iter().flatten().for_each(|name| self.require(name));
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
    RawJson::object(|object| {
        object.str("type", "object");
        for field in referenced.into_iter().flat_map(JsonNode::fields) {
            if !is_handled(&field.key()) && root.get(&field.key()).is_none() {
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
        if !branches.required.is_empty() {
            object.array("required", |list| {
                branches.required.iter().for_each(|name| list.item().json_string(name));
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
fn describe_choices(root: JsonNode<'_>, referenced: Option<JsonNode<'_>>) -> Option<String> {
    let mut sentences = Vec::new();
    for schema in [Some(root), referenced].into_iter().flatten() {
        for (key, intro) in [
            ("oneOf", "Exactly one of these forms of the input applies"),
            ("anyOf", "At least one of these forms of the input applies"),
        ] {
            let branches = schema.get(key).into_iter().flat_map(JsonNode::items);
            let forms: Vec<_> =
                branches.filter_map(|branch| describe_branch(branch, root)).collect();
            if !forms.is_empty() {
                sentences.push(format!("{intro}: {}.", forms.join("; or ")));
            }
        }
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// `with "a", "kind" = "file"`
fn describe_branch(branch: JsonNode<'_>, root: JsonNode<'_>) -> Option<String> {
    let branches = MergedBranches::collect(branch, root, 1);
    let mut clauses: Vec<String> = Vec::new();
    for (name, schemas) in &branches.properties {
        let constant = schemas.iter().find_map(|schema| {
            let doc = schema.to_doc();
            doc.root().get("const").map(|value| value.raw().to_owned())
        });
        clauses.extend(constant.map(|value| format!("`{name}` is {value}")));
    }
    let is_described = |name: &JsonString| {
        clauses.iter().any(|clause| clause.starts_with(&format!("`{name}` is")))
    };
    let required: Vec<_> = branches
        .required
        .iter()
        .filter(|name| !is_described(name))
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
