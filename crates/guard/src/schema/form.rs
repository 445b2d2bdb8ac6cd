//! A schema as it is checked with: forms that refer to each other by number.

use interlingua_wire::{Kind, Node};

use super::decimal::Decimal;
use super::pattern::Pattern;

/// The number of a form in its schema.
pub(super) type At = usize;

/// One schema or subschema.
#[derive(Debug, Default)]
pub(super) struct Form {
    pub(super) types: Types,
    /// All must hold.
    pub(super) checks: Vec<Check>,
}

#[derive(Debug)]
pub(super) enum Check {
    /// Nothing fits.
    Never,
    /// Something that is not understood: whether it holds is not known.
    Unknown,
    Refer(At),
    All(Vec<At>),
    Any(Vec<At>),
    One(Vec<At>),
    Not(At),
    If {
        asks: At,
        then: Option<At>,
        otherwise: Option<At>,
    },
    /// Values in their canonical spelling, and as they are shown.
    Enum {
        values: Vec<String>,
        shown: String,
    },
    Required(Vec<String>),
    /// Fields that are wanted if another is there.
    Dependent(Vec<(String, Vec<String>)>),
    /// What must hold if a field is there.
    DependentForms(Vec<(String, At)>),
    Fields(Fields),
    FieldNames(At),
    FieldCount(Count),
    Items {
        first: Vec<At>,
        rest: Option<At>,
    },
    ItemCount(Count),
    Contains {
        form: At,
        count: Count,
    },
    Unique,
    Length(Count),
    Pattern(Pattern),
    /// A bound, and whether it is itself allowed.
    Least(Decimal, bool),
    Most(Decimal, bool),
    MultipleOf(Decimal),
}

#[derive(Debug, Default)]
pub(super) struct Fields {
    /// By name, sorted.
    pub(super) named: Vec<(String, At)>,
    pub(super) patterns: Vec<(Pattern, At)>,
    pub(super) others: Option<At>,
    /// There is no room for others.
    pub(super) closed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

/// A set of JSON types; the empty set stands for any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    /// Every integer is one.
    pub(super) const NUMBER: Self = Self(8 | 4);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);

    pub(super) fn of(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Null => Self::NULL,
            Kind::Bool => Self::BOOLEAN,
            Kind::Number => match Decimal::parse(node.raw()) {
                Some(number) if !number.is_whole() => Self(8),
                _ => Self::INTEGER,
            },
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        }
    }

    /// A type by its name, in any case: some write them in capitals.
    pub(super) fn named(name: &str) -> Option<Self> {
        let known = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        known.map(|(_, types)| *types)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn is_any(self) -> bool {
        self.0 == 0
    }

    pub(super) fn admits(self, value: Self) -> bool {
        self.is_any() || self.0 & value.0 != 0
    }

    /// As it is said in a sentence: "a string or null".
    pub(super) fn said(self) -> String {
        let words: Vec<&str> = self.names().into_iter().map(article).collect();
        match words.split_last() {
            None => "anything".to_owned(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    /// The names of the types, the widest only.
    pub fn names(self) -> Vec<&'static str> {
        let holds = |types: Self| self.0 & types.0 == types.0;
        let whole = |name: &str| name == "integer" && holds(Self::NUMBER);
        let names = NAMES.iter().filter(|(name, types)| holds(*types) && !whole(name));
        names.map(|(name, _)| *name).collect()
    }
}

impl Count {
    pub(super) fn is_any(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }

    pub(super) fn admits(self, count: u64) -> bool {
        self.least.is_none_or(|least| count >= least) && self.most.is_none_or(|most| count <= most)
    }

    pub(super) fn said(self) -> String {
        match (self.least, self.most) {
            (Some(least), Some(most)) if least == most => format!("exactly {least}"),
            (Some(least), Some(most)) => format!("{least} to {most}"),
            (Some(least), None) => format!("at least {least}"),
            (None, Some(most)) => format!("at most {most}"),
            (None, None) => "any number of".to_owned(),
        }
    }
}

/// The fields that the root must have, with their types. What the root refers to is looked at, but
/// no alternatives.
pub(super) fn required(forms: &[Form]) -> Vec<(String, Types)> {
    let mut wanted: Vec<(String, Types)> = Vec::new();
    let mut seen = vec![0];
    let mut next = 0;
    while let Some(&at) = seen.get(next).filter(|_| next < MOST_ROOTS) {
        next += 1;
        for check in forms.get(at).map_or(&[][..], |form| &form.checks) {
            match check {
                Check::Required(names) => {
                    for name in names {
                        if !wanted.iter().any(|(known, _)| known == name) {
                            wanted.push((name.clone(), Types::default()));
                        }
                    }
                }
                Check::Refer(to) if !seen.contains(to) => seen.push(*to),
                Check::All(all) => seen.extend(all.iter().take(MOST_ROOTS)),
                _ => {}
            }
        }
    }
    let fields = seen.iter().filter_map(|at| forms.get(*at)).flat_map(|form| &form.checks);
    for check in fields {
        let Check::Fields(fields) = check else { continue };
        for (name, types) in wanted.iter_mut().filter(|(_, types)| types.is_any()) {
            let found = fields.named.binary_search_by(|(known, _)| known.as_str().cmp(name));
            let form = found.ok().and_then(|at| forms.get(fields.named[at].1));
            *types = form.map_or(*types, |form| form.types);
        }
    }
    wanted
}

fn article(name: &str) -> &str {
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

const NAMES: &[(&str, Types)] = &[
    ("string", Types::STRING),
    ("integer", Types::INTEGER),
    ("number", Types::NUMBER),
    ("boolean", Types::BOOLEAN),
    ("array", Types::ARRAY),
    ("object", Types::OBJECT),
    ("null", Types::NULL),
];

/// How many schemas that the root is made of are looked at for their required fields.
const MOST_ROOTS: usize = 64;
