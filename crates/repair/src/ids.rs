//! Indexes and compares the ids of tool calls and results.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use interlingua_model::{Block, BlockContent, Conversation, Extras};
use interlingua_wire::{JsonString, RawJson};

use crate::Work;
use crate::mend::foreign_pair::{self, AnswerableIds};
use crate::pairing::{BlockPos, as_call, as_result};

/// A set of ids, for repeated lookups.
#[derive(Debug, Default)]
pub struct IdSet<'w>(HashSet<Cow<'w, str>>);

impl<'w> IdSet<'w> {
    pub fn from_ids(ids: impl Iterator<Item = &'w JsonString>) -> Self {
        Self(ids.map(JsonString::unescape).collect())
    }

    pub fn contains(&self, id: &JsonString) -> bool {
        self.0.contains(&*id.unescape())
    }

    /// Copies the ids, so that the conversation can be edited.
    pub fn into_owned(self) -> IdSet<'static> {
        IdSet(self.0.into_iter().map(|id| Cow::Owned(id.into_owned())).collect())
    }
}

/// The first turn in which each id is called, up to some turn. Extended on demand, so that many
/// lookups scan the turns once.
#[derive(Debug, Default)]
pub(crate) struct CallIndex {
    scanned_turns: usize,
    first_turn: HashMap<String, usize>,
    ids_by_turn: Vec<(usize, String)>,
    /// The same for calls in foreign blocks, and the turns of foreign calls that match any id.
    foreign_first_turn: HashMap<String, usize>,
    foreign_ids_by_turn: Vec<(usize, String)>,
    wildcard_turns: Vec<usize>,
}

impl CallIndex {
    /// Forgets the turns from this one on, because they change.
    pub(crate) fn truncate(&mut self, turn: usize) {
        if turn >= self.scanned_turns {
            return;
        }
        self.scanned_turns = turn;
        truncate_index(&mut self.first_turn, &mut self.ids_by_turn, turn);
        truncate_index(&mut self.foreign_first_turn, &mut self.foreign_ids_by_turn, turn);
        self.wildcard_turns.truncate(self.wildcard_turns.partition_point(|at| *at < turn));
    }

    /// Whether a call before this turn has this id.
    pub(crate) fn has_call(&mut self, work: &Work<'_>, turn: usize, id: &JsonString) -> bool {
        self.scan(work, turn);
        self.first_turn.get(&*id.unescape()).is_some_and(|first| *first < turn)
    }

    /// Whether a foreign call, or a call that the provider stores, before this turn may have this
    /// id.
    pub(crate) fn may_have_call(&mut self, work: &Work<'_>, turn: usize, id: &JsonString) -> bool {
        self.scan(work, turn);
        self.wildcard_turns.first().is_some_and(|first| *first < turn)
            || self.foreign_first_turn.get(&*id.unescape()).is_some_and(|first| *first < turn)
    }

    fn scan(&mut self, work: &Work<'_>, until: usize) {
        let conversation: &Conversation = work.conversation();
        let until = until.min(conversation.turns.len());
        for turn in self.scanned_turns..until {
            for block in &conversation.turns[turn].blocks {
                if let BlockContent::ToolCall(call) = &block.content {
                    insert_first(
                        &mut self.first_turn,
                        &mut self.ids_by_turn,
                        turn,
                        &call.id.unescape(),
                    );
                }
                match foreign_pair::answerable_ids(work, turn, block) {
                    Some(AnswerableIds::Any) => self.wildcard_turns.push(turn),
                    Some(AnswerableIds::One(id)) => {
                        insert_first(
                            &mut self.foreign_first_turn,
                            &mut self.foreign_ids_by_turn,
                            turn,
                            &id,
                        );
                    }
                    None => {}
                }
            }
        }
        self.scanned_turns = self.scanned_turns.max(until);
    }
}

fn insert_first(
    first_turn: &mut HashMap<String, usize>,
    ids_by_turn: &mut Vec<(usize, String)>,
    turn: usize,
    id: &str,
) {
    if !first_turn.contains_key(id) {
        first_turn.insert(id.to_owned(), turn);
        ids_by_turn.push((turn, id.to_owned()));
    }
}

fn truncate_index(
    first_turn: &mut HashMap<String, usize>,
    ids_by_turn: &mut Vec<(usize, String)>,
    from: usize,
) {
    while let Some((_, id)) = ids_by_turn.pop_if(|(turn, _)| *turn >= from) {
        first_turn.remove(&id);
    }
}

/// Writes the id of a call that was written without one, or removes the id from its result, so that
/// both have an id or neither has.
pub fn match_id_spelling(work: &mut Work<'_>, (turn, at): BlockPos, result: &mut Block) {
    let dialect = work.profile.dialect;
    let extras = &work.block(turn, at).extras;
    let unwritten = |id: &RawJson| id.json_string().is_none_or(|id| id.is_empty());
    if extras.get(dialect, WRITTEN_ID).is_some_and(unwritten) {
        result.extras = crate::extras::without_key(&result.extras, dialect, WRITTEN_ID);
        result.extras.push(dialect, JsonString::from_static(WRITTEN_ID), RawJson::NULL);
    }
    for marker in ["no id", "empty id"] {
        let extras = &work.block(turn, at).extras;
        if extras.get(dialect, marker).is_some() {
            let rest = crate::extras::without_key(extras, dialect, marker);
            work.edit_block(turn, at).extras = rest;
        }
    }
}

/// The id with which the client wrote a call or a result in the target's dialect.
pub fn written_id(work: &Work<'_>, block: &Block) -> Option<JsonString> {
    let id = match (as_call(block), as_result(block)) {
        (Some(call), _) => &call.id,
        (_, Some(result)) => &result.call_id,
        (None, None) => return None,
    };
    let id = match block.extras.get(work.profile.dialect, WRITTEN_ID) {
        None => Some(id.clone()),
        Some(written) => written.json_string(),
    };
    id.filter(|id| !id.is_empty())
}

/// Whether the client's spelling of a call or a result lacks something that the target requires.
pub fn has_rejected_spelling(work: &Work<'_>, extras: &Extras) -> bool {
    let dialect = work.profile.dialect;
    let rejected = work.profile.calls.rejected_spellings;
    !extras.is_empty() && rejected.iter().any(|marker| extras.get(dialect, marker).is_some())
}

/// Extra of a call or a result in the legacy form.
pub const LEGACY_FORM: &str = "legacy form";
/// Extra of a block that the client wrote without an id.
pub const WRITTEN_ID: &str = "written id";
