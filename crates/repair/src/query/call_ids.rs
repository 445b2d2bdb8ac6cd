//! Indexes and compares the ids of tool calls and results.

use std::borrow::Cow;
use std::collections::HashSet;

use interlingua_model::{Block, Extras, Spelling, SpellingSet, WrittenForm};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::values::block::{as_call, as_result};

/// A set of ids, for repeated lookups.
#[derive(Debug, Default)]
pub(crate) struct IdSet<'w>(HashSet<Cow<'w, str>>);

impl<'w> IdSet<'w> {
    pub(crate) fn from_ids(ids: impl Iterator<Item = &'w JsonString>) -> Self {
        Self(ids.map(JsonString::unescape).collect())
    }

    pub(crate) fn contains(&self, id: &JsonString) -> bool {
        self.0.contains(&*id.unescape())
    }

    /// Copies the ids, so that the conversation can be edited.
    pub(crate) fn into_owned(self) -> IdSet<'static> {
        IdSet(self.0.into_iter().map(|id| Cow::Owned(id.into_owned())).collect())
    }
}

/// The id with which the client wrote a call or a result in the target's dialect.
pub(crate) fn written_id(work: &Work<'_>, block: &Block) -> Option<JsonString> {
    let id = match (as_call(block), as_result(block)) {
        (Some(call), _) => &call.id,
        (_, Some(result)) => &result.call_id,
        (None, None) => return None,
    };
    let id = match block.extras.written(work.profile.dialect) {
        Some(WrittenForm::NoId) => return None,
        Some(WrittenForm::Id(id)) => id,
        _ => id,
    };
    Some(id.clone()).filter(|id| !id.is_empty())
}

/// Whether the client's spelling of a call or a result lacks something that the target requires.
pub(crate) fn has_rejected_spelling(work: &Work<'_>, extras: &Extras) -> bool {
    extras.spellings(work.profile.dialect).intersects(work.profile.calls.rejected_spellings)
}

/// A call that was written without an id, so that no result can refer to it.
pub(crate) const MISSING_IDS: SpellingSet = SpellingSet::new(&[Spelling::NoId, Spelling::EmptyId]);
