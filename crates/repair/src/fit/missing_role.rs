//! A turn says whose it is where the target insists on it, in a word that the target knows.
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

use interlingua_model::{Block, Place, Verbatim};
use interlingua_wire::Node;

use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    if let Some(takes) = work.profile.fields.takes.filter(|_| work.is_own()) {
        untaken(work, takes);
    }
    if work.holds(About::Extras) {
        unknown(work);
    }
    if work.profile.roles.named.is_empty() || !work.is_own() {
        return;
    }
    for turn in 0..work.turns().len() {
        if !is_named(work, turn) {
            work.change(Place::turn(turn), "the turn did not say whose it is");
            work.turn(turn);
        }
    }
}

/// Turns of which the target cannot tell what they are.
fn untaken(work: &mut Work<'_>, takes: fn(Node<'_>) -> bool) {
    for turn in 0..work.turns().len() {
        let text = work.turns()[turn].text_for(work.profile.dialect);
        if text.is_some_and(|text| text.is_object() && !takes(text.doc().root())) {
            work.change(Place::turn(turn), "the turn did not say what it is");
            work.turn(turn);
        }
        // Whoever has a role is taken to speak: no item that is written anew has one.
        let dialect = work.profile.dialect;
        let has_role = |block: &Verbatim<Block>| block.extras.find(dialect, "role").is_some();
        let anew = work.turns()[turn].text_for(dialect).is_none();
        if anew && work.blocks(turn).iter().any(has_role) {
            for block in &mut work.turn(turn).blocks {
                block.edit().extras.retain(dialect, |key, _| key != "role");
            }
        }
    }
}

/// Whoever is not known is who the rest of the turn suggests.
fn unknown(work: &mut Work<'_>) {
    if work.is_own() && work.profile.roles.anybody {
        return;
    }
    for turn in 0..work.turns().len() {
        let extras = &work.turns()[turn].extras;
        let Some((dialect, _)) = extras.all() else { continue };
        if extras.find(dialect, UNKNOWN).is_some() {
            work.change(
                Place::turn(turn),
                "a turn of somebody unknown is read as the rest of it suggests",
            );
            work.turn(turn).extras.retain(dialect, |key, _| key != UNKNOWN);
        }
    }
}

/// Clients write the role first or last, so that most turns need not be read again.
fn is_named(work: &Work<'_>, turn: usize) -> bool {
    let Some(text) = work.turns()[turn].text_for(work.profile.dialect) else { return true };
    let words = work.profile.roles.named;
    let (start, end) = (text.as_str().trim_start_matches(OPENING), text.as_str());
    let end = end.trim_end_matches(CLOSING);
    let first = start.strip_prefix(KEY).map(|rest| rest.trim_start_matches(COLON));
    let is_first = |word: &&str| first.is_some_and(|rest| quotes(rest.get(..word.len() + 2), word));
    let is_last = |word: &&str| {
        let at = end.len().checked_sub(word.len() + 2);
        let before = at.and_then(|at| end.get(..at)).map(|before| before.trim_end_matches(COLON));
        quotes(at.and_then(|at| end.get(at..)), word)
            && before.is_some_and(|before| before.ends_with(KEY))
            && text.as_str().len() - end.len() == 1
    };
    words.iter().any(is_first) || words.iter().any(is_last) || {
        let doc = text.doc();
        doc.root().get("role").is_some_and(|role| words.contains(&&*role.word()))
    }
}

/// Whether it is the word in quotes.
fn quotes(text: Option<&str>, word: &str) -> bool {
    let within =
        text.and_then(|text| text.strip_prefix('"')).and_then(|text| text.strip_suffix('"'));
    within == Some(word)
}

/// What a turn of somebody unknown has among its extras.
pub const UNKNOWN: &str = "unknown role";
const KEY: &str = "\"role\"";
const OPENING: [char; 5] = ['{', ' ', '\n', '\r', '\t'];
const CLOSING: [char; 1] = ['}'];
const COLON: [char; 2] = [':', ' '];
