//! The list of known breaches in `known.txt`, one kind per line; a run fails on any other.
//!
//! The list only gets shorter: a fix removes its line. A long run reports lines without a breach.

use std::collections::BTreeSet;

use crate::run::{BreachKey, RunReport};

/// The lines of the list: law, dialect and rule.
pub fn known_breaches() -> BTreeSet<&'static str> {
    KNOWN_TXT
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The line of a kind of breach.
pub fn list_line(key: &BreachKey) -> String {
    format!("{} {} {}", key.law.name(), key.to, key.rule)
}

/// Removes the known kinds from a report; returns the number of their breaches, and the lines
/// without any.
pub fn remove_known(outcome: &mut RunReport) -> (u64, Vec<&'static str>) {
    let known = known_breaches();
    let mut breaches = 0;
    let mut seen = BTreeSet::new();
    outcome.groups.retain(|key, group| {
        let listed = known.get(list_line(key).as_str());
        if let Some(line) = listed {
            breaches += group.count;
            seen.insert(*line);
        }
        listed.is_none()
    });
    (breaches, known.difference(&seen).copied().collect())
}

const KNOWN_TXT: &str = include_str!("../known.txt");
