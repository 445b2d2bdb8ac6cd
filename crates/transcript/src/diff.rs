//! Compares the parts of a request before and after a repair: unchanged, rewritten, removed and
//! inserted parts.

use std::collections::HashMap;
use std::ops::Range;

use interlingua::RawJson;
use interlingua_wire::JsonNode;

use crate::RequestPart;

/// The difference between two lists of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct PartEdits {
    /// One for each part before.
    pub changes: Vec<PartChange>,
    /// The new parts, in order.
    pub insertions: Vec<Insertion>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PartChange {
    Unchanged,
    Rewritten(RawJson),
    Removed,
}

/// A new part.
#[derive(Clone, Debug, PartialEq)]
pub struct Insertion {
    /// The closest old part before it.
    pub previous: Option<usize>,
    /// The closest old part after it.
    pub next: Option<usize>,
    /// An old part of the same turn: the closest before it, else the first after it.
    pub sibling: Option<usize>,
    /// Its turn in the new request.
    pub turn: usize,
    pub role: String,
    pub json: RawJson,
}

impl PartEdits {
    pub fn is_empty(&self) -> bool {
        self.insertions.is_empty()
            && self.changes.iter().all(|change| *change == PartChange::Unchanged)
    }
}

/// Compares the parts of a request before and after it was repaired.
pub fn diff(before: &[RequestPart], after: &[RequestPart]) -> PartEdits {
    let mut matcher = PartMatcher::new(before, after);
    matcher.match_unique();
    matcher.match_equal();
    matcher.match_rewritten();
    matcher.edits()
}

/// Matches each part after with a part before.
struct PartMatcher<'u> {
    before: &'u [RequestPart],
    after: &'u [RequestPart],
    /// Part after → part before.
    partner: Vec<Option<usize>>,
    /// The matched parts are equal byte for byte.
    is_identical: Vec<bool>,
}

impl<'u> PartMatcher<'u> {
    fn new(before: &'u [RequestPart], after: &'u [RequestPart]) -> Self {
        Self {
            before,
            after,
            partner: vec![None; after.len()],
            is_identical: vec![false; after.len()],
        }
    }

    /// Matches the equal parts at both ends. Between them, matches parts that occur exactly once on
    /// either side, along the longest increasing run.
    fn match_unique(&mut self) {
        let max_len = self.before.len().min(self.after.len());
        let head = (0..max_len)
            .take_while(|index| {
                identity_key(&self.before[*index]) == identity_key(&self.after[*index])
            })
            .count();
        let key_from_end =
            |parts: &'u [RequestPart], index: usize| identity_key(&parts[parts.len() - 1 - index]);
        let is_equal =
            |index: &usize| key_from_end(self.before, *index) == key_from_end(self.after, *index);
        let tail = (0..max_len - head).take_while(is_equal).count();
        (0..head).for_each(|index| self.link(index, index));
        let (before_end, after_end) = (self.before.len() - tail, self.after.len() - tail);
        (0..tail).for_each(|index| self.link(before_end + index, after_end + index));
        self.match_unique_between(head..before_end, head..after_end);
    }

    fn match_unique_between(&mut self, before_range: Range<usize>, after_range: Range<usize>) {
        let mut counts: HashMap<(&str, &str), (usize, usize, usize)> = HashMap::new();
        for (index, part) in
            self.before.iter().enumerate().take(before_range.end).skip(before_range.start)
        {
            let entry = counts.entry(identity_key(part)).or_default();
            *entry = (entry.0 + 1, entry.1, index);
        }
        for part in &self.after[after_range.clone()] {
            if let Some(entry) = counts.get_mut(&identity_key(part)) {
                entry.1 += 1;
            }
        }
        let unique = after_range.filter_map(|index| {
            let (count_before, count_after, before) =
                *counts.get(&identity_key(&self.after[index]))?;
            (count_before == 1 && count_after == 1).then_some((before, index))
        });
        let unique: Vec<_> = unique.collect();
        for (before, after) in longest_increasing_run(&unique) {
            self.link(before, after);
        }
    }

    /// Matches equal parts in order between two matches.
    fn match_equal(&mut self) {
        for (before_range, after_range) in self.gaps() {
            let mut from = before_range.start;
            for index in after_range {
                let key = identity_key(&self.after[index]);
                let found = (from..before_range.end)
                    .find(|candidate| identity_key(&self.before[*candidate]) == key);
                if let Some(found) = found {
                    self.link(found, index);
                    from = found + 1;
                }
            }
        }
    }

    /// Matches the rest between two matches as rewritten parts: of the same role, type and call id,
    /// then of the same role and type.
    fn match_rewritten(&mut self) {
        self.match_rewritten_by(rewrite_key);
        self.match_rewritten_by(|part| {
            let (role, kind, _) = rewrite_key(part);
            (role, kind)
        });
    }

    fn match_rewritten_by<K: PartialEq>(&mut self, key: impl Fn(&'u RequestPart) -> K) {
        for (before_range, after_range) in self.gaps() {
            let mut from = before_range.start;
            for index in after_range {
                let wanted = key(&self.after[index]);
                // A part without a location in the file cannot be rewritten in it.
                let is_in_file = |candidate: &usize| self.before[*candidate].location.is_some();
                let has_key = |candidate: &usize| key(&self.before[*candidate]) == wanted;
                let found = (from..before_range.end).filter(is_in_file).find(has_key);
                if let Some(found) = found {
                    self.partner[index] = Some(found);
                    from = found + 1;
                }
            }
        }
    }

    fn link(&mut self, before: usize, after: usize) {
        self.partner[after] = Some(before);
        self.is_identical[after] = true;
    }

    /// The unmatched ranges on both sides between the same neighbours.
    fn gaps(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let mut gaps = Vec::new();
        let (mut before_start, mut after_start) = (0, 0);
        for (index, partner) in self.partner.iter().enumerate() {
            if let Some(partner) = partner {
                if index > after_start && *partner > before_start {
                    gaps.push((before_start..*partner, after_start..index));
                }
                (before_start, after_start) = (partner + 1, index + 1);
            }
        }
        if self.after.len() > after_start && self.before.len() > before_start {
            gaps.push((before_start..self.before.len(), after_start..self.after.len()));
        }
        gaps
    }

    /// For each part after: the next match from there, and the turn of its part.
    fn next_partners(&self) -> Vec<Option<(usize, usize)>> {
        let mut next = None;
        let mut next_partners = vec![None; self.after.len()];
        for (index, part) in self.after.iter().enumerate().rev() {
            next = self.partner[index].map(|before| (before, part.turn)).or(next);
            next_partners[index] = next;
        }
        next_partners
    }

    fn edits(&self) -> PartEdits {
        let mut changes = vec![PartChange::Removed; self.before.len()];
        let mut insertions = Vec::new();
        let next_partners = self.next_partners();
        let mut last = None;
        // The last match, and the turn of its part.
        let mut last_match: Option<(usize, usize)> = None;
        for (index, part) in self.after.iter().enumerate() {
            if let Some(before) = self.partner[index] {
                changes[before] = if self.is_identical[index] {
                    PartChange::Unchanged
                } else {
                    PartChange::Rewritten(part.json.clone())
                };
                last = Some(before);
                last_match = Some((before, part.turn));
                continue;
            }
            let in_turn = |(before, turn)| (turn == part.turn).then_some(before);
            let next = next_partners[index];
            insertions.push(Insertion {
                previous: last,
                next: next.map(|(before, _)| before),
                sibling: last_match.and_then(in_turn).or_else(|| next.and_then(in_turn)),
                turn: part.turn,
                role: part.role.clone(),
                json: part.json.clone(),
            });
        }
        PartEdits { changes, insertions }
    }
}

fn identity_key(part: &RequestPart) -> (&str, &str) {
    (&part.role, part.json.as_str())
}

/// Role, type and call id of a part.
fn rewrite_key(part: &RequestPart) -> (&str, String, String) {
    let doc = part.json.to_doc();
    let string_field = |node: JsonNode<'_>, key: &str| {
        node.get(key).map(|value| value.str_or_empty().into_owned())
    };
    let call_id = |node: JsonNode<'_>| {
        ["tool_use_id", "call_id", "id"].iter().find_map(|key| string_field(node, key))
    };
    // The first field's name is the type of a part without `type`.
    let first = doc.root().fields().next().filter(|_| doc.root().get("type").is_none());
    let kind =
        first.map(|field| field.key().into_owned()).or_else(|| string_field(doc.root(), "type"));
    let call_id = call_id(doc.root()).or_else(|| call_id(first?.value));
    (&part.role, kind.unwrap_or_default(), call_id.unwrap_or_default())
}

/// The longest subsequence of pairs that increases on both sides; the second components increase
/// already.
fn longest_increasing_run(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length; and for each pair its predecessor.
    let mut tails: Vec<usize> = Vec::new();
    let mut predecessors: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].0 < pair.0);
        predecessors.push(length.checked_sub(1).map(|shorter| tails[shorter]));
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut run = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(index) = next {
        run.push(pairs[index]);
        next = predecessors[index];
    }
    run.reverse();
    run
}
