//! Finds the cycles of a graph of files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A name that one file takes from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: usize,
    pub(super) name: String,
}

/// A shortest cycle of each group of files that reach each other.
pub(super) fn find_cycles(count: usize, edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut next: BTreeMap<usize, BTreeMap<usize, &Edge>> = BTreeMap::new();
    for edge in edges {
        next.entry(edge.from).or_default().entry(edge.to).or_insert(edge);
    }
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for start in 0..count {
        if seen.contains(&start) {
            continue;
        }
        if let Some(cycle) = shortest_cycle(start, &next) {
            seen.extend(
                reachable(start, &next)
                    .into_iter()
                    .filter(|file| reachable(*file, &next).contains(&start)),
            );
            cycles.push(cycle);
        }
    }
    cycles
}

type Successors<'e> = BTreeMap<usize, BTreeMap<usize, &'e Edge>>;

fn reachable(start: usize, next: &Successors<'_>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(file) = open.pop() {
        for to in next.get(&file).into_iter().flat_map(BTreeMap::keys) {
            if found.insert(*to) {
                open.push(*to);
            }
        }
    }
    found
}

fn shortest_cycle(start: usize, next: &Successors<'_>) -> Option<Vec<Edge>> {
    let mut came_by: BTreeMap<usize, &Edge> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(file) = open.pop_front() {
        for (to, edge) in next.get(&file).into_iter().flatten() {
            if came_by.contains_key(to) {
                continue;
            }
            came_by.insert(*to, *edge);
            open.push_back(*to);
        }
    }
    let mut cycle = vec![(*came_by.get(&start)?).clone()];
    while let Some(first) = cycle.first().filter(|edge| edge.from != start) {
        let before = (*came_by.get(&first.from)?).clone();
        cycle.insert(0, before);
    }
    Some(cycle)
}
