//! Writes a missing or unknown role as one that the target accepts.
//!
//! ## Why
//! > Please use a valid role: user, model.
//!
//! > Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool',
//! > and 'developer'.
//!
//! ## Example
//! ```text
//! before   (no role): "hi"
//! after    user: "hi"
//! ```

use interlingua_model::{Block, LedgerPath, Verbatim};
use interlingua_wire::JsonNode;

use crate::engine::{Feature, Work};
use crate::values::block::has_unknown_role;

pub(super) fn apply(work: &mut Work<'_>) {
    if let Some(accepts) = work.profile.fields.accepts_item.filter(|_| work.is_same_dialect()) {
        rewrite_unreadable(work, accepts);
    }
    if work.has(Feature::Extras) {
        drop_unknown_roles(work);
    }
    if work.profile.roles.role_names.is_empty() || !work.is_same_dialect() {
        return;
    }
    for turn in 0..work.turns().len() {
        if !has_known_role(work, turn) {
            work.record_change(
                LedgerPath::turn(turn),
                "the turn had no role that the target knows",
            );
            work.discard_turn_text(turn);
        }
    }
}

/// Rewrites turns of a type that the target cannot determine.
fn rewrite_unreadable(work: &mut Work<'_>, accepts: fn(JsonNode<'_>) -> bool) {
    for turn in 0..work.turns().len() {
        let text = work.turns()[turn].text_for(work.profile.dialect);
        if text.is_some_and(|text| text.is_object() && !accepts(text.to_doc().root())) {
            work.record_change(
                LedgerPath::turn(turn),
                "the turn had no type that the target knows",
            );
            work.discard_turn_text(turn);
        }
        // The target treats every item with a role as a message; no other item is encoded with one.
        let dialect = work.profile.dialect;
        let has_role = |block: &Verbatim<Block>| block.extras.get(dialect, "role").is_some();
        let is_reencoded = work.turns()[turn].text_for(dialect).is_none();
        if is_reencoded && work.blocks(turn).iter().any(has_role) {
            for block in &mut work.edit_turn(turn).blocks {
                block.edit().extras.retain(dialect, |key, _| key != "role");
            }
        }
    }
}

/// Drops unknown roles; the turn keeps the role that the decoder chose by its content.
fn drop_unknown_roles(work: &mut Work<'_>) {
    if work.is_same_dialect() && work.profile.roles.accepts_any_role {
        return;
    }
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let Some(dialect) = this.extras.dialect().filter(|_| has_unknown_role(this)) else {
            continue;
        };
        work.record_change(
            LedgerPath::turn(turn),
            "replaced an unknown role by the one that fits the content",
        );
        work.edit_turn(turn).extras.remove_written(dialect);
    }
}

/// Whether the turn's verbatim text has a known role. Clients write the role first or last, so both
/// ends are checked before the text is parsed.
fn has_known_role(work: &Work<'_>, turn: usize) -> bool {
    let Some(text) = work.turns()[turn].text_for(work.profile.dialect) else { return true };
    let role_names = work.profile.roles.role_names;
    let (start, end) = (text.as_str().trim_start_matches(OPENING), text.as_str());
    let end = end.trim_end_matches(CLOSING);
    let first = start.strip_prefix(ROLE_KEY).map(|rest| rest.trim_start_matches(COLON));
    let is_first =
        |word: &&str| first.is_some_and(|rest| is_quoted(rest.get(..word.len() + 2), word));
    let is_last = |word: &&str| {
        let at = end.len().checked_sub(word.len() + 2);
        let before = at.and_then(|at| end.get(..at)).map(|before| before.trim_end_matches(COLON));
        is_quoted(at.and_then(|at| end.get(at..)), word)
            && before.is_some_and(|before| before.ends_with(ROLE_KEY))
            && text.as_str().len() - end.len() == 1
    };
    role_names.iter().any(is_first) || role_names.iter().any(is_last) || {
        let doc = text.to_doc();
        doc.root().get("role").is_some_and(|role| role_names.contains(&&*role.str_or_empty()))
    }
}

/// Whether the text is the word in quotes.
fn is_quoted(text: Option<&str>, word: &str) -> bool {
    let within =
        text.and_then(|text| text.strip_prefix('"')).and_then(|text| text.strip_suffix('"'));
    within == Some(word)
}

const ROLE_KEY: &str = "\"role\"";
const OPENING: [char; 5] = ['{', ' ', '\n', '\r', '\t'];
const CLOSING: [char; 1] = ['}'];
const COLON: [char; 2] = [':', ' '];
