//! Marks among the extras of a block, for what is missing in how it was written. Their value is null:
//! they say nothing to anybody else. That of an unknown role is the role.

use interlingua_model::Extras;
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text};

use super::ID;

pub(super) const NO_ID: &str = "no id";
/// A call's id is there, but empty.
pub(super) const EMPTY_ID: &str = "empty id";
pub(super) const NO_TYPE: &str = "no type";
/// A call does not name a tool, or not where its type says.
pub(super) const NO_TOOL: &str = "no tool";
pub(super) const NO_ARGUMENTS: &str = "no arguments";
pub(super) const NULL_ARGUMENTS: &str = "null arguments";
pub(super) const OBJECT_ARGUMENTS: &str = "object arguments";
pub(super) const OTHER_ARGUMENTS: &str = "other arguments";
/// A result does not say which call it answers.
pub(super) const NO_CALL: &str = "no call";
/// A result says that it answers the call of no name.
pub(super) const EMPTY_CALL: &str = "empty call";
pub(super) const NULL_CALL: &str = "null call";
/// A call or a result is written in the old way, without ids.
pub(super) const LEGACY: &str = "legacy form";
/// A result that is written in the old way does not say of which tool.
pub(super) const NO_NAME: &str = "no name";
/// A list of calls is there, and empty.
pub(super) const EMPTY_CALLS: &str = "empty calls";
/// A message says that it is of somebody whom nobody knows.
pub(super) const UNKNOWN_ROLE: &str = "unknown role";

/// Marks that a field is there whose meaning the model holds elsewhere: some servers do not know it.
pub(super) fn hold(extras: &mut Extras, field: &str) {
    let usual = USUAL.iter().find(|mark| mark.strip_prefix(HELD) == Some(field));
    let mark = usual.map_or_else(|| Text::new(&format!("{HELD}{field}")), |mark| Text::word(mark));
    extras.put(ID, mark, Json::NULL);
}

/// Marks that a block is written as a part of a kind that not every server knows.
pub(super) fn part(extras: &mut Extras, kind: &str) {
    extras.put(ID, Text::new(&format!("{PART}{kind}")), Json::NULL);
}

/// Writes extras, and no marks.
pub(super) fn write_unmarked(extras: &Extras, o: &mut Object<'_>) {
    for (key, value) in extras.of(ID).iter().filter(|(key, _)| !is(key)) {
        o.key_text(key).json(value);
    }
}

/// Whether a call or a result is written in the old way.
pub(super) fn is_legacy(extras: &Extras) -> bool {
    !extras.is_empty() && extras.find(ID, LEGACY).is_some()
}

/// The role of somebody whom nobody knows, where the target takes that: a rule takes it away elsewhere.
pub(super) fn stranger(extras: &Extras) -> Option<Text> {
    if extras.is_empty() { None } else { extras.find(ID, UNKNOWN_ROLE)?.text() }
}

/// Whether a key among extras is such a mark.
pub(super) fn is(key: &Text) -> bool {
    let raw = key.raw();
    ALL.iter().any(|mark| *key == **mark) || raw.starts_with(HELD) || raw.starts_with(PART)
}

/// How the marks of fields begin that are held elsewhere.
const HELD: &str = "held ";
/// Marks of fields that most servers write.
const USUAL: &[&str] =
    &["held refusal", "held annotations", "held tool_calls", "held function_call"];
/// How the marks of parts begin.
const PART: &str = "part ";

const ALL: &[&str] = &[
    NO_ID,
    EMPTY_ID,
    NO_TYPE,
    NO_TOOL,
    NO_ARGUMENTS,
    NULL_ARGUMENTS,
    OBJECT_ARGUMENTS,
    OTHER_ARGUMENTS,
    NO_CALL,
    EMPTY_CALL,
    NULL_CALL,
    LEGACY,
    NO_NAME,
    EMPTY_CALLS,
    UNKNOWN_ROLE,
];

/// Fields that the model holds in blocks, and that not every server knows.
pub(super) const FIELDS: &[&str] =
    &["refusal", "function_call", "thinking_blocks", "annotations", "images", "extra_content"];
