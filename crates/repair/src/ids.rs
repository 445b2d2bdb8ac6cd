//! Ids of calls and results: who has which, and how they are written.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use interlingua_model::{Block, Body, Conversation, Extras};
use interlingua_wire::{Json, Text};

use crate::Work;
use crate::mend::foreign_pair::{self, Answered};
use crate::pairing::{Spot, call, result};

/// Some ids, for who asks of many whether they are among them.
#[derive(Debug, Default)]
pub struct Ids<'w>(HashSet<Cow<'w, str>>);

impl<'w> Ids<'w> {
    pub fn of(ids: impl Iterator<Item = &'w Text>) -> Self {
        Self(ids.map(Text::contents).collect())
    }

    pub fn has(&self, id: &Text) -> bool {
        self.0.contains(&*id.contents())
    }

    /// The ids on their own, for who changes what they are of.
    pub fn kept(self) -> Ids<'static> {
        Ids(self.0.into_iter().map(|id| Cow::Owned(id.into_owned())).collect())
    }
}

/// In which turn each id is first called, up to some turn: whoever asks for many looks only once at
/// what stands before them.
#[derive(Debug, Default)]
pub(crate) struct Called {
    looked: usize,
    first: HashMap<String, usize>,
    listed: Vec<(usize, String)>,
    /// The same of calls that only the dialect knows, and the turns of those that may be any call.
    foreign: HashMap<String, usize>,
    listed_foreign: Vec<(usize, String)>,
    any: Vec<usize>,
}

impl Called {
    /// From this turn on, things are no longer what they were.
    pub(crate) fn forget(&mut self, turn: usize) {
        if turn >= self.looked {
            return;
        }
        self.looked = turn;
        forget(&mut self.first, &mut self.listed, turn);
        forget(&mut self.foreign, &mut self.listed_foreign, turn);
        self.any.truncate(self.any.partition_point(|any| *any < turn));
    }

    /// Whether a call before this turn has this id.
    pub(crate) fn is_called(&mut self, work: &Work<'_>, turn: usize, id: &Text) -> bool {
        self.look(work, turn);
        self.first.get(&*id.contents()).is_some_and(|first| *first < turn)
    }

    /// Whether a call before this turn that only this dialect knows, or that the provider holds, may have
    /// this id.
    pub(crate) fn may_be_called(&mut self, work: &Work<'_>, turn: usize, id: &Text) -> bool {
        self.look(work, turn);
        self.any.first().is_some_and(|first| *first < turn)
            || self.foreign.get(&*id.contents()).is_some_and(|first| *first < turn)
    }

    fn look(&mut self, work: &Work<'_>, until: usize) {
        let conversation: &Conversation = work.conversation();
        let until = until.min(conversation.turns.len());
        for turn in self.looked..until {
            for block in &conversation.turns[turn].blocks {
                if let Body::ToolCall(call) = &block.body {
                    list(&mut self.first, &mut self.listed, turn, &call.id.contents());
                }
                match foreign_pair::answered(work, turn, block) {
                    Some(Answered::Any) => self.any.push(turn),
                    Some(Answered::One(id)) => {
                        list(&mut self.foreign, &mut self.listed_foreign, turn, &id);
                    }
                    None => {}
                }
            }
        }
        self.looked = self.looked.max(until);
    }
}

fn list(
    first: &mut HashMap<String, usize>,
    listed: &mut Vec<(usize, String)>,
    turn: usize,
    id: &str,
) {
    if !first.contains_key(id) {
        first.insert(id.to_owned(), turn);
        listed.push((turn, id.to_owned()));
    }
}

fn forget(first: &mut HashMap<String, usize>, listed: &mut Vec<(usize, String)>, from: usize) {
    while let Some((_, id)) = listed.pop_if(|(turn, _)| *turn >= from) {
        first.remove(&id);
    }
}

/// A result has an id where its call has one: a call that was written without gets its id written,
/// or the result goes without, too.
pub fn share_id(work: &mut Work<'_>, (turn, at): Spot, answer: &mut Block) {
    let dialect = work.profile.dialect;
    let extras = &work.block(turn, at).extras;
    let unwritten = |id: &Json| id.text().is_none_or(|id| id.is_empty());
    if extras.find(dialect, UNWRITTEN).is_some_and(unwritten) {
        answer.extras = crate::extras::without(&answer.extras, dialect, UNWRITTEN);
        answer.extras.put(dialect, Text::word(UNWRITTEN), Json::NULL);
    }
    for mark in ["no id", "empty id"] {
        let extras = &work.block(turn, at).extras;
        if extras.find(dialect, mark).is_some() {
            let kept = crate::extras::without(extras, dialect, mark);
            work.edit(turn, at).extras = kept;
        }
    }
}

/// The id with which a call or a result is written in the target's own dialect.
pub fn written_id(work: &Work<'_>, block: &Block) -> Option<Text> {
    let id = match (call(block), result(block)) {
        (Some(call), _) => &call.id,
        (_, Some(result)) => &result.call,
        (None, None) => return None,
    };
    let id = match block.extras.find(work.profile.dialect, UNWRITTEN) {
        None => Some(id.clone()),
        Some(written) => written.text(),
    };
    id.filter(|id| !id.is_empty())
}

/// Whether something is missing in how a call or a result was written that the target asks for.
pub fn is_incomplete(work: &Work<'_>, extras: &Extras) -> bool {
    let dialect = work.profile.dialect;
    let missed = work.profile.calls.complete;
    !extras.is_empty() && missed.iter().any(|mark| extras.find(dialect, mark).is_some())
}

/// What a call or a result that is written in the old way has among its extras.
pub const OLD: &str = "legacy form";
/// What a block whose client wrote no id has among its extras.
pub const UNWRITTEN: &str = "written id";
