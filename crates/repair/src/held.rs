//! What stands for what a conversation does not say: what the provider holds of it, and ids that nobody wrote.

use std::collections::HashSet;

use interlingua_model::TopField;

use crate::Work;
use crate::pairing::{Round, Spot, crosses, is_incomplete};
use crate::shape::Fit;

/// The provider holds what came before this round, and with it the calls that are answered here.
pub(crate) fn is_held(work: &Work<'_>, round: &Round) -> bool {
    round.speech.is_empty() && round.speech.start == 0 && continues(work)
}

/// Whether the provider holds a conversation that this one goes on from.
pub fn continues(work: &Work<'_>) -> bool {
    let reading = work.profile.reading();
    // What is not as it should be does not leave.
    let goes = |field: &&TopField| {
        work.profile.fields.body.is_none_or(|known| {
            let known = reading.find(known, &field.key.contents());
            known.is_some_and(|known| reading.fit(&field.value, known.kind) != Fit::Drop)
        })
    };
    let held = |(key, kind): &(&str, Option<&str>)| {
        let field = work.conversation().fields.iter().find(|field| field.key == **key);
        field.filter(goes).is_some_and(|field| {
            let doc = field.value.doc();
            match kind {
                Some(kind) => doc.root().get("type").is_some_and(|node| node.word() == *kind),
                None => !doc.root().is_null(),
            }
        })
    };
    !crosses(work) && work.profile.calls.continues.iter().any(held)
}

/// Whether a call was written without an id, which the target takes: what names no call answers it.
pub(crate) fn is_nameless(work: &Work<'_>, (turn, at): Spot) -> bool {
    let extras = &work.block(turn, at).extras;
    let marked = |mark: &&str| extras.find(work.profile.dialect, mark).is_some();
    !extras.is_empty() && NAMELESS.iter().any(marked) && !is_incomplete(work, extras)
}

/// What a call that was written without an id has among its extras.
const NAMELESS: &[&str] = &["no id", "empty id"];

/// Whether two results are of one id.
pub(crate) fn repeats(work: &Work<'_>, round: &Round) -> bool {
    let mut seen = HashSet::new();
    round.results(work).any(|(_, result)| !seen.insert(result.call.contents()))
}
