//! Matches violations with the repairs that answer them.

use interlingua::model::{LedgerEntry, LedgerSection};
use interlingua::{Conversation, Dialect};
use interlingua_strict::Violation;
use interlingua_transcript::{Transcript, parse_part_path};

use super::describe;

/// A violation with its repairs, or repairs without a violation.
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

pub(super) fn collect_issues(
    transcript: &Transcript,
    conversation: Option<&interlingua::Verbatim<Conversation>>,
    provider: &dyn Dialect,
    violations: Vec<Violation>,
    repairs: Vec<LedgerEntry>,
) -> Vec<Issue> {
    // Paths in another dialect differ; a stored session has the paths of its source.
    let same_paths = provider.id() == transcript.dialect.id()
        || interlingua_strict::find(transcript.dialect.id().0).is_none();
    let conversation = conversation.filter(|_| same_paths).map(|read| &**read);
    let mut issues: Vec<Issue> = violations
        .into_iter()
        .map(|violation| {
            let (turn, block) = parse_part_path(&violation.path).filter(|_| same_paths).unzip();
            let block = block.flatten();
            let (block, message) =
                describe::describe_violation(conversation, provider, &violation, turn, block);
            let location = locate(transcript, turn, block);
            Issue { location, message, violation: Some(violation), repairs: Vec::new() }
        })
        .collect();
    for entry in repairs {
        let in_turns = entry.path.section == LedgerSection::Turns;
        let turn = entry.path.index.filter(|_| in_turns).map(|turn| turn as usize);
        let block = entry.path.block.map(|block| block as usize);
        let location = locate(transcript, turn, block);
        let line = location.line;
        let best = issues
            .iter_mut()
            .filter(|issue| issue.violation.is_some())
            .map(|issue| (match_score(issue, &entry, conversation, &location), issue))
            .rev()
            .max_by_key(|(score, _)| *score)
            .filter(|(score, _)| *score > 0);
        if let Some((_, issue)) = best {
            issue.repairs.push((entry, line));
            continue;
        }
        let message = describe::describe_change(conversation, turn, block);
        let repairs = vec![(entry, line)];
        issues.push(Issue { location, message, violation: None, repairs });
    }
    issues.sort_by_key(|issue| issue.violation.is_none());
    issues
}

fn locate(transcript: &Transcript, turn: Option<usize>, block: Option<usize>) -> Location {
    let origin = turn.and_then(|turn| transcript.part(turn, block)?.location);
    Location { turn, block, line: origin.map(|origin| origin.line) }
}

/// Score of a repair for a violation; 0 if it does not answer it.
fn match_score(
    issue: &Issue,
    entry: &LedgerEntry,
    conversation: Option<&Conversation>,
    location: &Location,
) -> usize {
    let same_rule = issue.violation.as_ref().is_some_and(|violation| violation.rule == entry.rule);
    // A later rule may change content that an earlier one inserted.
    let is_same_path =
        |one: &LedgerEntry| entry.path_after.is_some() && one.path_after == entry.path_after;
    if issue.repairs.iter().any(|(one, _)| is_same_path(one)) {
        return 5;
    }
    let (Some(turn), Some(other)) = (issue.location.turn, location.turn) else {
        // Both concern the whole request.
        return usize::from(issue.location.turn.is_none() && location.turn.is_none())
            + usize::from(same_rule);
    };
    if turn.abs_diff(other) > MAX_TURN_DISTANCE {
        return 0;
    }
    let call = conversation.and_then(|read| describe::call_id(read, turn, issue.location.block));
    let mentions = |id: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        !id.is_empty() && entry.description.split(|letter| !is_part(letter)).any(|word| word == id)
    };
    if call.is_some_and(|id| mentions(&id)) {
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

/// Maximum distance in turns between a violation and its repair.
const MAX_TURN_DISTANCE: usize = 2;
