//! A set of repair rules by their index.

use std::sync::Arc;

/// Repair rules by their index in the order of execution. An empty set allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSet {
    has_all: bool,
    rules: Option<Arc<Vec<bool>>>,
}

impl RuleSet {
    /// The set of all rules.
    pub fn all() -> Self {
        Self { has_all: true, rules: None }
    }

    /// Whether no rule is in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.has_all && self.rules.is_none()
    }

    /// Whether the rule with this index is in the set.
    pub fn contains(&self, rule: usize) -> bool {
        self.has_all || self.rules.as_ref().is_some_and(|rules| rules.get(rule) == Some(&true))
    }

    /// Adds the rule with this index.
    pub fn insert(&mut self, rule: usize) {
        let rules = Arc::make_mut(self.rules.get_or_insert_default());
        rules.resize(rules.len().max(rule + 1), false);
        rules[rule] = true;
    }

    /// The rules that are in this set or in the other one.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.has_all |= other.has_all;
        let rules = other.rules.iter().flat_map(|rules| rules.iter().enumerate());
        rules.filter(|(_, is_in_set)| **is_in_set).for_each(|(rule, _)| union.insert(rule));
        union
    }
}
