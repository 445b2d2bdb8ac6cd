//! Facts of the types that several structs use: numbers, texts, lists, and absent values.

use interlingua_model::{EmptyTextHandling, Role, Spelling, SpellingSet};
use interlingua_wire::JsonKind;

use super::{Fact, FactErrors, FactNode, FactValue, foreign_words, intern};

impl Fact for bool {
    fn expected() -> String {
        "true or false".into()
    }

    fn to_node(&self) -> FactNode {
        FactValue::Bool(*self).into()
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        match node.value {
            FactValue::Bool(value) => Some(value),
            _ => errors.expected::<Self>(node),
        }
    }
}

macro_rules! whole_numbers {
    ($($Number:ty),*) => {$(
        impl Fact for $Number {
            fn expected() -> String {
                format!("a whole number or {UNLIMITED:?}")
            }

            fn to_node(&self) -> FactNode {
                match i64::try_from(*self) {
                    Ok(number) if *self != Self::MAX => FactValue::Integer(number).into(),
                    _ => FactNode::text(UNLIMITED),
                }
            }

            fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
                match &node.value {
                    FactValue::Integer(number) => Self::try_from(*number).ok(),
                    FactValue::Text(text) if text == UNLIMITED => Some(Self::MAX),
                    _ => None,
                }
                .or_else(|| errors.expected::<Self>(node))
            }
        }
    )*};
}
whole_numbers!(u32, u64, usize);

/// The largest number.
const UNLIMITED: &str = "unlimited";

impl Fact for f64 {
    fn expected() -> String {
        "a number".into()
    }

    fn to_node(&self) -> FactNode {
        FactValue::Float(*self).into()
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        match node.value {
            FactValue::Float(number) if !number.is_nan() => Some(number),
            // `1` is `1.0`.
            FactValue::Integer(number) => i32::try_from(number).ok().map(Self::from),
            _ => None,
        }
        .or_else(|| errors.expected::<Self>(node))
    }
}

impl Fact for &'static str {
    fn expected() -> String {
        "a string".into()
    }

    fn to_node(&self) -> FactNode {
        FactNode::text(self)
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        match node.as_text() {
            Some(text) => Some(intern(text, || text.to_owned())),
            None => errors.expected::<Self>(node),
        }
    }
}

/// TOML has no null: `false` is an absent value, and `"any"` an absent boolean.
impl<T: Fact> Fact for Option<T> {
    fn expected() -> String {
        format!("{}, or {}", T::expected(), absent::<T>())
    }

    fn to_node(&self) -> FactNode {
        self.as_ref().map_or_else(absent::<T>, Fact::to_node)
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        if *node == absent::<T>() { Some(None) } else { T::from_node(node, errors).map(Some) }
    }

    fn patch(&mut self, node: &FactNode, errors: &mut FactErrors) {
        match self {
            Some(value) if node.entries().is_some() => value.patch(node, errors),
            _ => {
                if let Some(value) = Self::from_node(node, errors) {
                    *self = value;
                }
            }
        }
    }
}

fn absent<T: Fact>() -> FactNode {
    let is_bool = std::any::TypeId::of::<T>() == std::any::TypeId::of::<bool>();
    if is_bool { FactNode::text("any") } else { FactValue::Bool(false).into() }
}

impl<T: Fact + Send + Sync> Fact for &'static T {
    fn expected() -> String {
        T::expected()
    }

    fn to_node(&self) -> FactNode {
        T::to_node(self)
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        T::from_node(node, errors).map(|value| intern(&node.to_string(), || value))
    }
}

impl<T: Fact + Send + Sync> Fact for &'static [T] {
    fn expected() -> String {
        "a list".into()
    }

    fn to_node(&self) -> FactNode {
        FactNode::list(self.iter().map(Fact::to_node))
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        let FactValue::List(items) = &node.value else { return errors.expected::<Self>(node) };
        // Every item is read, so that all errors are reported.
        let items: Vec<Option<T>> = items.iter().map(|item| T::from_node(item, errors)).collect();
        let items: Vec<T> = items.into_iter().collect::<Option<_>>()?;
        Some(intern(&node.to_string(), || items).as_slice())
    }
}

macro_rules! tuples {
    ($($count:literal: ($($T:ident $at:tt),*);)*) => {$(
        impl<$($T: Fact),*> Fact for ($($T,)*) {
            fn expected() -> String {
                format!("a list of {}: {}", $count, [$($T::expected()),*].join("; "))
            }

            fn to_node(&self) -> FactNode {
                FactNode::list([$(self.$at.to_node()),*])
            }

            fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
                match &node.value {
                    FactValue::List(items) if items.len() == $count => {
                        let values = ($($T::from_node(&items[$at], errors),)*);
                        Some(($(values.$at?,)*))
                    }
                    _ => errors.expected::<Self>(node),
                }
            }
        }
    )*};
}
tuples! {
    2: (A 0, B 1);
    3: (A 0, B 1, C 2);
}

foreign_words! {
    Role { System, Developer, User, Assistant }
    EmptyTextHandling { Keep, Drop, ReplaceWithSpace, DropWithReasoning }
    JsonKind { Null, Bool, Number, String, Array, Object }
}

impl Fact for SpellingSet {
    fn expected() -> String {
        "a list of spellings".into()
    }

    fn to_node(&self) -> FactNode {
        FactNode::list(self.iter().map(|spelling| FactNode::text(&spelling_word(spelling))))
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        let FactValue::List(items) = &node.value else { return errors.expected::<Self>(node) };
        let spellings: Vec<_> = items.iter().map(|item| spelling_from_node(item, errors)).collect();
        spellings.into_iter().collect()
    }
}

fn spelling_word(spelling: Spelling) -> String {
    spelling.name().replace(' ', "-")
}

fn spelling_from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Spelling> {
    let word = node.as_text().unwrap_or_default();
    let spelling = SpellingSet::ALL.iter().find(|spelling| spelling_word(*spelling) == word);
    if spelling.is_none() {
        let known = SpellingSet::ALL.iter().map(spelling_word).collect();
        errors.unknown_word::<SpellingSet>(node, word, known);
    }
    spelling
}
