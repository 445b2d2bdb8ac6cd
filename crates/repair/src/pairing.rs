//! Who answers whom: what the model says in a row, what comes before it speaks again, and whether the
//! calls of the one and the results of the other stand as the target takes them.

use std::ops::Range;

use interlingua_model::{Block, Body, Role, ToolCall, ToolResult, Turn, Verbatim};
use interlingua_wire::Text;

pub use crate::held::continues;
use crate::held::{is_held, is_nameless, repeats};
pub use crate::ids::{Ids, OLD, UNWRITTEN, is_incomplete, share_id, written_id};
use crate::profile::calls::{Answers, Strays};
use crate::{Work, look};

/// What the model says in a row, and what comes before it speaks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    pub speech: Range<usize>,
    pub answers: Range<usize>,
}

/// A block by its place: the turn, and where in it.
pub type Spot = (usize, usize);

impl Round {
    /// The round that begins with this turn. What comes before the model first speaks is a round in
    /// which it says nothing.
    pub fn at(turns: &[Verbatim<Turn>], start: usize) -> Option<Self> {
        let is_speech = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
        let rest = turns.get(start..).filter(|rest| !rest.is_empty())?;
        let middle = start + rest.iter().take_while(is_speech).count();
        let after = turns[middle..].iter().take_while(|turn| !is_speech(turn)).count();
        Some(Self { speech: start..middle, answers: middle..middle + after })
    }

    pub fn end(&self) -> usize {
        self.answers.end
    }

    fn turns(&self) -> Range<usize> {
        self.speech.start..self.answers.end
    }

    /// The calls of the model.
    pub fn calls<'w>(&self, work: &'w Work<'_>) -> impl Iterator<Item = (Spot, &'w ToolCall)> {
        blocks(work, self.speech.clone()).filter_map(|(spot, block)| Some((spot, call(block)?)))
    }

    /// The results that come before it speaks again.
    pub fn results<'w>(&self, work: &'w Work<'_>) -> impl Iterator<Item = (Spot, &'w ToolResult)> {
        blocks(work, self.answers.clone()).filter_map(|(spot, block)| Some((spot, result(block)?)))
    }

    /// The ids that the model calls.
    pub fn called<'w>(&self, work: &'w Work<'_>) -> Ids<'w> {
        Ids::of(self.calls(work).map(|(_, call)| &call.id))
    }

    /// The ids that are answered before it speaks again.
    pub fn answered<'w>(&self, work: &'w Work<'_>) -> Ids<'w> {
        Ids::of(self.results(work).map(|(_, result)| &result.call))
    }
}

/// Runs `mend` on each round whose calls and results do not stand as the target takes them. It may
/// change the round, but nothing before it.
pub fn mend_rounds(work: &mut Work<'_>, mut mend: impl FnMut(&mut Work<'_>, &Round)) {
    // Several rules ask the same of the same turns: what one found fine is not looked at again.
    let mut start = work.paired();
    while let Some(round) = Round::at(work.turns(), start) {
        if is_fine(work, &round) {
            if work.paired() == start {
                work.pairs_settled(round.end());
            }
            start = round.end();
            continue;
        }
        mend(work, &round);
        start = Round::at(work.turns(), start).map_or(start + 1, |round| round.end());
    }
}

/// Whether the conversation is written anew, in another dialect than it came in.
pub fn crosses(work: &Work<'_>) -> bool {
    !work.is_own()
}

/// Every block of some turns.
pub fn blocks<'w>(
    work: &'w Work<'_>,
    turns: Range<usize>,
) -> impl Iterator<Item = (Spot, &'w Block)> {
    let listed = turns.clone().zip(&work.turns()[turns]);
    listed.flat_map(|(at, turn)| {
        turn.blocks.iter().enumerate().map(move |(of, block)| ((at, of), &**block))
    })
}

/// A call that wants a result. One that is written in the old way, without an id, wants none.
pub fn call(block: &Block) -> Option<&ToolCall> {
    match &block.body {
        Body::ToolCall(call) if !is_old(block) => Some(call),
        _ => None,
    }
}

/// A result that answers a call by its id.
pub fn result(block: &Block) -> Option<&ToolResult> {
    match &block.body {
        Body::ToolResult(result) if !is_old(block) => Some(result),
        _ => None,
    }
}

/// Whether a call or a result is written in the old way. The rule `old-call` says where that is taken.
pub fn is_old(block: &Block) -> bool {
    let fields = block.extras.all().map_or(&[][..], |(_, fields)| fields);
    fields.iter().any(|(key, _)| key == OLD)
}

/// Where the next result of a round goes: before anything else that comes after the model's words,
/// but after the results that are there already. A turn for it is made where there is none.
pub fn place_for_result(work: &mut Work<'_>, round: &Round) -> Spot {
    let head = round.answers.start;
    let alone = |turn: &Verbatim<Turn>| {
        turn.role == Role::User
            && !turn.blocks.is_empty()
            && turn.blocks.iter().all(|block| result(block).is_some())
    };
    let answers = work.profile.calls.answers;
    let together = matches!(answers, Answers::NextTurn | Answers::Counted);
    let turns = &work.turns()[round.answers.clone()];
    // Turns of results keep their own form; the next one stands behind them.
    let behind = if together { 0 } else { turns.iter().take_while(|turn| alone(turn)).count() };
    let here = head + behind;
    let is_users = turns.get(behind).is_some_and(|turn| turn.role == Role::User);
    // Where results are no part of what else the user says, that stays as it is.
    let apart = !crosses(work) && matches!(answers, Answers::FirstAfterTurn | Answers::BeforeNext);
    if behind > 0 || !is_users || apart {
        work.insert_turn(here, Turn::new(Role::User));
        return (here, 0);
    }
    let leading = work.blocks(here).iter().take_while(|block| result(block).is_some());
    (here, leading.count())
}

/// Whether the calls and results of a round stand as the target takes them.
pub fn is_fine(work: &Work<'_>, round: &Round) -> bool {
    if is_plain(work, round) {
        return true;
    }
    let pairs = |(_, block): (Spot, &Block)| call(block).is_some() || result(block).is_some();
    if !blocks(work, round.turns()).any(pairs) {
        return true;
    }
    if crosses(work) {
        return !has_wrong_side(work, round) && is_matched(work, round) && !is_behind(work, round);
    }
    match work.profile.calls.answers {
        Answers::Anywhere => true,
        Answers::Counted => is_counted(work, round),
        Answers::BeforeNext => !has_wrong_side(work, round) && is_answered_in_time(work, round),
        Answers::FirstAfterRun => !has_wrong_side(work, round) && is_answered_first(work, round),
        Answers::FirstAfterTurn => {
            !has_wrong_side(work, round)
                && !calls_early(work, round)
                && is_answered_first(work, round)
        }
        Answers::NextTurn => {
            let later = |((turn, _), _): (Spot, _)| turn > round.answers.start;
            !has_wrong_side(work, round)
                && !calls_early(work, round)
                && is_matched(work, round)
                && !round.results(work).any(later)
        }
    }
}

/// Whether the round is of a form that the target takes in any case, which most are: the model speaks
/// in one turn, or in several that are as good as one, and each of its calls has its result, in their order and before anything else, in the next;
/// or in the next ones, where that may be.
fn is_plain(work: &Work<'_>, round: &Round) -> bool {
    let turns = work.turns();
    let spoken = &turns[round.speech.clone()];
    let answered = &turns[round.answers.clone()];
    let pairs = |block: &&Verbatim<Block>| {
        matches!(block.body, Body::ToolCall(_) | Body::ToolResult(_)) && !is_old(block)
    };
    let calls = spoken.iter().any(|turn| turn.blocks.iter().any(|block| pairs(&block)));
    let mut said = calls.then(|| spoken.iter().flat_map(|turn| &turn.blocks).filter(pairs));
    let crosses = crosses(work);
    let answers = work.profile.calls.answers;
    // Where what the model says in a row is as good as one turn, its calls may stand in any.
    let in_a_row = crosses || matches!(answers, Answers::BeforeNext | Answers::FirstAfterRun);
    if calls && (spoken.len() > 1 && !in_a_row || round.speech.start == 0) {
        return false;
    }
    let together = matches!(answers, Answers::NextTurn | Answers::Counted);
    let anywhere = !together || crosses;
    let mut first = true;
    for (at, turn) in answered.iter().enumerate() {
        first &= !turn.blocks.is_empty() && (at == 0 || anywhere);
        for block in &turn.blocks {
            match &block.body {
                Body::ToolResult(result) if !is_old(block) => {
                    let call = said.as_mut().and_then(Iterator::next).and_then(|said| call(said));
                    let own = call.is_some_and(|call| call.id == result.call);
                    if !(first && own && turn.role == Role::User) {
                        return false;
                    }
                }
                Body::ToolCall(_) if !is_old(block) => return false,
                _ => first = false,
            }
        }
    }
    said.is_none_or(|mut said| said.next().is_none())
}

/// A call of the user's, or a result of the model's.
pub fn has_wrong_side(work: &Work<'_>, round: &Round) -> bool {
    if !crosses(work) && !work.profile.calls.sides {
        return false;
    }
    blocks(work, round.speech.clone()).any(|(_, block)| result(block).is_some())
        || blocks(work, round.answers.clone()).any(|(_, block)| call(block).is_some())
}

/// A call stands in another turn than the last one before the answers.
pub fn calls_early(work: &Work<'_>, round: &Round) -> bool {
    round.calls(work).any(|((turn, _), _)| turn + 1 < round.speech.end)
}

/// Each call has one result, and each result a call.
fn is_matched(work: &Work<'_>, round: &Round) -> bool {
    let (calls, results) = (round.calls(work).count(), round.results(work).count());
    // One result may answer several calls of one id.
    let shared = !work.profile.calls.one_each && !crosses(work);
    if !(calls == results || shared && results < calls) {
        return false;
    }
    let (called, answered) = (round.called(work), round.answered(work));
    round.calls(work).all(|(_, call)| answered.has(&call.id))
        && round.results(work).all(|(_, result)| called.has(&result.call))
}

/// A result stands in or behind a turn of instructions.
fn is_behind(work: &Work<'_>, round: &Round) -> bool {
    let instructs = |turn: usize| work.turns()[turn].role != Role::User;
    let first = round.answers.clone().find(|turn| instructs(*turn));
    first.is_some_and(|first| round.results(work).any(|((turn, _), _)| turn >= first))
}

/// Where the results that stand before anything else end: how many there are.
fn leading(work: &Work<'_>, round: &Round) -> usize {
    let mut count = 0;
    // Where the turns of a run are one, those with nothing in them are none.
    let passes = work.takes_empty() && work.profile.calls.answers == Answers::FirstAfterRun;
    for turn in &work.turns()[round.answers.clone()] {
        if turn.role != Role::User && !work.is_passed_over(turn) {
            break;
        }
        if turn.role != Role::User || turn.blocks.is_empty() && passes {
            continue;
        }
        let results = turn.blocks.iter().take_while(|block| result(block).is_some()).count();
        count += results;
        if turn.blocks.is_empty() || results < turn.blocks.len() {
            break;
        }
    }
    count
}

fn is_answered_first(work: &Work<'_>, round: &Round) -> bool {
    let calls = &work.profile.calls;
    let leading = leading(work, round);
    let first = || round.results(work).take(leading);
    let answers = Ids::of(first().map(|(_, result)| &result.call));
    let answered = |(spot, call): (Spot, &ToolCall)| {
        answers.has(&call.id) || is_nameless(work, spot) && answers.has(&Text::EMPTY)
    };
    if !round.calls(work).all(answered) {
        return false;
    }
    if calls.one_each && round.calls(work).count() != leading {
        return false;
    }
    let called = round.called(work);
    let known = |(_, result): (Spot, &ToolResult)| called.has(&result.call);
    let held = is_held(work, round) && !repeats(work, round);
    match calls.strays {
        Strays::Taken => true,
        _ if round.results(work).count() > leading => false,
        Strays::AmongResults => leading == 0 || round.calls(work).next().is_some() || held,
        Strays::Refused | Strays::AfterTheirCall => first().all(known) || held,
    }
}

fn is_answered_in_time(work: &Work<'_>, round: &Round) -> bool {
    let (answered, known) = (round.answered(work), Known::of(work, round, round.called(work)));
    round.calls(work).all(|(_, call)| answered.has(&call.id))
        && round.results(work).all(|(spot, result)| known.has(work, spot, result))
}

/// Which results of a round answer a call that came before them, be it that of another round where the
/// target takes that.
#[derive(Debug)]
pub struct Known<'w> {
    called: Ids<'w>,
    crosses: bool,
    continues: bool,
    is_held: bool,
}

impl<'w> Known<'w> {
    /// Of a round in which the model calls these.
    pub fn of(work: &Work<'_>, round: &Round, called: Ids<'w>) -> Self {
        let (crosses, continues) = (crosses(work), continues(work));
        Self { called, crosses, continues, is_held: is_held(work, round) }
    }

    pub fn has(&self, work: &Work<'_>, spot: Spot, result: &ToolResult) -> bool {
        if self.called.has(&result.call) {
            return true;
        }
        if self.crosses {
            return false;
        }
        match work.profile.calls.strays {
            Strays::AfterTheirCall => self.continues || work.is_called(spot.0, &result.call),
            Strays::Refused | Strays::AmongResults | Strays::Taken => self.is_held,
        }
    }
}

/// Every turn with calls comes after one of the user's and before one with as many results.
fn is_counted(work: &Work<'_>, round: &Round) -> bool {
    let turns = work.turns();
    let calls = |turn: &Turn| turn.blocks.iter().filter(|one| call(one).is_some()).count();
    let results = |turn: &Turn| turn.blocks.iter().filter(|one| result(one).is_some()).count();
    round.turns().all(|at| {
        let before = at.checked_sub(1).map(|before| &turns[before]);
        let called = before.map_or(0, |turn| calls(turn));
        // Instructions leave as the user's words, or not at all where there are none.
        let blank = |block: &Verbatim<Block>| look::words(block).is_some_and(Text::is_blank);
        let silent = |turn: &Verbatim<Turn>| look::instructs(turn) && turn.blocks.iter().all(blank);
        let spoken = || turns[..at].iter().rfind(|turn| !silent(turn));
        // Those at the head leave apart, and those before the user's results behind them.
        let opened = || turns[..at].iter().rev().any(|turn| !look::instructs(turn));
        let models = turns[at].role == Role::Assistant;
        let after_user = || {
            let before = spoken().is_some_and(|turn| {
                turn.role == Role::User || models && turn.role != Role::Assistant
            });
            before && opened()
        };
        let calling = calls(&turns[at]);
        // Nobody but the user and the model has a part in this.
        if !matches!(turns[at].role, Role::User | Role::Assistant)
            && calling + results(&turns[at]) > 0
        {
            return false;
        }
        let answered = match turns.get(at + 1) {
            Some(next) => results(next) == calling,
            None => turns[at].role != Role::Assistant,
        };
        results(&turns[at]) == called && (calling == 0 || answered && after_user())
    })
}
