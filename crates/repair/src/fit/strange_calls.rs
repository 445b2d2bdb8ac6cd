//! Calls in a message that is not the model's are left out where the target would refuse them.
//!
//! Merged and edited histories put calls into messages of the user, of a tool or of the instructions.
//! Most servers do not look there, or only at whether the calls are whole. Such calls lead to nothing, so
//! they are not mended: where one of them would be refused, all of that message are left out.
//!
//! ## Why
//! > Invalid 'messages\[0\].tool_calls\[0\].function.name': string does not match pattern. Expected a
//! > string that matches the pattern '^[a-zA-Z0-9_-]+$'.
//!
//! > Invalid type for 'messages\[0\].tool_calls': expected an array of objects, but got a string instead.
//!
//! ## Example
//! ```text
//! before   user: "hi" {tool_calls: [{"id": "1", "type": "function", "function": {"name": "a b", …}}]}
//! after    user: "hi"
//! ```

use interlingua_model::{Args, Place};
use interlingua_wire::{Kind, Node, Text};

use crate::look::is_assistants;
use crate::profile::calls::{Arguments, Unique};
use crate::{Profile, Work, pairing};

pub fn apply(work: &mut Work<'_>) {
    if !work.is_own() {
        return;
    }
    let dialect = work.profile.dialect;
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let calls = this.extras.find(dialect, CALLS).filter(|_| !is_assistants(this));
        if calls.is_some_and(|calls| !is_taken(work, turn, calls.doc().root())) {
            let what = "left out calls in a message that is not the model's";
            work.loss(Place::turn(turn), what);
            work.turn(turn).extras.retain(dialect, |key, _| key != CALLS);
        }
    }
}

fn is_taken(work: &Work<'_>, turn: usize, calls: Node<'_>) -> bool {
    let unique = work.profile.calls.unique == Unique::Conversation;
    are_fine(work.profile, calls)
        && !(unique && calls.items().any(|call| is_repeated(work, turn, &id(call))))
}

fn are_fine(profile: &Profile, calls: Node<'_>) -> bool {
    calls.is_array() && calls.items().all(|call| is_fine(profile, call))
}

/// Whether several calls have this id up to this turn, wherever they stand. Calls after it get another.
fn is_repeated(work: &Work<'_>, turn: usize, wanted: &Text) -> bool {
    let dialect = work.profile.dialect;
    let mut count = 0;
    for turn in &work.turns()[..=turn] {
        let blocks = turn.blocks.iter().filter_map(|block| pairing::call(block));
        count += blocks.filter(|call| call.id == *wanted).count();
        if let Some(calls) = turn.extras.find(dialect, CALLS) {
            count += calls.doc().root().items().filter(|call| id(*call) == *wanted).count();
        }
    }
    count > 1
}

/// The ids of the calls in a turn that is not the model's, if nothing else speaks against them.
pub(crate) fn ids_in(work: &Work<'_>, turn: usize) -> Vec<Text> {
    let this = &work.turns()[turn];
    if this.extras.is_empty() || is_assistants(this) || !work.is_own() {
        return Vec::new();
    }
    let Some(calls) = this.extras.find(work.profile.dialect, CALLS) else { return Vec::new() };
    let doc = calls.doc();
    let fine = are_fine(work.profile, doc.root());
    doc.root().items().filter(|_| fine).map(id).collect()
}

fn id(call: Node<'_>) -> Text {
    call.get("id").and_then(Node::text).unwrap_or_default()
}

/// Whether nothing is missed in a call that is written so.
fn is_fine(profile: &Profile, call: Node<'_>) -> bool {
    let lacks = |mark: &str| !profile.calls.complete.contains(&mark);
    let kind = call.get("type");
    let id = match call.get("id") {
        None => lacks("no id"),
        Some(id) if id.is_string() && !id.word().is_empty() => profile.calls.ids.fit(&id.word()),
        Some(_) => lacks("empty id"),
    };
    let freeform = kind.is_some_and(|kind| kind.word() == "custom");
    call.is_object()
        && kind.map_or(lacks("no type"), Node::is_string)
        && id
        && if freeform { is_freeform(profile, call) } else { is_function(profile, call) }
}

fn is_function(profile: &Profile, call: Node<'_>) -> bool {
    let lacks = |mark: &str| !profile.calls.complete.contains(&mark);
    let Some(function) = call.get("function") else {
        return lacks("no tool") && lacks("no arguments");
    };
    let name = match function.get("name") {
        None => lacks("no tool"),
        Some(name) => {
            let word = name.text().unwrap_or_default();
            (name.is_string() || name.is_null()) && profile.tools.called.fit(&word.contents())
        }
    };
    let arguments = match function.get("arguments") {
        None => lacks("no arguments"),
        Some(args) => are_taken(profile, args),
    };
    function.is_object() && name && arguments
}

/// Whether the arguments of a function may stand as they are written.
pub(super) fn are_taken(profile: &Profile, args: Node<'_>) -> bool {
    let lacks = |mark: &str| !profile.calls.complete.contains(&mark);
    match args.kind() {
        Kind::String => is_read(profile.calls.arguments, &args.text().unwrap_or_default()),
        Kind::Null => lacks("null arguments"),
        Kind::Object => lacks("object arguments"),
        Kind::Array | Kind::Number | Kind::Bool => lacks("other arguments"),
    }
}

fn is_read(wanted: Arguments, args: &Text) -> bool {
    match (wanted, Args::from_text(args)) {
        (Arguments::Any, _) | (Arguments::Json | Arguments::JsonOrNothing, Args::Json(_)) => true,
        (Arguments::JsonOrNothing, _) => args.is_empty(),
        (Arguments::Object, Args::Json(json)) => json.is_object(),
        (Arguments::Object | Arguments::Json, _) => false,
    }
}

/// A call that takes free text is whole, where somebody looks for what it is made of.
fn is_freeform(profile: &Profile, call: Node<'_>) -> bool {
    let asks = |mark: &str| profile.calls.complete.contains(&mark);
    let get = |key: &str| call.get("custom").and_then(|custom| custom.get(key)?.text());
    let name = get("name");
    let whole = name.is_some() && get("input").is_some() || !asks("no tool");
    let fits = name.is_none_or(|name| profile.tools.called.fit(&name.contents()));
    whole && fits && call.get("function").is_none()
}

/// The field of a message in which calls stand.
pub(super) const CALLS: &str = "tool_calls";
