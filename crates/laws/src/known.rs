//! Breaches that are known and not yet mended, one kind a line: a run fails on any other.
//!
//! The list only gets shorter. Who mends the last of a kind takes away its line; a line that nothing
//! breaks any more is told at the end of a run.

use std::collections::BTreeSet;

use crate::run::{Key, Outcome};

/// The kinds of breaches of the list: law, dialect and rule.
pub fn known() -> BTreeSet<&'static str> {
    LIST.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// How a kind of breach stands in the list.
pub fn name(key: &Key) -> String {
    format!("{} {} {}", key.law.name(), key.to, key.rule)
}

/// Takes the known kinds out of what a run found; how many breaches these were, and the lines that
/// nothing broke.
pub fn set_aside(outcome: &mut Outcome) -> (u64, Vec<&'static str>) {
    let known = known();
    let mut breaches = 0;
    let mut seen = BTreeSet::new();
    outcome.groups.retain(|key, group| {
        let listed = known.get(name(key).as_str());
        if let Some(line) = listed {
            breaches += group.count;
            seen.insert(*line);
        }
        listed.is_none()
    });
    (breaches, known.difference(&seen).copied().collect())
}

const LIST: &str = include_str!("../known.txt");
