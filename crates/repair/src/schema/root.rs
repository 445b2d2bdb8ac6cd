//! The root of a schema as that of an object, and choices there merged into it.

use interlingua_wire::json::Object;
use interlingua_wire::{Json, Kind, Node, Text};

use super::inline::target;
use super::look::TYPES;

/// A schema whose root is an object, and what of it can only be said in words.
#[derive(Debug)]
pub(crate) struct Rooted {
    pub json: Json,
    pub words: Option<String>,
}

/// The schema of a tool as that of an object. Where a choice is refused at the root, its branches
/// become one object: all their properties, and what each of them requires.
pub(crate) fn object(schema: Option<&Json>, refused: &[&str]) -> Rooted {
    let Some(schema) = schema.filter(|schema| schema.is_object()) else {
        return Rooted { json: nothing(), words: None };
    };
    let doc = schema.doc();
    let root = doc.root();
    if is_other(root) {
        return Rooted { json: wrapped(schema), words: None };
    }
    let named = root.get("$ref").and_then(|reference| target(root, &reference.word()));
    let named = named.filter(|named| named.is_object());
    let has = |node: Node<'_>| refused.iter().any(|key| node.get(key).is_some());
    let merges = has(root) || named.is_some_and(has);
    if !merges && named.is_none() {
        return Rooted { json: typed(root), words: None };
    }
    let parts = Parts::of(root, root, 0);
    let words = if merges { spoken(root, named) } else { None };
    Rooted { json: merged(root, named, &parts, refused), words }
}

/// The object that a string holds.
pub(crate) fn in_string(schema: &Json) -> Option<Json> {
    let text = schema.text()?;
    Json::parse(text.contents().into_owned()).ok().filter(Json::is_object)
}

/// Whether it says something, and is no schema.
pub(crate) fn is_lost(schema: &Json) -> bool {
    let doc = schema.doc();
    match doc.root().kind() {
        Kind::Object | Kind::Null | Kind::Bool => false,
        Kind::String => doc.root().text().is_some_and(|text| !text.contents().trim().is_empty()),
        Kind::Array => !doc.root().is_empty(),
        Kind::Number => true,
    }
}

/// A schema that asks for nothing.
pub(crate) fn nothing() -> Json {
    Json::object(|schema| {
        schema.word("type", "object");
        schema.object("properties", |_| {});
    })
}

/// Says that it is something else than an object.
fn is_other(root: Node<'_>) -> bool {
    let other = |kind: Node<'_>| {
        let kind = kind.word().to_ascii_lowercase();
        TYPES.contains(&&*kind) && kind != "object"
    };
    match root.get("type") {
        Some(kind) if kind.is_array() => !kind.is_empty() && kind.items().all(other),
        Some(kind) => other(kind),
        None => false,
    }
}

/// A value that is no object, in an object of its own.
fn wrapped(schema: &Json) -> Json {
    Json::object(|object| {
        object.word("type", "object");
        object.object("properties", |properties| properties.json("value", schema));
        object.array("required", |required| required.item().string("value"));
    })
}

/// The root with its type, in its place.
fn typed(root: Node<'_>) -> Json {
    Json::object(|object| {
        if root.get("type").is_none() {
            object.word("type", "object");
        }
        for field in root.fields() {
            if field.is("type") {
                object.word("type", "object");
            } else {
                object.key_text(&field.key()).json(&field.value.json());
            }
        }
    })
}

/// What the branches of a schema say together.
#[derive(Debug, Default)]
struct Parts {
    /// Each property, with every schema that some branch has for it.
    properties: Vec<(Text, Vec<Json>)>,
    required: Vec<Text>,
}

impl Parts {
    fn of(schema: Node<'_>, root: Node<'_>, depth: usize) -> Self {
        let mut parts = Self::default();
        let named = schema.get("$ref").and_then(|reference| target(root, &reference.word()));
        if let Some(named) = named.filter(|_| depth < DEEPEST) {
            parts.join(Self::of(named, root, depth + 1));
        }
        let [properties, required] = schema.pick(["properties", "required"]);
        for field in properties.into_iter().flat_map(Node::fields) {
            parts.add(field.key(), field.value.json());
        }
        for name in required.into_iter().flat_map(Node::items).filter_map(Node::text) {
            parts.require(name);
        }
        if depth >= DEEPEST {
            return parts;
        }
        for branch in schema.get("allOf").into_iter().flat_map(Node::items) {
            parts.join(Self::of(branch, root, depth + 1));
        }
        for choice in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)) {
            let branches = choice.items().filter(|branch| branch.is_object() && !is_other(*branch));
            parts.choose(branches.map(|branch| Self::of(branch, root, depth + 1)));
        }
        parts
    }

    fn add(&mut self, name: Text, schema: Json) {
        match self.properties.iter_mut().find(|(known, _)| *known == name) {
            Some((_, schemas)) if schemas.contains(&schema) => {}
            Some((_, schemas)) => schemas.push(schema),
            None => self.properties.push((name, vec![schema])),
        }
    }

    fn require(&mut self, name: Text) {
        if !self.required.contains(&name) {
            self.required.push(name);
        }
    }

    /// All of both.
    fn join(&mut self, other: Self) {
        for (name, schemas) in other.properties {
            for schema in schemas {
                self.add(name.clone(), schema);
            }
        }
        other.required.into_iter().for_each(|name| self.require(name));
    }

    /// The properties of all, and what all of them require.
    fn choose(&mut self, branches: impl Iterator<Item = Self>) {
        let mut common: Option<Vec<Text>> = None;
        for branch in branches {
            common = Some(match common {
                None => branch.required.clone(),
                Some(mut names) => {
                    names.retain(|name| branch.required.contains(name));
                    names
                }
            });
            self.join(Self { required: Vec::new(), ..branch });
        }
        common.into_iter().flatten().for_each(|name| self.require(name));
    }
}

fn merged(root: Node<'_>, named: Option<Node<'_>>, parts: &Parts, refused: &[&str]) -> Json {
    let apart = |key: &str| {
        refused.contains(&key) || matches!(key, "type" | "properties" | "required" | "$ref")
    };
    Json::object(|object| {
        object.word("type", "object");
        for field in named.into_iter().flat_map(Node::fields) {
            if !apart(&field.name()) && root.get(&field.name()).is_none() {
                object.key_text(&field.key()).json(&field.value.json());
            }
        }
        for field in root.fields().filter(|field| !apart(&field.name())) {
            object.key_text(&field.key()).json(&field.value.json());
        }
        object.object("properties", |properties| {
            for (name, schemas) in &parts.properties {
                property(name, schemas, properties);
            }
        });
        if !parts.required.is_empty() {
            object.array("required", |list| {
                parts.required.iter().for_each(|name| list.item().text(name));
            });
        }
    })
}

fn property(name: &Text, schemas: &[Json], object: &mut Object<'_>) {
    match schemas {
        [one] => object.key_text(name).json(one),
        many => object.key_text(name).object(|object| {
            object.array("anyOf", |list| many.iter().for_each(|one| list.item().json(one)));
        }),
    }
}

/// What a choice asks for, in words for the model.
fn spoken(root: Node<'_>, named: Option<Node<'_>>) -> Option<String> {
    let mut sentences = Vec::new();
    for schema in [Some(root), named].into_iter().flatten() {
        for (key, lead) in [
            ("oneOf", "Exactly one of these forms of the input applies"),
            ("anyOf", "At least one of these forms of the input applies"),
        ] {
            let branches = schema.get(key).into_iter().flat_map(Node::items);
            let forms: Vec<_> = branches.filter_map(|branch| form(branch, root)).collect();
            if !forms.is_empty() {
                sentences.push(format!("{lead}: {}.", forms.join("; or ")));
            }
        }
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// `with "a", "kind" = "file"`
fn form(branch: Node<'_>, root: Node<'_>) -> Option<String> {
    let parts = Parts::of(branch, root, 1);
    let mut words: Vec<String> = Vec::new();
    for (name, schemas) in &parts.properties {
        let constant = schemas.iter().find_map(|schema| {
            let doc = schema.doc();
            doc.root().get("const").map(|value| value.raw().to_owned())
        });
        words.extend(constant.map(|value| format!("`{name}` is {value}")));
    }
    let said = |name: &Text| words.iter().any(|word| word.starts_with(&format!("`{name}` is")));
    let needed: Vec<_> =
        parts.required.iter().filter(|name| !said(name)).map(|name| format!("`{name}`")).collect();
    if !needed.is_empty() {
        words.push(format!("{} given", needed.join(", ")));
    } else if words.is_empty() {
        let names: Vec<_> = parts.properties.iter().map(|(name, _)| format!("`{name}`")).collect();
        if names.is_empty() {
            return None;
        }
        words.push(format!("with {}", names.join(", ")));
    }
    Some(words.join(" and "))
}

/// How far into choices of choices.
const DEEPEST: usize = 8;
