//! A compiled schema: nodes that refer to each other by index.

use interlingua_wire::{JsonKind, JsonNode};

use super::pattern::Pattern;
use crate::decimal::Decimal;

/// The index of a node in its schema.
pub(super) type NodeId = usize;

/// One schema or subschema.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    pub(super) types: TypeSet,
    /// All must be satisfied.
    pub(super) constraints: Vec<Constraint>,
}

#[derive(Debug)]
pub(super) enum Constraint {
    /// No value is valid.
    Never,
    /// A keyword that is not supported: the result is unknown.
    Unknown,
    Ref(NodeId),
    AllOf(Vec<NodeId>),
    AnyOf(Vec<NodeId>),
    OneOf(Vec<NodeId>),
    Not(NodeId),
    If {
        condition: NodeId,
        then: Option<NodeId>,
        otherwise: Option<NodeId>,
    },
    /// Values in their canonical spelling, and their list for error messages.
    Enum {
        values: Vec<String>,
        shown: String,
    },
    Required(Vec<String>),
    /// Fields that are required if another is present.
    DependentRequired(Vec<(String, Vec<String>)>),
    /// Schemas that apply if a field is present.
    DependentSchemas(Vec<(String, NodeId)>),
    Properties(Properties),
    PropertyNames(NodeId),
    PropertyCount(CountRange),
    Items {
        prefix: Vec<NodeId>,
        rest: Option<NodeId>,
    },
    ItemCount(CountRange),
    Contains {
        node: NodeId,
        count: CountRange,
    },
    UniqueItems,
    Length(CountRange),
    Pattern(Pattern),
    /// A bound, and whether it is inclusive.
    Minimum(Decimal, bool),
    Maximum(Decimal, bool),
    MultipleOf(Decimal),
}

#[derive(Debug, Default)]
pub(super) struct Properties {
    /// By name, sorted.
    pub(super) named: Vec<(String, NodeId)>,
    pub(super) patterns: Vec<(Pattern, NodeId)>,
    pub(super) additional: Option<NodeId>,
    /// Whether `additionalProperties` is false.
    pub(super) forbids_additional: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountRange {
    pub(super) min: Option<u64>,
    pub(super) max: Option<u64>,
}

/// A set of JSON types; the empty set stands for any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeSet(u8);

impl TypeSet {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    /// Includes the integers.
    pub(super) const NUMBER: Self = Self(8 | 4);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);

    pub(super) fn from_value(node: JsonNode<'_>) -> Self {
        match node.kind() {
            JsonKind::Null => Self::NULL,
            JsonKind::Bool => Self::BOOLEAN,
            JsonKind::Number => match Decimal::parse(node.raw()) {
                Some(number) if !number.is_whole() => Self(8),
                _ => Self::INTEGER,
            },
            JsonKind::String => Self::STRING,
            JsonKind::Array => Self::ARRAY,
            JsonKind::Object => Self::OBJECT,
        }
    }

    /// A type by its name in any case: Gemini's schemas have capitals.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        let entry = TYPE_NAMES.iter().find(|(entry, _)| entry.eq_ignore_ascii_case(name));
        entry.map(|(_, types)| *types)
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every type is allowed.
    pub fn is_any(self) -> bool {
        self.0 == 0
    }

    pub(super) fn allows(self, value: Self) -> bool {
        self.is_any() || self.0 & value.0 != 0
    }

    /// The types for an error message: "a string or null".
    pub(super) fn describe(self) -> String {
        let names: Vec<&str> = self.names().into_iter().map(with_article).collect();
        match names.split_last() {
            None => "anything".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    /// The names of the types, without `integer` where `number` is in the set.
    pub fn names(self) -> Vec<&'static str> {
        let contains = |types: Self| self.0 & types.0 == types.0;
        let is_redundant = |name: &str| name == "integer" && contains(Self::NUMBER);
        let names =
            TYPE_NAMES.iter().filter(|(name, types)| contains(*types) && !is_redundant(name));
        names.map(|(name, _)| *name).collect()
    }
}

impl CountRange {
    pub(super) fn is_unbounded(self) -> bool {
        self.min.is_none() && self.max.is_none()
    }

    pub(super) fn contains(self, count: u64) -> bool {
        self.min.is_none_or(|min| count >= min) && self.max.is_none_or(|max| count <= max)
    }

    pub(super) fn describe(self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => format!("exactly {min}"),
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "any number of".to_owned(),
        }
    }
}

/// The required properties of the root with their types. Follows references and `allOf`, but no
/// alternatives.
pub(super) fn required_properties(nodes: &[SchemaNode]) -> Vec<(String, TypeSet)> {
    let mut required: Vec<(String, TypeSet)> = Vec::new();
    let mut seen = vec![0];
    let mut next = 0;
    while let Some(&id) = seen.get(next).filter(|_| next < MAX_ROOT_NODES) {
        next += 1;
        for constraint in nodes.get(id).map_or(&[][..], |node| &node.constraints) {
            match constraint {
                Constraint::Required(names) => {
                    for name in names {
                        if !required.iter().any(|(known, _)| known == name) {
                            required.push((name.clone(), TypeSet::default()));
                        }
                    }
                }
                Constraint::Ref(target) if !seen.contains(target) => seen.push(*target),
                Constraint::AllOf(all) => seen.extend(all.iter().take(MAX_ROOT_NODES)),
                _ => {}
            }
        }
    }
    let fields = seen.iter().filter_map(|id| nodes.get(*id)).flat_map(|node| &node.constraints);
    for constraint in fields {
        let Constraint::Properties(fields) = constraint else { continue };
        for (name, types) in required.iter_mut().filter(|(_, types)| types.is_any()) {
            let found = fields.named.binary_search_by(|(known, _)| known.as_str().cmp(name));
            let node = found.ok().and_then(|id| nodes.get(fields.named[id].1));
            *types = node.map_or(*types, |node| node.types);
        }
    }
    required
}

fn with_article(name: &str) -> &str {
    match name {
        "null" => "null",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        _ => "an object",
    }
}

const TYPE_NAMES: &[(&str, TypeSet)] = &[
    ("string", TypeSet::STRING),
    ("integer", TypeSet::INTEGER),
    ("number", TypeSet::NUMBER),
    ("boolean", TypeSet::BOOLEAN),
    ("array", TypeSet::ARRAY),
    ("object", TypeSet::OBJECT),
    ("null", TypeSet::NULL),
];

/// Schemas that are searched for required properties of the root.
const MAX_ROOT_NODES: usize = 64;
