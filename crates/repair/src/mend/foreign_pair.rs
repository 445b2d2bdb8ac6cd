//! A call that only one dialect knows and what answers it live and die together.
//!
//! Tools that the provider runs itself have calls and results of their own, both in the model's turn.
//! Compaction that cuts one of them away leaves the other. What has lost its counterpart is left out;
//! a call that the provider is still at work on stays.
//!
//! ## Why
//! > messages.69.content.0: unexpected `tool_use_id` found in `advisor_tool_result` blocks:
//! > srvtoolu_1. Each block must have a corresponding `server_tool_use` block before it.
//!
//! > `web_search` tool use with id `srvtoolu_1` was found without a corresponding
//! > `web_search_tool_result` block
//!
//! > No tool output found for local shell call call_1.
//!
//! ## Example
//! ```text
//! before   assistant: result of the provider's search, "found it"      (the search is gone)
//! after    assistant: "found it"
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{Block, Body, Place, Role, Turn, Verbatim};
use interlingua_wire::Node;

use crate::Work;
use crate::fit::{empty_turn, ends_with_assistant, unkept_item, unknown_block};
use crate::pairing::{self, Spot};
use crate::profile::calls::{Answerer, Pair};
use crate::work::many::Going;

/// One side of such a pair.
#[derive(Clone, Debug)]
struct Half {
    spot: Spot,
    pair: &'static Pair,
    is_call: bool,
    id: String,
    kind: String,
    /// The tool of a call.
    tool: String,
    /// The target takes it as it is, the other half aside.
    taken: bool,
    /// The provider may have said it by itself: nothing has to go with it.
    own: bool,
}

pub fn apply(work: &mut Work<'_>) {
    if work.profile.calls.pairs.is_empty() {
        return;
    }
    let halves = halves(work);
    if halves.is_empty() {
        return;
    }
    let mut alone = alone(work, &halves);
    // The last first, so that the places of the others stay true.
    alone.sort_by_key(|(half, _)| std::cmp::Reverse(half.spot));
    let mut emptied = Going::default();
    for of_turn in alone.chunk_by(|(one, _), (next, _)| one.spot.0 == next.spot.0) {
        let mut places = Vec::with_capacity(of_turn.len());
        for (half, what) in of_turn {
            work.loss(Place::block(half.spot.0, half.spot.1), what.clone());
            places.push(half.spot.1);
        }
        let Some(turn) = of_turn.first().map(|(half, _)| half.spot.0) else { continue };
        places.reverse();
        work.remove_blocks(turn, &places);
        if work.blocks(turn).is_empty() && !stands_between(work, turn, emptied.behind(turn)) {
            emptied.push(turn);
        }
    }
    work.remove_turns(&emptied.into_places());
}

/// Whether a turn keeps apart what the model said before it and in the next.
fn stands_between(work: &Work<'_>, turn: usize, next: usize) -> bool {
    let is_models = |at: Option<usize>| {
        at.and_then(|at| work.turns().get(at)).is_some_and(|turn| turn.role == Role::Assistant)
    };
    is_models(turn.checked_sub(1)) && is_models(Some(next))
}

/// Which results a block may be answered by that is a call only this dialect knows, or that the
/// provider holds.
pub(crate) enum Answered {
    Any,
    One(String),
}

pub(crate) fn answered(work: &Work<'_>, turn: usize, block: &Verbatim<Block>) -> Option<Answered> {
    let Body::Foreign { kind, json, .. } = &block.body else { return None };
    // What is not taken as it is does not leave.
    if !unknown_block::is_taken(work, block, work.turns()[turn].role) {
        return None;
    }
    if kind == unkept_item::NAMED {
        // Nor does what names something that is not kept.
        let goes = word(json.doc().root(), "id").is_empty() || !unkept_item::keeps_nothing(work);
        return goes.then_some(Answered::Any);
    }
    let pair = work.profile.calls.pairs.iter().find(|pair| *kind == pair.call)?;
    Some(Answered::One(word(json.doc().root(), pair.ids.0)))
}

fn halves(work: &Work<'_>) -> Vec<Half> {
    let mut found = Vec::new();
    for (spot, block) in pairing::blocks(work, 0..work.turns().len()) {
        let Body::Foreign { dialect, kind, json } = &block.body else { continue };
        let kind = kind.contents();
        let is_call = |pair: &&Pair| *kind == *pair.call;
        let is_result = |pair: &&Pair| pair.results.include(&kind);
        let pairs = work.profile.calls.pairs;
        let pair = pairs.iter().find(is_call).or_else(|| pairs.iter().find(is_result));
        let Some(pair) = pair.filter(|_| *dialect == work.profile.dialect) else { continue };
        let doc = json.doc();
        let is_call = *kind == *pair.call;
        let node = doc.root();
        let own = pair.unless.is_some_and(|(key, value)| word(node, key) != value);
        if own && is_call {
            continue;
        }
        let keys = if is_call { std::slice::from_ref(&pair.ids.0) } else { pair.ids.1 };
        let mut ids = keys.iter().map(|key| word(node, key));
        let id = ids.find(|id| !id.is_empty()).unwrap_or_default();
        let tool = word(node, "name");
        let taken = unknown_block::is_taken(work, block, work.turns()[spot.0].role);
        found.push(Half { spot, pair, is_call, id, kind: kind.into_owned(), tool, taken, own });
    }
    found
}

fn word(node: Node<'_>, key: &str) -> String {
    node.get(key).map(|word| word.word().into_owned()).unwrap_or_default()
}

/// The halves without their counterpart, and why each goes.
fn alone(work: &Work<'_>, halves: &[Half]) -> Vec<(Half, String)> {
    let mut called = HashSet::new();
    // The last turn in which each was answered.
    let mut answered: HashMap<&str, usize> = HashMap::new();
    let mut answers = Answers::of(work, halves);
    let runs = run_starts(work);
    let mut alone = Vec::new();
    for (at, half) in halves.iter().enumerate() {
        let Half { id, kind, .. } = half;
        let is_formed = !id.is_empty() && half.pair.prefix.is_none_or(|begin| is_formed(id, begin));
        if half.is_call && !is_formed {
            alone.push((half.clone(), format!("left out `{kind}`: its id is `{id}`")));
        } else if half.is_call && half.taken {
            called.insert(id.as_str());
            // Calls of one id in one answer share a result.
            let start = runs[half.spot.0];
            let shared = half.pair.from == Answerer::Provider
                && answered.get(id.as_str()).is_some_and(|turn| *turn >= start);
            if !shared && !answers.answer(work, half, at) {
                alone.push((half.clone(), format!("left out `{kind}` {id}: it has no result")));
                called.remove(id.as_str());
            }
        } else if !half.is_call && !half.own && !called.contains(id.as_str()) && !held(work, half) {
            alone.push((half.clone(), format!("left out `{kind}` {id}: its call is gone")));
        } else if !half.is_call && half.taken {
            answered.insert(id, half.spot.0);
        }
    }
    alone
}

/// For each turn the first of the model's in a row with it.
fn run_starts(work: &Work<'_>) -> Vec<usize> {
    let (turns, mut start) = (work.turns(), 0);
    let start_of = |(at, turn): (usize, &Verbatim<Turn>)| {
        let models = turn.role == Role::Assistant;
        let goes_on = models && at > 0 && turns[at - 1].role == Role::Assistant;
        start = if goes_on { start } else { at };
        start
    };
    turns.iter().enumerate().map(start_of).collect()
}

/// The provider may know what the client does not send again.
fn held(work: &Work<'_>, half: &Half) -> bool {
    half.pair.from == Answerer::Client && pairing::continues(work)
}

fn is_formed(id: &str, begin: &str) -> bool {
    let rest = id.strip_prefix(begin).unwrap_or_default();
    !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Where results stand, by the ids that they answer.
struct Answers<'h> {
    /// Among the halves: the number of each, and its turn.
    halves: HashMap<&'h str, Vec<(usize, usize)>>,
    /// The turns of those that every dialect has.
    usual: HashMap<String, Vec<usize>>,
    /// The last that was asked for by each side.
    closings: [Option<Closing>; 2],
}

/// The turn from which on no answer to a call counts.
#[derive(Clone, Copy)]
struct Closing {
    at: Option<usize>,
    /// It is the same for calls from there on, and up to here.
    calls: (usize, usize),
}

impl<'h> Answers<'h> {
    fn of(work: &Work<'_>, halves: &'h [Half]) -> Self {
        let mut answers =
            Self { halves: HashMap::new(), usual: HashMap::new(), closings: [None; 2] };
        for (number, half) in halves.iter().enumerate().filter(|(_, half)| !half.is_call) {
            if half.taken {
                answers.halves.entry(&half.id).or_default().push((number, half.spot.0));
            }
        }
        if halves.iter().any(|half| half.is_call && half.pair.from == Answerer::Client) {
            for ((turn, _), block) in pairing::blocks(work, 0..work.turns().len()) {
                let Some(result) = pairing::result(block) else { continue };
                let id = result.call.contents().into_owned();
                answers.usual.entry(id).or_default().push(turn);
            }
        }
        answers
    }

    /// Whether a call has its result in time, or may still get it.
    fn answer(&mut self, work: &Work<'_>, call: &Half, number: usize) -> bool {
        let closed = self.closing(work, call);
        let until = closed.unwrap_or(work.turns().len());
        let halves = self.halves.get(&*call.id).map_or(&[][..], Vec::as_slice);
        let next = halves.partition_point(|(one, _)| *one <= number);
        if halves.get(next).is_some_and(|(_, turn)| *turn < until) {
            return true;
        }
        match call.pair.from {
            Answerer::Provider => closed.is_none() && is_open(work) && is_offered(work, &call.tool),
            Answerer::Client => {
                let turns = self.usual.get(&call.id).map_or(&[][..], Vec::as_slice);
                let next = turns.partition_point(|turn| *turn < call.spot.0);
                turns.get(next).is_some_and(|turn| *turn < until)
            }
        }
    }

    fn closing(&mut self, work: &Work<'_>, call: &Half) -> Option<usize> {
        let turn = call.spot.0;
        let known = &mut self.closings[usize::from(call.pair.from == Answerer::Client)];
        if !known.is_some_and(|known| (known.calls.0..=known.calls.1).contains(&turn)) {
            *known = Some(closing(work, call));
        }
        known.and_then(|known| known.at)
    }
}

/// Whether nobody is made to speak after the model, which goes on by itself.
fn is_open(work: &Work<'_>) -> bool {
    let last = work.last_speaker();
    last.is_none_or(|last| {
        work.turns()[last].role != Role::Assistant || ends_with_assistant::may_be_last(work, last)
    })
}

fn closing(work: &Work<'_>, call: &Half) -> Closing {
    let turns = work.turns();
    let from = call.spot.0;
    match call.pair.from {
        // The user says more than results.
        Answerer::Provider => {
            let mut said = turns.iter().enumerate().skip(from);
            let says_more = said.find(|(at, turn)| {
                let other = |block: &Block| pairing::result(block).is_none();
                let more = turn.blocks.iter().any(|one| other(one));
                match turn.role {
                    Role::User => more || empty_turn::speaks(work, *at),
                    Role::Assistant => false,
                    // Instructions have no place there: the user says them.
                    Role::System | Role::Developer => {
                        turn.blocks.iter().any(|one| !work.is_refused(one))
                    }
                }
            });
            let at = says_more.map(|(at, _)| at);
            Closing { at, calls: (from, at.unwrap_or(turns.len())) }
        }
        // The model speaks again.
        Answerer::Client => {
            let models = |turn: &&Verbatim<Turn>| turn.role == Role::Assistant;
            let run = turns[from + 1..].iter().take_while(models).count();
            let mut rest = turns.iter().enumerate().skip(from + 1 + run);
            let at = rest.find(|(_, turn)| models(turn)).map(|(at, _)| at);
            Closing { at, calls: (from, from + run) }
        }
    }
}

/// Whether the provider's tool of a call is offered: by type, which begins with the tool's name.
fn is_offered(work: &Work<'_>, tool: &str) -> bool {
    let family = PARTS_OF_TOOLS.iter().find_map(|part| tool.strip_prefix(part)).unwrap_or(tool);
    work.conversation().tools.iter().any(|offered| match &offered.kind {
        interlingua_model::ToolKind::Foreign { kind, .. } => kind.contents().starts_with(family),
        interlingua_model::ToolKind::Function { .. }
        | interlingua_model::ToolKind::Freeform { .. } => false,
    })
}

/// Calls of one tool that have several names begin so.
const PARTS_OF_TOOLS: &[&str] = &["bash_", "text_editor_"];
