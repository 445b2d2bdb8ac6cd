//! Checks calls in messages that are not the assistant's, as the client wrote them.

use interlingua_model::{Spelling, ToolArgs};
use interlingua_providers::profile::calls::ArgumentForm;
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use crate::engine::Work;
use crate::profile::TargetProfile;
use crate::values::block::is_assistant;

pub(crate) fn are_calls_valid(profile: &TargetProfile, calls: JsonNode<'_>) -> bool {
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

pub(crate) fn id_of(call: JsonNode<'_>) -> JsonString {
    call.get("id").and_then(JsonNode::json_string).unwrap_or_default()
}

/// Whether the target accepts a call that is written like this.
fn is_call_valid(profile: &TargetProfile, call: JsonNode<'_>) -> bool {
    let allows = |spelling| !profile.calls.rejected_spellings.contains(spelling);
    let kind = call.get("type");
    let id = match call.get("id") {
        None => allows(Spelling::NoId),
        Some(id) if id.is_string() && !id.str_or_empty().is_empty() => {
            profile.calls.id_format.accepts(&id.str_or_empty())
        }
        Some(_) => allows(Spelling::EmptyId),
    };
    let freeform = kind.is_some_and(|kind| kind.str_or_empty() == "custom");
    call.is_object()
        && kind.map_or(allows(Spelling::NoType), JsonNode::is_string)
        && id
        && if freeform {
            is_freeform_valid(profile, call)
        } else {
            is_function_valid(profile, call)
        }
}

fn is_function_valid(profile: &TargetProfile, call: JsonNode<'_>) -> bool {
    let allows = |spelling| !profile.calls.rejected_spellings.contains(spelling);
    let Some(function) = call.get("function") else {
        return allows(Spelling::NoToolName) && allows(Spelling::NoArguments);
    };
    let name = match function.get("name") {
        None => allows(Spelling::NoToolName),
        Some(name) => {
            let text = name.json_string().unwrap_or_default();
            (name.is_string() || name.is_null())
                && profile.tools.called_name_format.accepts(&text.unescape())
        }
    };
    let arguments = match function.get("arguments") {
        None => allows(Spelling::NoArguments),
        Some(args) => are_arguments_accepted(profile, args),
    };
    function.is_object() && name && arguments
}

/// Whether the target accepts the arguments as they are written.
pub(crate) fn are_arguments_accepted(profile: &TargetProfile, args: JsonNode<'_>) -> bool {
    let allows = |spelling| !profile.calls.rejected_spellings.contains(spelling);
    match args.kind() {
        JsonKind::String => is_argument_text_accepted(
            profile.calls.argument_form,
            &args.json_string().unwrap_or_default(),
        ),
        JsonKind::Null => allows(Spelling::NullArguments),
        JsonKind::Object => allows(Spelling::ObjectArguments),
        JsonKind::Array | JsonKind::Number | JsonKind::Bool => allows(Spelling::OtherArguments),
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
    let get = |key: &str| call.get("custom").and_then(|custom| custom.get(key)?.json_string());
    let name = get("name");
    let is_complete = name.is_some() && get("input").is_some()
        || !profile.calls.rejected_spellings.contains(Spelling::NoToolName);
    let is_name_accepted =
        name.is_none_or(|name| profile.tools.called_name_format.accepts(&name.unescape()));
    is_complete && is_name_accepted && call.get("function").is_none()
}

/// The field of a message that holds calls.
pub(crate) const CALLS_FIELD: &str = "tool_calls";
