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

use std::collections::HashMap;

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
    let mut seen = Seen::default();
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let calls = this.extras.find(dialect, CALLS).filter(|_| !is_assistants(this)).cloned();
        let Some(calls) = calls else { continue };
        let calls = calls.doc();
        if !is_taken(work, turn, calls.root(), &mut seen) {
            let what = "left out calls in a message that is not the model's";
            work.loss(Place::turn(turn), what);
            work.turn(turn).extras.retain(dialect, |key, _| key != CALLS);
            seen.forget(turn, calls.root());
        }
    }
}

fn is_taken(work: &Work<'_>, turn: usize, calls: Node<'_>, seen: &mut Seen) -> bool {
    let unique = work.profile.calls.unique == Unique::Conversation;
    let fine = are_fine(work.profile, calls);
    if !fine || !unique {
        return fine;
    }
    seen.look(work, turn);
    // Calls after it get another id.
    !calls.items().any(|call| seen.ids.get(&*id(call).contents()).is_some_and(|count| *count > 1))
}

/// How many calls have an id, wherever they stand, in the turns before some turn.
#[derive(Default)]
struct Seen {
    looked: usize,
    ids: HashMap<String, usize>,
}

impl Seen {
    /// Counts up to this turn, and with it.
    fn look(&mut self, work: &Work<'_>, turn: usize) {
        for turn in &work.turns()[self.looked..=turn] {
            let own = turn.blocks.iter().filter_map(|block| Some(&pairing::call(block)?.id));
            own.for_each(|id| self.add(id));
            if let Some(calls) = turn.extras.find(work.profile.dialect, CALLS) {
                calls.doc().root().items().for_each(|call| self.add(&id(call)));
            }
        }
        self.looked = turn + 1;
    }

    fn add(&mut self, id: &Text) {
        *self.ids.entry(id.contents().into_owned()).or_default() += 1;
    }

    /// Calls of this turn are gone.
    fn forget(&mut self, turn: usize, calls: Node<'_>) {
        for call in calls.items().filter(|_| turn < self.looked) {
            if let Some(count) = self.ids.get_mut(&*id(call).contents()) {
                *count -= 1;
            }
        }
    }
}

fn are_fine(profile: &Profile, calls: Node<'_>) -> bool {
    calls.is_array() && calls.items().all(|call| is_fine(profile, call))
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
