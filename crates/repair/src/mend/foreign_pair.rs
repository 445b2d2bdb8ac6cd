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

use std::collections::HashSet;

use interlingua_model::{Block, Body, Place, Role, Verbatim};
use interlingua_wire::Node;

use crate::Work;
use crate::fit::{empty_turn, ends_with_assistant, unkept_item, unknown_block};
use crate::pairing::{self, Spot};
use crate::profile::calls::{Answerer, Pair};

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
    for (half, what) in alone {
        let (turn, at) = half.spot;
        work.loss(Place::block(turn, at), what);
        work.remove(turn, at);
        if work.blocks(turn).is_empty() && !stands_between(work, turn) {
            work.remove_turn(turn);
        }
    }
}

/// Whether a turn keeps apart what the model said before and after it.
fn stands_between(work: &Work<'_>, turn: usize) -> bool {
    let is_models = |at: Option<usize>| {
        at.and_then(|at| work.turns().get(at)).is_some_and(|turn| turn.role == Role::Assistant)
    };
    is_models(turn.checked_sub(1)) && is_models(Some(turn + 1))
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
        if own {
            continue;
        }
        let keys = if is_call { std::slice::from_ref(&pair.ids.0) } else { pair.ids.1 };
        let mut ids = keys.iter().map(|key| word(node, key));
        let id = ids.find(|id| !id.is_empty()).unwrap_or_default();
        let tool = word(node, "name");
        let taken = unknown_block::is_taken(work, block, work.turns()[spot.0].role);
        found.push(Half { spot, pair, is_call, id, kind: kind.into_owned(), tool, taken });
    }
    found
}

fn word(node: Node<'_>, key: &str) -> String {
    node.get(key).map(|word| word.word().into_owned()).unwrap_or_default()
}

/// The halves without their counterpart, and why each goes.
fn alone(work: &Work<'_>, halves: &[Half]) -> Vec<(Half, String)> {
    let mut called = HashSet::new();
    let mut answered: Vec<(&str, usize)> = Vec::new();
    let mut alone = Vec::new();
    for (at, half) in halves.iter().enumerate() {
        let Half { id, kind, .. } = half;
        let is_formed = !id.is_empty() && half.pair.prefix.is_none_or(|begin| is_formed(id, begin));
        if half.is_call && !is_formed {
            alone.push((half.clone(), format!("left out `{kind}`: its id is `{id}`")));
        } else if half.is_call && half.taken {
            called.insert(id.as_str());
            let after = halves.get(at + 1..).unwrap_or_default();
            // Calls of one id in one answer share a result.
            let start = run_start(work, half.spot.0);
            let shared = half.pair.from == Answerer::Provider
                && answered.iter().any(|(of, turn)| of == id && *turn >= start);
            if !shared && !is_answered(work, half, after) {
                alone.push((half.clone(), format!("left out `{kind}` {id}: it has no result")));
                called.remove(id.as_str());
            }
        } else if !half.is_call && !called.contains(id.as_str()) && !held(work, half) {
            alone.push((half.clone(), format!("left out `{kind}` {id}: its call is gone")));
        } else if !half.is_call && half.taken {
            answered.push((id, half.spot.0));
        }
    }
    alone
}

/// The first of the model's turns in a row with this one.
fn run_start(work: &Work<'_>, turn: usize) -> usize {
    let models = |at: &usize| work.turns()[*at].role == Role::Assistant;
    (0..=turn).rev().take_while(models).last().unwrap_or(turn)
}

/// The provider may know what the client does not send again.
fn held(work: &Work<'_>, half: &Half) -> bool {
    half.pair.from == Answerer::Client && pairing::continues(work)
}

fn is_formed(id: &str, begin: &str) -> bool {
    let rest = id.strip_prefix(begin).unwrap_or_default();
    !rest.is_empty() && rest.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether a call has its result in time, or may still get it.
fn is_answered(work: &Work<'_>, call: &Half, after: &[Half]) -> bool {
    let closed = closing(work, call);
    let until = closed.unwrap_or(work.turns().len());
    let answers =
        |half: &&Half| !half.is_call && half.taken && half.id == call.id && half.spot.0 < until;
    if after.iter().any(|half| answers(&half)) {
        return true;
    }
    match call.pair.from {
        Answerer::Provider => closed.is_none() && is_open(work) && is_offered(work, &call.tool),
        Answerer::Client => {
            let answers = |block: &Block| {
                pairing::result(block).is_some_and(|result| result.call == *call.id.as_str())
            };
            pairing::blocks(work, call.spot.0..until).any(|(_, block)| answers(block))
        }
    }
}

/// Whether nobody is made to speak after the model, which goes on by itself.
fn is_open(work: &Work<'_>) -> bool {
    let last = work.last_speaker();
    last.is_none_or(|last| {
        work.turns()[last].role != Role::Assistant || ends_with_assistant::may_be_last(work, last)
    })
}

/// The turn from which on no answer to a call counts.
fn closing(work: &Work<'_>, call: &Half) -> Option<usize> {
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
            says_more.map(|(at, _)| at)
        }
        // The model speaks again.
        Answerer::Client => {
            let rest = turns.iter().enumerate().skip(from + 1);
            let mut rest = rest.skip_while(|(_, turn)| turn.role == Role::Assistant);
            rest.find(|(_, turn)| turn.role == Role::Assistant).map(|(at, _)| at)
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
