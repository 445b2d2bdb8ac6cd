//! Spelling markers: extras keys that record how a message was written, such as a missing field.
//! Their value is null, except an unknown role, so that they have no effect in other dialects.

use interlingua_model::Extras;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonString, RawJson};

use super::id::ID;

pub(super) const NO_ID: &str = "no id";
/// The call's id is empty.
pub(super) const EMPTY_ID: &str = "empty id";
pub(super) const NO_TYPE: &str = "no type";
/// The call does not name a tool, or not in the object that its type requires.
pub(super) const NO_TOOL_NAME: &str = "no tool";
pub(super) const NO_ARGUMENTS: &str = "no arguments";
pub(super) const NULL_ARGUMENTS: &str = "null arguments";
pub(super) const OBJECT_ARGUMENTS: &str = "object arguments";
pub(super) const OTHER_ARGUMENTS: &str = "other arguments";
/// The result has no `tool_call_id`.
pub(super) const NO_TOOL_CALL_ID: &str = "no call";
/// The result has an empty `tool_call_id`.
pub(super) const EMPTY_TOOL_CALL_ID: &str = "empty call";
pub(super) const NULL_TOOL_CALL_ID: &str = "null call";
/// A call or a result in the legacy form without ids.
pub(super) const LEGACY_FORM: &str = "legacy form";
/// A legacy result without the tool's name.
pub(super) const NO_NAME: &str = "no name";
/// `tool_calls` is an empty list.
pub(super) const EMPTY_TOOL_CALLS: &str = "empty calls";
/// The message has an unknown role.
pub(super) const UNKNOWN_ROLE: &str = "unknown role";

/// Marks a field with a value that the model holds elsewhere: some servers do not accept it.
pub(super) fn mark_field(extras: &mut Extras, field: &str) {
    let common_marker =
        COMMON_FIELD_MARKERS.iter().find(|marker| marker.strip_prefix(FIELD_PREFIX) == Some(field));
    let marker = common_marker.map_or_else(
        || JsonString::new(&format!("{FIELD_PREFIX}{field}")),
        |marker| JsonString::from_static(marker),
    );
    extras.push(ID, marker, RawJson::NULL);
}

/// Marks a block that was written as a part type which not every server has.
pub(super) fn mark_part_type(extras: &mut Extras, kind: &str) {
    extras.push(ID, JsonString::new(&format!("{PART_PREFIX}{kind}")), RawJson::NULL);
}

/// Writes the extras without the markers.
pub(super) fn write_unmarked_extras(extras: &Extras, o: &mut ObjectWriter<'_>) {
    for (key, value) in extras.fields_for(ID).iter().filter(|(key, _)| !is_marker(key)) {
        o.key_json_string(key).json(value);
    }
}

/// Returns whether a call or a result has the legacy form.
pub(super) fn is_legacy(extras: &Extras) -> bool {
    !extras.is_empty() && extras.get(ID, LEGACY_FORM).is_some()
}

/// The unknown role of a turn. If the target does not accept it, a repair rule has removed it.
pub(super) fn unknown_role(extras: &Extras) -> Option<JsonString> {
    if extras.is_empty() { None } else { extras.get(ID, UNKNOWN_ROLE)?.json_string() }
}

pub(super) fn is_marker(key: &JsonString) -> bool {
    let raw = key.raw();
    ALL_MARKERS.iter().any(|marker| *key == **marker)
        || raw.starts_with(FIELD_PREFIX)
        || raw.starts_with(PART_PREFIX)
}

/// Prefix of markers for fields that the model holds elsewhere.
const FIELD_PREFIX: &str = "held ";
/// Field markers that are used often, as constants.
const COMMON_FIELD_MARKERS: &[&str] =
    &["held refusal", "held annotations", "held tool_calls", "held function_call"];
/// Prefix of markers for part types.
const PART_PREFIX: &str = "part ";

const ALL_MARKERS: &[&str] = &[
    NO_ID,
    EMPTY_ID,
    NO_TYPE,
    NO_TOOL_NAME,
    NO_ARGUMENTS,
    NULL_ARGUMENTS,
    OBJECT_ARGUMENTS,
    OTHER_ARGUMENTS,
    NO_TOOL_CALL_ID,
    EMPTY_TOOL_CALL_ID,
    NULL_TOOL_CALL_ID,
    LEGACY_FORM,
    NO_NAME,
    EMPTY_TOOL_CALLS,
    UNKNOWN_ROLE,
];

/// Fields that the model holds in blocks, and that not every server has.
pub(super) const MARKED_FIELDS: &[&str] =
    &["refusal", "function_call", "thinking_blocks", "annotations", "images", "extra_content"];
