//! What is wrong, where, and which repair belongs to it.

use interlingua::model::{Entry, Section};
use interlingua::{Conversation, Dialect};
use interlingua_strict::Violation;
use interlingua_transcript::{Transcript, place};

use super::words;

/// One thing that is refused with its repairs, or repairs that nothing was refused for.
pub(crate) struct Finding {
    pub(super) spot: Spot,
    /// What is wrong, in a sentence for a person.
    pub(super) sentence: String,
    pub(super) violation: Option<Violation>,
    pub(super) repairs: Vec<(Entry, Option<usize>)>,
}

/// A place in the request, and the line of the file it comes from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spot {
    pub(super) turn: Option<usize>,
    pub(super) block: Option<usize>,
    pub(super) line: Option<usize>,
}

pub(super) fn find(
    transcript: &Transcript,
    conversation: Option<&interlingua::Verbatim<Conversation>>,
    provider: &dyn Dialect,
    violations: Vec<Violation>,
    repairs: Vec<Entry>,
) -> Vec<Finding> {
    // In another dialect the places are others; a stored session has the places of its source.
    let own = provider.id() == transcript.dialect.id()
        || interlingua_strict::find(transcript.dialect.id().0).is_none();
    let conversation = conversation.filter(|_| own).map(|read| &**read);
    let mut findings: Vec<Finding> = violations
        .into_iter()
        .map(|violation| {
            let (turn, block) = place(&violation.path).filter(|_| own).unzip();
            let block = block.flatten();
            let (block, sentence) = words::about(conversation, provider, &violation, turn, block);
            let spot = spot(transcript, turn, block);
            Finding { spot, sentence, violation: Some(violation), repairs: Vec::new() }
        })
        .collect();
    for entry in repairs {
        let in_turns = entry.place.section == Section::Turns;
        let turn = entry.place.index.filter(|_| in_turns).map(|turn| turn as usize);
        let block = entry.place.block.map(|block| block as usize);
        let spot = spot(transcript, turn, block);
        let line = spot.line;
        let best = findings
            .iter_mut()
            .filter(|finding| finding.violation.is_some())
            .map(|finding| (nearness(finding, &entry, conversation, &spot), finding))
            .rev()
            .max_by_key(|(near, _)| *near)
            .filter(|(near, _)| *near > 0);
        if let Some((_, finding)) = best {
            finding.repairs.push((entry, line));
            continue;
        }
        let sentence = words::only_repaired(conversation, turn, block);
        let repairs = vec![(entry, line)];
        findings.push(Finding { spot, sentence, violation: None, repairs });
    }
    findings.sort_by_key(|finding| finding.violation.is_none());
    findings
}

fn spot(transcript: &Transcript, turn: Option<usize>, block: Option<usize>) -> Spot {
    let origin = turn.and_then(|turn| transcript.unit(turn, block)?.origin);
    Spot { turn, block, line: origin.map(|origin| origin.line) }
}

/// How likely it is that a repair answers a violation; 0 if it does not.
fn nearness(
    finding: &Finding,
    entry: &Entry,
    conversation: Option<&Conversation>,
    spot: &Spot,
) -> usize {
    let same_rule = finding.violation.as_ref().is_some_and(|found| found.rule == entry.rule);
    // A later rule has its say about what an earlier one put in.
    let is_at = |one: &Entry| entry.after.is_some() && one.after == entry.after;
    if finding.repairs.iter().any(|(one, _)| is_at(one)) {
        return 5;
    }
    let (Some(turn), Some(other)) = (finding.spot.turn, spot.turn) else {
        // Of the whole request.
        return usize::from(finding.spot.turn.is_none() && spot.turn.is_none())
            + usize::from(same_rule);
    };
    if turn.abs_diff(other) > NEAR {
        return 0;
    }
    let call = conversation.and_then(|read| words::call_id(read, turn, finding.spot.block));
    let names = |id: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
        !id.is_empty() && entry.what.split(|letter| !is_part(letter)).any(|word| word == id)
    };
    if call.is_some_and(|id| names(&id)) {
        return 8 + usize::from(same_rule);
    }
    if turn == other && finding.spot.block == spot.block {
        return 6 + usize::from(same_rule);
    }
    if same_rule && turn.abs_diff(other) <= 1 {
        return 4;
    }
    let whole = finding.spot.block.is_none() || spot.block.is_none();
    if turn == other && whole { 2 } else { 0 }
}

/// A repair stands at most this many turns from what it repairs.
const NEAR: usize = 2;
