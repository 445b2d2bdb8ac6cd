//! Matches violations with the repairs that answer them.

use std::collections::{HashMap, HashSet};

use interlingua::Dialect;
use interlingua_model::{LedgerEntry, LedgerSection};
use interlingua_strict::Violation;
use interlingua_transcript::{Transcript, parse_part_path};

use super::describe::{self, ConversationIndex};

/// A violation with its repairs, or a repair or loss without a violation.
pub(crate) struct Issue {
    pub(super) location: Location,
    /// What is wrong, in a sentence for people.
    pub(super) message: String,
    pub(super) violation: Option<Violation>,
    pub(super) repairs: Vec<(LedgerEntry, Option<usize>)>,
}

/// Position in the request, and the line of the file that it comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Location {
    pub(super) turn: Option<usize>,
    pub(super) block: Option<usize>,
    pub(super) line: Option<usize>,
}

/// The issues in the order of their lines; those of the whole request come first.
pub(super) fn collect_issues(
    transcript: &Transcript,
    index: Option<&ConversationIndex<'_>>,
    provider: &dyn Dialect,
    violations: Vec<Violation>,
    repairs: Vec<LedgerEntry>,
) -> Vec<Issue> {
    // Paths in another dialect differ; a stored session has the paths of its source.
    let same_paths = provider.id() == transcript.dialect.id()
        || interlingua_strict::find(transcript.dialect.id().0).is_none();
    let violated_index = index.filter(|_| same_paths);
    let mut matcher = RepairMatcher::default();
    for violation in violations {
        let (turn, block) = parse_part_path(&violation.path).filter(|_| same_paths).unzip();
        let (block, message) = describe::describe_violation(
            violated_index,
            provider,
            &violation,
            turn,
            block.flatten(),
        );
        let location = locate(transcript, turn, block);
        let call_id = violated_index
            .zip(turn)
            .and_then(|(index, turn)| describe::call_id(index, turn, block))
            .map(String::from);
        matcher.add(location, message, violation, call_id.filter(|id| !id.is_empty()));
    }
    let mut unmatched = Vec::new();
    for entry in repairs {
        let in_turns = entry.path.section == LedgerSection::Turns;
        let turn = entry.path.index.filter(|_| in_turns).map(|turn| turn as usize);
        let block = entry.path.block.map(|block| block as usize);
        let location = locate(transcript, turn, block);
        if let Some(entry) = matcher.attach(entry, &location) {
            let message = describe::describe_change(index, turn, block);
            let repairs = vec![(entry, location.line)];
            unmatched.push(Issue { location, message, violation: None, repairs });
        }
    }
    let mut issues = matcher.issues;
    issues.append(&mut unmatched);
    issues.sort_by_key(|issue| {
        let Location { turn, block, line } = issue.location;
        // A part that is not in the file is at its end: the agent sends it after all others.
        let is_added = turn.is_some() && line.is_none();
        (is_added, line, turn, issue.violation.is_none(), block)
    });
    issues
}

fn locate(transcript: &Transcript, turn: Option<usize>, block: Option<usize>) -> Location {
    let origin = turn.and_then(|turn| transcript.part(turn, block)?.location);
    Location { turn, block, line: origin.map(|origin| origin.line) }
}

/// Finds the violation that a repair answers, without looking at all of them.
#[derive(Default)]
struct RepairMatcher {
    issues: Vec<Issue>,
    call_ids: Vec<Option<String>>,
    /// By the id of their call.
    by_call: HashMap<String, Vec<usize>>,
    by_part: HashMap<(usize, Option<usize>), Vec<usize>>,
    /// The first of each turn; a turn of `None` is the whole request.
    by_turn: HashMap<Option<usize>, usize>,
    /// The first of each turn and rule.
    by_rule: HashMap<(Option<usize>, &'static str), usize>,
    /// The first of each rule that has a turn.
    by_located_rule: HashMap<&'static str, usize>,
    /// By the path of a repair in the repaired request.
    by_path_after: HashMap<String, usize>,
}

impl RepairMatcher {
    fn add(
        &mut self,
        location: Location,
        message: String,
        violation: Violation,
        call_id: Option<String>,
    ) {
        let (number, rule) = (self.issues.len(), violation.rule);
        if let Some(id) = &call_id {
            self.by_call.entry(id.clone()).or_default().push(number);
        }
        if let Some(turn) = location.turn {
            self.by_part.entry((turn, location.block)).or_default().push(number);
            self.by_located_rule.entry(rule).or_insert(number);
        }
        self.by_turn.entry(location.turn).or_insert(number);
        self.by_rule.entry((location.turn, rule)).or_insert(number);
        self.call_ids.push(call_id);
        self.issues.push(Issue {
            location,
            message,
            violation: Some(violation),
            repairs: Vec::new(),
        });
    }

    /// Adds a repair to the issue that it answers best; returns it if there is none.
    fn attach(&mut self, entry: LedgerEntry, location: &Location) -> Option<LedgerEntry> {
        let path_after = entry.path_after.map(|path| path.to_string());
        let words: HashSet<&str> = entry.description.split(|c| !is_id_char(c)).collect();
        let same_path = path_after.as_ref().and_then(|path| self.by_path_after.get(path)).copied();
        let best = self
            .candidates(&entry, location, &words)
            .into_iter()
            .chain(same_path)
            .map(|number| {
                let same_path = same_path == Some(number);
                let call_id = self.call_ids[number].as_deref();
                let mentions_call = call_id.is_some_and(|id| words.contains(id));
                let issue = &self.issues[number];
                let score = match_score(issue, &entry, location, same_path, mentions_call);
                (score, std::cmp::Reverse(number))
            })
            .max()
            .filter(|(score, _)| *score > 0);
        let Some((_, std::cmp::Reverse(number))) = best else { return Some(entry) };
        if let Some(path) = path_after {
            self.by_path_after.entry(path).or_insert(number);
        }
        self.issues[number].repairs.push((entry, location.line));
        None
    }

    /// The issues that can have the best score.
    fn candidates(
        &self,
        entry: &LedgerEntry,
        location: &Location,
        words: &HashSet<&str>,
    ) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        found.extend(self.by_turn.get(&None));
        found.extend(self.by_rule.get(&(None, entry.rule)));
        let Some(turn) = location.turn else {
            found.extend(self.by_located_rule.get(entry.rule));
            return found;
        };
        let mentioned = words.iter().filter_map(|word| self.by_call.get(*word)).flatten();
        let mentioned = mentioned.filter(|number| {
            self.issues[**number].location.turn.is_some_and(|other| is_near(turn, other))
        });
        found.extend(mentioned.take(MAX_CANDIDATES));
        let parts = [(turn, location.block), (turn, None)];
        let in_parts = parts.iter().filter_map(|part| self.by_part.get(part));
        found.extend(in_parts.flat_map(|numbers| numbers.iter().take(MAX_CANDIDATES)));
        let neighbours = [turn.checked_sub(1), Some(turn), turn.checked_add(1)];
        let same_rule = neighbours.into_iter().flatten();
        found.extend(same_rule.filter_map(|near| self.by_rule.get(&(Some(near), entry.rule))));
        found.extend(self.by_turn.get(&Some(turn)));
        found
    }
}

/// Score of a repair for a violation; 0 if it does not answer it.
fn match_score(
    issue: &Issue,
    entry: &LedgerEntry,
    location: &Location,
    same_path: bool,
    mentions_call: bool,
) -> usize {
    let same_rule = issue.violation.as_ref().is_some_and(|violation| violation.rule == entry.rule);
    // A later rule may change content that an earlier one inserted.
    if same_path {
        return 5;
    }
    let (Some(turn), Some(other)) = (issue.location.turn, location.turn) else {
        // Both concern the whole request.
        return usize::from(issue.location.turn.is_none() && location.turn.is_none())
            + usize::from(same_rule);
    };
    if !is_near(turn, other) {
        return 0;
    }
    if mentions_call {
        return 8 + usize::from(same_rule);
    }
    if turn == other && issue.location.block == location.block {
        return 6 + usize::from(same_rule);
    }
    if same_rule && turn.abs_diff(other) <= 1 {
        return 4;
    }
    let is_whole_turn = issue.location.block.is_none() || location.block.is_none();
    if turn == other && is_whole_turn { 2 } else { 0 }
}

fn is_near(turn: usize, other: usize) -> bool {
    turn.abs_diff(other) <= MAX_TURN_DISTANCE
}

/// Whether a character may be part of a call's id.
fn is_id_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

/// Maximum distance in turns between a violation and its repair.
const MAX_TURN_DISTANCE: usize = 2;
/// Maximum violations of one part, or of one call, that a repair is compared with.
const MAX_CANDIDATES: usize = 16;
