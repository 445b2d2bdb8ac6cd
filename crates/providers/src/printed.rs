//! Prints the facts of a target as TOML, each with the layer that it comes from.

use std::cell::OnceCell;
use std::fmt::Write as _;

use interlingua_model::{DialectId, Lessons};

use crate::facts::{FactKey, FactNode, FactValue};
use crate::model_name::ModelName;
use crate::quirks::{base_flavor, find_reference, to_node, with_spelling};
use crate::resolve::{Layer, apply_layers};
use crate::{PRESETS, flavors};

/// A fact with its key and origin.
#[derive(Clone, Debug)]
pub struct TracedFact {
    pub group: String,
    pub key: String,
    pub value: FactNode,
    pub layer: Layer,
}

/// The facts of a target in the order of their groups; `None` for dialects without providers.
pub fn trace(
    dialect: DialectId,
    flavor: Option<&'static str>,
    model: Option<&str>,
    lessons: &Lessons,
) -> Option<Vec<TracedFact>> {
    let base = base_flavor(flavor);
    let name = ModelName::new(model.unwrap_or_default());
    let mut layers = Vec::new();
    apply_layers(dialect, flavor, &name, lessons, &mut |layer, profile| {
        let spelling = match layer {
            Layer::Dialect | Layer::Family | Layer::Vendor => None,
            Layer::Provider | Layer::Model => base,
            Layer::Configuration | Layer::Lesson => flavor,
        };
        layers.push((layer, with_spelling(profile, dialect, spelling)));
    })?;
    let (_, resolved) = layers.last()?;
    let mut facts = Vec::new();
    for (group, key, value) in list_facts(resolved) {
        // The fact is from the first layer of those that agree to the end.
        let mut layer = Layer::Lesson;
        for (earlier, facts) in layers.iter().rev() {
            if find_fact(facts, group, key) != Some(value) {
                break;
            }
            layer = *earlier;
        }
        let (group, key, value) = (group.to_owned(), key.to_owned(), value.clone());
        facts.push(TracedFact { group, key, value, layer });
    }
    Some(facts)
}

/// Providers, and the facts that each has, to name one in place of a long table.
#[derive(Debug)]
pub struct References {
    dialect: DialectId,
    candidates: Vec<(String, OnceCell<Option<FactNode>>)>,
}

impl References {
    /// The providers of a dialect: by themselves, and with this model.
    pub fn new(dialect: DialectId, model: Option<&str>) -> Self {
        let presets = PRESETS.iter().map(|preset| preset.name);
        let mut names: Vec<String> = Vec::new();
        for name in flavors(dialect).iter().copied().chain(presets) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if let Some(model) = model {
            let with_model: Vec<_> = names.iter().map(|name| format!("{name}/{model}")).collect();
            names.extend(with_model);
        }
        let candidates = names.into_iter().map(|name| (name, OnceCell::new())).collect();
        Self { dialect, candidates }
    }

    /// Replaces long tables by the name of a provider that has the same.
    pub fn shorten(&self, facts: &mut [TracedFact]) {
        for fact in facts.iter_mut().filter(|fact| is_long(&fact.value)) {
            let mut candidates = self.candidates.iter();
            let same = candidates.find(|(name, facts)| {
                let facts = facts.get_or_init(|| self.resolve_named(name));
                let other =
                    facts.as_ref().and_then(|facts| find_fact(facts, &fact.group, &fact.key));
                other == Some(&fact.value)
            });
            if let Some((name, _)) = same {
                fact.value = FactNode::text(name);
            }
        }
    }

    fn resolve_named(&self, name: &str) -> Option<FactNode> {
        let (flavor, model) = find_reference(self.dialect, name)?;
        to_node(self.dialect, flavor, model, &Lessons::default())
    }
}

/// The tables of the facts below `[prefix]`, each line with its layer in a comment.
pub fn to_toml(prefix: &str, facts: &[TracedFact]) -> String {
    let mut toml = String::new();
    let mut group = "";
    for fact in facts {
        if fact.group != group {
            group = &fact.group;
            let _ = write!(toml, "\n[{prefix}.{}]\n", FactKey::new(group));
        }
        let (key, layer) = (FactKey::new(&fact.key), fact.layer.name());
        let _ = writeln!(toml, "{key} = {}  # {layer}", fact.value);
    }
    toml
}

impl Layer {
    pub fn name(self) -> &'static str {
        match self {
            Self::Dialect => "dialect",
            Self::Family => "family",
            Self::Vendor => "vendor",
            Self::Provider => "provider",
            Self::Model => "model",
            Self::Configuration => "configuration",
            Self::Lesson => "lesson",
        }
    }
}

/// All facts with their groups.
fn list_facts(groups: &FactNode) -> impl Iterator<Item = (&str, &str, &FactNode)> {
    groups.entries().into_iter().flatten().flat_map(|group| {
        let facts = group.node.entries().into_iter().flatten();
        facts.map(|fact| (group.key.name.as_str(), fact.key.name.as_str(), &fact.node))
    })
}

fn find_fact<'n>(groups: &'n FactNode, group: &str, key: &str) -> Option<&'n FactNode> {
    groups.get(group)?.get(key)
}

/// Whether a value is a table of fields that is too long for one line.
fn is_long(value: &FactNode) -> bool {
    let is_nested = |value: &FactNode| !matches!(value.value, FactValue::Text(_));
    let has_tables = match &value.value {
        FactValue::List(items) => items.iter().any(is_nested),
        FactValue::Table(entries) => entries.iter().any(|entry| is_nested(&entry.node)),
        _ => false,
    };
    has_tables && value.to_string().len() > MAX_LINE_CHARS
}

/// Longer tables are shown by the name of a provider that has them.
const MAX_LINE_CHARS: usize = 300;
