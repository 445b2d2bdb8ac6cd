//! Removes calls from messages of other roles than the assistant where the target would reject
//! them.
//!
//! Merged and edited histories put calls into messages of the user, of a tool or of the
//! instructions. Most servers ignore them, or only check that they are complete. Such calls have no
//! effect and are not repaired: where one of them would be rejected, all calls of the message are
//! removed.
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

use interlingua_model::{LedgerPath, ToolArgs};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use crate::look::is_assistant;
use crate::profile::calls::{ArgumentForm, UniqueIds};
use crate::{TargetProfile, Work, pairing};

pub fn apply(work: &mut Work<'_>) {
    if !work.is_same_dialect() {
        return;
    }
    let dialect = work.profile.dialect;
    let mut id_counts = CallIdCounts::default();
    for turn in 0..work.turns().len() {
        let this = &work.turns()[turn];
        let calls = this.extras.get(dialect, CALLS_FIELD).filter(|_| !is_assistant(this)).cloned();
        let Some(calls) = calls else { continue };
        let calls = calls.to_doc();
        if !is_accepted(work, turn, calls.root(), &mut id_counts) {
            let message = "left out calls in a message that is not the assistant's";
            work.record_loss(LedgerPath::turn(turn), message);
            work.edit_turn(turn).extras.retain(dialect, |key, _| key != CALLS_FIELD);
            id_counts.subtract(turn, calls.root());
        }
    }
}

fn is_accepted(
    work: &Work<'_>,
    turn: usize,
    calls: JsonNode<'_>,
    id_counts: &mut CallIdCounts,
) -> bool {
    let unique = work.profile.calls.unique_ids == UniqueIds::Conversation;
    let are_valid = are_calls_valid(work.profile, calls);
    if !are_valid || !unique {
        return are_valid;
    }
    id_counts.scan(work, turn);
    // Duplicate ids of later calls are replaced by another rule.
    !calls
        .items()
        .any(|call| id_counts.ids.get(&*id_of(call).unescape()).is_some_and(|count| *count > 1))
}

/// How many calls have each id, in any message before a turn.
#[derive(Default)]
struct CallIdCounts {
    scanned_turns: usize,
    ids: HashMap<String, usize>,
}

impl CallIdCounts {
    /// Counts up to and including this turn.
    fn scan(&mut self, work: &Work<'_>, turn: usize) {
        for turn in &work.turns()[self.scanned_turns..=turn] {
            let block_ids =
                turn.blocks.iter().filter_map(|block| Some(&pairing::as_call(block)?.id));
            block_ids.for_each(|id| self.add(id));
            if let Some(calls) = turn.extras.get(work.profile.dialect, CALLS_FIELD) {
                calls.to_doc().root().items().for_each(|call| self.add(&id_of(call)));
            }
        }
        self.scanned_turns = turn + 1;
    }

    fn add(&mut self, id: &JsonString) {
        *self.ids.entry(id.unescape().into_owned()).or_default() += 1;
    }

    /// Subtracts the removed calls of this turn.
    fn subtract(&mut self, turn: usize, calls: JsonNode<'_>) {
        for call in calls.items().filter(|_| turn < self.scanned_turns) {
            if let Some(count) = self.ids.get_mut(&*id_of(call).unescape()) {
                *count -= 1;
            }
        }
    }
}

fn are_calls_valid(profile: &TargetProfile, calls: JsonNode<'_>) -> bool {
    calls.is_array() && calls.items().all(|call| is_call_valid(profile, call))
}

/// The ids of calls in a turn that is not the assistant's, if all of them are valid.
pub(crate) fn stray_call_ids(work: &Work<'_>, turn: usize) -> Vec<JsonString> {
    let this = &work.turns()[turn];
    if this.extras.is_empty() || is_assistant(this) || !work.is_same_dialect() {
        return Vec::new();
    }
    let Some(calls) = this.extras.get(work.profile.dialect, CALLS_FIELD) else { return Vec::new() };
    let doc = calls.to_doc();
    let are_valid = are_calls_valid(work.profile, doc.root());
    doc.root().items().filter(|_| are_valid).map(id_of).collect()
}

fn id_of(call: JsonNode<'_>) -> JsonString {
    call.get("id").and_then(JsonNode::json_string).unwrap_or_default()
}

/// Whether the target accepts a call that is written like this.
fn is_call_valid(profile: &TargetProfile, call: JsonNode<'_>) -> bool {
    let allows = |spelling: &str| !profile.calls.rejected_spellings.contains(&spelling);
    let kind = call.get("type");
    let id = match call.get("id") {
        None => allows("no id"),
        Some(id) if id.is_string() && !id.str_or_empty().is_empty() => {
            profile.calls.id_format.accepts(&id.str_or_empty())
        }
        Some(_) => allows("empty id"),
    };
    let freeform = kind.is_some_and(|kind| kind.str_or_empty() == "custom");
    call.is_object()
        && kind.map_or(allows("no type"), JsonNode::is_string)
        && id
        && if freeform {
            is_freeform_valid(profile, call)
        } else {
            is_function_valid(profile, call)
        }
}

fn is_function_valid(profile: &TargetProfile, call: JsonNode<'_>) -> bool {
    let allows = |spelling: &str| !profile.calls.rejected_spellings.contains(&spelling);
    let Some(function) = call.get("function") else {
        return allows("no tool") && allows("no arguments");
    };
    let name = match function.get("name") {
        None => allows("no tool"),
        Some(name) => {
            let text = name.json_string().unwrap_or_default();
            (name.is_string() || name.is_null())
                && profile.tools.called_name_format.accepts(&text.unescape())
        }
    };
    let arguments = match function.get("arguments") {
        None => allows("no arguments"),
        Some(args) => are_arguments_accepted(profile, args),
    };
    function.is_object() && name && arguments
}

/// Whether the target accepts the arguments as they are written.
pub(super) fn are_arguments_accepted(profile: &TargetProfile, args: JsonNode<'_>) -> bool {
    let allows = |spelling: &str| !profile.calls.rejected_spellings.contains(&spelling);
    match args.kind() {
        JsonKind::String => is_argument_text_accepted(
            profile.calls.argument_form,
            &args.json_string().unwrap_or_default(),
        ),
        JsonKind::Null => allows("null arguments"),
        JsonKind::Object => allows("object arguments"),
        JsonKind::Array | JsonKind::Number | JsonKind::Bool => allows("other arguments"),
    }
}

fn is_argument_text_accepted(form: ArgumentForm, args: &JsonString) -> bool {
    match (form, ToolArgs::from_json_string(args)) {
        (ArgumentForm::Any, _)
        | (ArgumentForm::Json | ArgumentForm::JsonOrNothing, ToolArgs::Json(_)) => true,
        (ArgumentForm::JsonOrNothing, _) => args.is_empty(),
        (ArgumentForm::Object, ToolArgs::Json(json)) => json.is_object(),
        (ArgumentForm::Object | ArgumentForm::Json, _) => false,
    }
}

/// Whether a freeform call is complete, where the target checks that.
fn is_freeform_valid(profile: &TargetProfile, call: JsonNode<'_>) -> bool {
    let rejects = |spelling: &str| profile.calls.rejected_spellings.contains(&spelling);
    let get = |key: &str| call.get("custom").and_then(|custom| custom.get(key)?.json_string());
    let name = get("name");
    let is_complete = name.is_some() && get("input").is_some() || !rejects("no tool");
    let is_name_accepted =
        name.is_none_or(|name| profile.tools.called_name_format.accepts(&name.unescape()));
    is_complete && is_name_accepted && call.get("function").is_none()
}

/// The field of a message that holds calls.
pub(super) const CALLS_FIELD: &str = "tool_calls";
