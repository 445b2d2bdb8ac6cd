//! Notes unknown fields and invalid values of a stored conversation, so that nothing is lost
//! silently.

use interlingua_model::{
    BlockContent, Ledger, LedgerPath, MediaSource, Spelling, ToolArgs, WrittenForm,
};
use interlingua_wire::{JsonNode, RawJson};

use crate::native::enum_names;
use crate::note;

pub(super) fn note_unknown_fields(
    node: JsonNode<'_>,
    known: &[&str],
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if !node.is_object() {
        ledger.record_loss(note::ODD_INPUT, path, "left out a value that is not an object");
    }
    for field in node.fields().filter(|field| !known.contains(&&*field.key())) {
        if !field.value.is_null() {
            let message = format!("`{}` is unknown", field.key());
            ledger.record_loss(note::ODD_INPUT, path, message);
        }
    }
}

/// Notes the fields with a value of the wrong type.
pub(super) fn note_invalid_values<'d>(
    node: JsonNode<'d>,
    keys: &[&str],
    is_valid: impl Fn(JsonNode<'d>) -> bool,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    for (key, value) in keys.iter().filter_map(|key| Some((key, node.get(key)?))) {
        if !value.is_null() && !is_valid(value) {
            ledger.record_loss(
                note::ODD_INPUT,
                path,
                format!("left out `{key}`: its value is invalid"),
            );
        }
    }
}

/// Checks a block and its content.
pub(super) fn check_block(node: JsonNode<'_>, body: &BlockContent, ledger: &mut Ledger) {
    let (key, known_inner): (&str, &[&str]) = match body {
        BlockContent::Text { .. } => ("text", &[]),
        BlockContent::Refusal(_) => ("refusal", &[]),
        BlockContent::Reasoning(_) => ("thinking", &[]),
        BlockContent::Json(_) => ("data", &[]),
        BlockContent::ToolCall(call) => match call.args {
            ToolArgs::Json(_) => ("call", &["id", "name", "args"]),
            ToolArgs::Freeform(_) => ("call", &["id", "name", "freeform"]),
            ToolArgs::Malformed(_) => ("call", &["id", "name", "malformed"]),
        },
        BlockContent::ToolResult(_) => ("result", &["call", "name", "content", "is_error"]),
        BlockContent::Media(media) => {
            let kind_name = enum_names::name_of(enum_names::MEDIA_KINDS, media.kind);
            match media.source {
                MediaSource::Base64 { .. } => (kind_name, &["base64", "mime", "name", "detail"]),
                MediaSource::Url { .. } => (kind_name, &["url", "mime", "name", "detail"]),
                MediaSource::File { .. } => (kind_name, &["file", "mime", "name", "detail"]),
                MediaSource::Blocks(_) => (kind_name, &["blocks", "mime", "name", "detail"]),
                MediaSource::Text(_) => (kind_name, &["plain", "mime", "name", "detail"]),
            }
        }
        // A foreign block is kept unchanged.
        BlockContent::Foreign { .. } => return,
    };
    let path = LedgerPath::block(0, 0);
    let second_key = match body {
        BlockContent::Text { .. } => "citations",
        BlockContent::Reasoning(_) => "form",
        _ => key,
    };
    let known: Vec<&str> = [key, second_key, "seal"].into_iter().chain(COMMON_KEYS).collect();
    note_unknown_fields(node, &known, path, ledger);
    note_invalid_values(node, &["citations"], JsonNode::is_array, path, ledger);
    let is_form = |form| enum_names::parse_name(enum_names::REASONING_FORMS, Some(form)).is_some();
    note_invalid_values(node, &["form"], is_form, path, ledger);
    check_object(node, "seal", &["issuer", "model", "data", "id"], path, ledger);
    check_common_fields(node, path, ledger);
    let Some(inner) = node.get(key).filter(|_| !known_inner.is_empty()) else { return };
    note_unknown_fields(inner, known_inner, path, ledger);
    match body {
        BlockContent::ToolResult(_) => {
            note_invalid_values(inner, &["name"], JsonNode::is_string, path, ledger);
            note_invalid_values(inner, &["is_error"], is_boolean, path, ledger);
        }
        BlockContent::Media(_) => {
            note_invalid_values(
                inner,
                &["mime", "name", "detail"],
                JsonNode::is_string,
                path,
                ledger,
            );
        }
        _ => {}
    }
}

/// Checks a turn, without its blocks.
pub(super) fn check_turn(node: JsonNode<'_>, ledger: &mut Ledger) {
    let path = LedgerPath::turn(0);
    note_unknown_fields(node, TURN_KEYS, path, ledger);
    let is_role = |role| enum_names::parse_name(enum_names::ROLES, Some(role)).is_some();
    note_invalid_values(node, &["role"], is_role, path, ledger);
    check_common_fields(node, path, ledger);
}

/// Checks the fields that blocks, turns and tools share.
pub(super) fn check_common_fields(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) {
    check_object(node, "cache", &["ttl"], path, ledger);
    note_invalid_values(node, &["raw"], |_| false, path, ledger);
    note_invalid_values(node, &["extras", "remembered"], JsonNode::is_object, path, ledger);
    let is_dialect = |name: JsonNode<'_>| enum_names::find_dialect(&name.str_or_empty()).is_some();
    note_invalid_values(node, &["extras_of"], is_dialect, path, ledger);
    for field in node.get("remembered").into_iter().flat_map(JsonNode::fields) {
        let is_known = |name: JsonNode<'_>| {
            name.json_string().is_some_and(|name| {
                Spelling::from_name(&name.unescape()).is_some()
                    || WrittenForm::from_named(&name, &RawJson::NULL).is_some()
            })
        };
        let is_valid = field.value.is_array() && field.value.items().all(is_known);
        if enum_names::find_dialect(&field.key()).is_none() || !is_valid {
            let message = format!("the spellings of `{}` are not decoded", field.key());
            ledger.record_loss(note::ODD_INPUT, path, message);
        }
    }
}

/// Checks the body.
pub(crate) fn check_body(root: JsonNode<'_>, known: &[&str], ledger: &mut Ledger) {
    let path = LedgerPath::BODY;
    note_unknown_fields(root, known, path, ledger);
    note_invalid_values(root, &["model"], JsonNode::is_string, path, ledger);
    note_invalid_values(root, &["fields"], JsonNode::is_array, path, ledger);
    let is_dialect = |name: JsonNode<'_>| enum_names::find_dialect(&name.str_or_empty()).is_some();
    note_invalid_values(root, &["source"], is_dialect, path, ledger);
    note_invalid_values(root, &["interlingua"], |version| version.as_u64().is_some(), path, ledger);
    for field in root.get("fields").into_iter().flat_map(JsonNode::items) {
        if field.get("key").and_then(JsonNode::json_string).is_none() {
            ledger.record_loss(note::ODD_INPUT, path, "left out a field without a key");
        }
    }
}

fn check_object(
    node: JsonNode<'_>,
    key: &str,
    known: &[&str],
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if let Some(inner) = node.get(key).filter(|inner| !inner.is_null()) {
        note_unknown_fields(inner, known, path, ledger);
    }
}

pub(super) fn is_boolean(node: JsonNode<'_>) -> bool {
    node.as_bool().is_some()
}

/// The keys that blocks, turns and tools share.
pub(super) const COMMON_KEYS: [&str; 5] = ["cache", "extras", "extras_of", "remembered", "raw"];
const TURN_KEYS: &[&str] = &["role", "blocks", "extras", "extras_of", "remembered", "raw"];
