//! Detects conversations that the provider stores, and calls without written ids.

use std::collections::HashSet;

use interlingua_model::TopLevelField;

use crate::engine::Work;
use crate::query::call_ids::{MISSING_IDS, has_rejected_spelling};
use crate::query::rounds::Round;
use crate::shape::Verdict;
use crate::values::block::BlockPos;

/// Whether the provider stores the turns before this round, and with them the calls that are
/// answered here.
pub(crate) fn are_calls_stored_by_provider(work: &Work<'_>, round: &Round) -> bool {
    round.assistant_turns.is_empty()
        && round.assistant_turns.start == 0
        && continues_stored_conversation(work)
}

/// Whether this conversation continues one that the provider stores.
pub(crate) fn continues_stored_conversation(work: &Work<'_>) -> bool {
    let checker = work.profile.shape_checker();
    // Fields with an invalid value are dropped, so they do not count.
    let is_sent = |field: &&TopLevelField| {
        work.profile.fields.body_fields.is_none_or(|fields| {
            let fields = checker.find_field(fields, &field.key.unescape());
            fields.is_some_and(|fields| checker.check(&field.value, fields.shape) != Verdict::Drop)
        })
    };
    let is_set = |(key, kind): &(&str, Option<&str>)| {
        let field = work.conversation().top_level_fields.iter().find(|field| field.key == **key);
        field.filter(is_sent).is_some_and(|field| {
            let doc = field.value.to_doc();
            match kind {
                Some(kind) => {
                    doc.root().get("type").is_some_and(|node| node.str_or_empty() == *kind)
                }
                None => !doc.root().is_null(),
            }
        })
    };
    work.is_same_dialect() && work.profile.calls.stored_state_fields.iter().any(is_set)
}

/// Whether the client wrote the call without an id, which the target accepts: results cannot refer
/// to it.
pub(crate) fn has_no_written_id(work: &Work<'_>, (turn, at): BlockPos) -> bool {
    let extras = &work.block(turn, at).extras;
    extras.spellings(work.profile.dialect).intersects(MISSING_IDS)
        && !has_rejected_spelling(work, extras)
}

pub(crate) fn has_duplicate_results(work: &Work<'_>, round: &Round) -> bool {
    let mut call_ids = HashSet::new();
    round.results(work).any(|(_, result)| !call_ids.insert(result.call_id.unescape()))
}

/// Whether the provider does not store the conversation.
pub(crate) fn is_stateless(work: &Work<'_>) -> bool {
    let requested = work.conversation().settings.store;
    work.profile.settings.required_store.or(requested) == Some(false)
}

/// An item that consists only of an id.
pub(crate) const ITEM_REFERENCE: &str = "item_reference";
