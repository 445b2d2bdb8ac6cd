//! A result that does not say which call it answers answers the first one that is open.
//!
//! Some clients lose the id on the way. Among the calls right before the result that no other result
//! answers, the first of the same tool is taken, or the first at all: the position tells more than a
//! name that several calls share.
//!
//! ## Why
//! > messages.2.content.0.tool_result.tool_use_id: Field required
//!
//! > missing field `tool_call_id`
//!
//! ## Example
//! ```text
//! before   assistant: call 1, call 2        user: result of ?, result 2
//! after    assistant: call 1, call 2        user: result 1, result 2
//! ```

use std::collections::{HashMap, VecDeque};

use interlingua_model::{Block, Body, Place, Turn, Verbatim};
use interlingua_wire::Text;

use crate::Work;
use crate::held::is_nameless;
use crate::pairing::{self, Round, Spot};
use crate::profile::calls::Answers;

pub fn apply(work: &mut Work<'_>) {
    let mut start = 0;
    while let Some(round) = Round::at(work.turns(), start) {
        name_all(work, &round);
        while let Some((spot, call)) = unnamed(work, &round) {
            name(work, spot, call);
        }
        start = round.end();
    }
}

/// Names the results without an id for as long as it is certain that none is taken as it stands.
fn name_all(work: &mut Work<'_>, round: &Round) {
    let unnamed = round.results(work).filter(|(_, result)| result.call.is_empty());
    let unnamed: Vec<(Spot, Option<Text>)> =
        unnamed.map(|(spot, result)| (spot, result.name.clone())).collect();
    if unnamed.is_empty() {
        return;
    }
    let mut open = Open::of(work, round);
    let counts = work.profile.calls.answers == Answers::Counted;
    let never = pairing::crosses(work) || counts && !pairing::is_fine(work, round);
    // Where each call must have a result of its id, nothing is fine while one has none.
    let by_id = !counts && work.profile.calls.answers != Answers::Anywhere;
    for (spot, tool) in unnamed {
        if !(never || by_id && open.waiting > 0) {
            return;
        }
        let Some(call) = open.take(tool.as_ref()) else { return };
        name(work, spot, call);
    }
}

/// The calls of a round that have no result.
struct Open {
    calls: Vec<Waiting>,
    by_id: HashMap<String, Vec<usize>>,
    by_tool: HashMap<String, VecDeque<usize>>,
    all: VecDeque<usize>,
    /// How many of them only a result of their id answers.
    waiting: usize,
}

struct Waiting {
    spot: Spot,
    id: String,
    by_id: bool,
    open: bool,
}

impl Open {
    fn of(work: &Work<'_>, round: &Round) -> Self {
        let answered = round.answered(work);
        let mut open = Self {
            calls: Vec::new(),
            by_id: HashMap::new(),
            by_tool: HashMap::new(),
            all: VecDeque::new(),
            waiting: 0,
        };
        for (spot, call) in round.calls(work).filter(|(_, call)| !answered.has(&call.id)) {
            let (at, id) = (open.calls.len(), call.id.contents().into_owned());
            open.by_id.entry(id.clone()).or_default().push(at);
            open.by_tool.entry(call.name.contents().into_owned()).or_default().push_back(at);
            open.all.push_back(at);
            let by_id = !is_nameless(work, spot);
            open.waiting += usize::from(by_id);
            open.calls.push(Waiting { spot, id, by_id, open: true });
        }
        open
    }

    /// The first call of this tool, or the first at all. Those of its id are answered with it.
    fn take(&mut self, tool: Option<&Text>) -> Option<Spot> {
        let calls = &self.calls;
        let first = |waiting: &mut VecDeque<usize>| {
            while waiting.front().is_some_and(|at| !calls[*at].open) {
                waiting.pop_front();
            }
            waiting.front().copied()
        };
        let same = tool.and_then(|tool| self.by_tool.get_mut(&*tool.contents()));
        let at = same.and_then(first).or_else(|| first(&mut self.all))?;
        let spot = self.calls[at].spot;
        for at in self.by_id.remove(&self.calls[at].id).unwrap_or_default() {
            self.calls[at].open = false;
            self.waiting -= usize::from(self.calls[at].by_id);
        }
        Some(spot)
    }
}

/// Whether the target takes a result as it stands, without an id.
fn is_taken(work: &Work<'_>, round: &Round, is_fine: bool, (turn, at): Spot) -> bool {
    let (dialect, extras) = (work.profile.dialect, &work.block(turn, at).extras);
    // Where ids are written, a call that is written anew has one.
    let by_id = UNNAMED.iter().any(|mark| extras.find(dialect, mark).is_some());
    let written = |turn: &Verbatim<Turn>| turn.text_for(dialect).is_some();
    is_fine
        && !pairing::is_incomplete(work, extras)
        && (!by_id || work.turns()[round.speech.clone()].iter().all(written))
}

/// The first result without an id and the call for it, if there is one.
fn unnamed(work: &Work<'_>, round: &Round) -> Option<(Spot, Spot)> {
    let mut results = round.results(work).filter(|(_, result)| result.call.is_empty()).peekable();
    results.peek()?;
    let is_fine = pairing::is_fine(work, round);
    let (spot, result) = results.find(|(spot, _)| !is_taken(work, round, is_fine, *spot))?;
    let answered = round.answered(work);
    let open = || round.calls(work).filter(|(_, call)| !answered.has(&call.id));
    let same = open().find(|(_, call)| result.name.as_ref() == Some(&call.name));
    let (call, _) = same.or_else(|| open().next())?;
    Some((spot, call))
}

fn name(work: &mut Work<'_>, (turn, at): Spot, call: Spot) {
    let Some(id) = pairing::call(work.block(call.0, call.1)).map(|call| call.id.clone()) else {
        return;
    };
    let mut answer = Block::clone(work.block(turn, at));
    pairing::share_id(work, call, &mut answer);
    let what = format!("a result without an id is taken to answer the open call {id}");
    if let Body::ToolResult(result) = &mut answer.body {
        result.call = id;
    }
    *work.edit(turn, at) = answer;
    work.change(Place::block(turn, at), what);
}

/// What decoding says of a result whose field for the id names no call.
const UNNAMED: &[&str] = &["no call", "null call"];
