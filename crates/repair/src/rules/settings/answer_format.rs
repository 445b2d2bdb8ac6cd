//! Requests JSON answers in a way that the target supports.
//!
//! JSON without a schema becomes a schema that allows any object where the target requires the word
//! "json" in the conversation and it is missing, or where the target has no such mode. Where the
//! target has no setting for JSON at all, JSON is requested in the instructions; so is a schema
//! where the target only supports JSON without one. JSON that the target cannot combine with tools
//! is removed; JSON that it cannot combine with reasoning turns reasoning off.
//!
//! ## Why
//! > 'messages' must contain the word 'json' in some form, to use 'response_format' of type
//! > 'json_object'.
//!
//! > Function calling with a response mime type: 'application/json' is unsupported
//!
//! > This response_format type is unavailable now
//!
//! ## Example
//! ```text
//! before   answer: any JSON               user: "list the files"
//! after    answer: JSON of any object     user: "list the files"
//! ```

use interlingua_model::{LedgerPath, ResponseFormat};
use interlingua_providers::profile::settings::ResponseFormatSupport;
use interlingua_wire::{JsonString, RawJson};

use crate::edit::reasoning_settings::turn_off_reasoning;
use crate::engine::Work;
use crate::query::json_word::cannot_request_json;
use crate::schema::close_objects;

pub(super) fn apply(work: &mut Work<'_>) {
    let support = work.profile.settings.response_format;
    let Some(format) = &work.conversation().settings.response_format else { return };
    let is_json = *format == ResponseFormat::Json;
    // Where the target closes all objects, a schema of any object means the same as JSON without a
    // schema.
    let allows_any_object = |schema: &RawJson| close_objects::is_any_object(schema.to_doc().root());
    let is_any = support.closed_objects
        && !work.is_same_dialect()
        && matches!(format, ResponseFormat::Schema { schema, .. } if allows_any_object(schema));
    let is_invalid = |schema: &RawJson| !work.is_same_dialect() && !schema.is_object();
    if matches!(format, ResponseFormat::Schema { schema, .. } if is_invalid(schema)) {
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out the answer format: its schema is no object",
        );
        work.edit_settings().response_format = None;
        return;
    }
    let conflicts_with_tools = !support.json_with_tools && !work.conversation().tools.is_empty();
    if *format != ResponseFormat::Text && conflicts_with_tools && is_json_requested(work) {
        work.record_loss(
            LedgerPath::SETTINGS,
            "left out the answer format: the target cannot combine it with tools",
        );
        work.edit_settings().response_format = None;
        return;
    }
    if let ResponseFormat::Schema { schema, .. } = format
        && !has_schema_setting(work, &support)
        && requests_schema(work)
    {
        let schema = schema.clone();
        move_schema_to_instructions(work, &schema);
    } else if !is_json && !is_any {
        return;
    }
    if support.json_by_instruction && !work.is_same_dialect() {
        work.edit_settings().response_format = None;
        work.append_instruction(JsonString::from_static(JSON_INSTRUCTION));
        work.record_change(
            LedgerPath::SYSTEM,
            "requested JSON in the instructions: the target has no setting for it",
        );
        return;
    }
    if !support.json_while_reasoning && work.is_reasoning_enabled() {
        turn_off_reasoning(
            work,
            "reasoning is off for this request: the target cannot combine it with JSON",
        );
    }
    if has_schema_setting(work, &support) && cannot_request_json(work, work.is_same_dialect()) {
        let schema = RawJson::object(|schema| schema.str("type", "object"));
        let name = Some(JsonString::from_static("response"));
        let any_object = ResponseFormat::Schema { name, description: None, schema, strict: None };
        work.edit_settings().response_format = Some(any_object);
        work.record_change(
            LedgerPath::SETTINGS,
            "JSON is requested as a schema that allows any object",
        );
    }
}

/// Whether the target has a setting for a schema.
fn has_schema_setting(work: &Work<'_>, support: &ResponseFormatSupport) -> bool {
    support.json_schema && (support.cross_dialect_json_schema || work.is_same_dialect())
}

/// Whether the body really requests a schema: a schema of the same dialect may stand next to
/// another type.
fn requests_schema(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().top_level_fields.iter();
    let format = fields.find(|field| field.key == FORMAT_FIELD).map(|field| field.value.to_doc());
    let kind = format.as_ref().and_then(|format| format.root().get("type"));
    !work.is_same_dialect() || kind.is_some_and(|kind| kind.str_or_empty() == "json_schema")
}

/// Requests JSON without a schema and puts the schema into the instructions.
fn move_schema_to_instructions(work: &mut Work<'_>, schema: &RawJson) {
    work.edit_settings().response_format = Some(ResponseFormat::Json);
    if !schema.is_object() || *schema == RawJson::EMPTY_OBJECT {
        work.record_change(
            LedgerPath::SETTINGS,
            "JSON is requested without a schema: the schema has no content",
        );
        return;
    }
    work.append_instruction(JsonString::new(&format!("{SCHEMA_INSTRUCTION}{}", schema.as_str())));
    work.record_change(
        LedgerPath::SETTINGS,
        "the answer's schema is in the instructions: the target has no setting for it",
    );
}

/// Whether JSON is requested by the field that counts for the target. An encoded request always
/// uses that field.
fn is_json_requested(work: &Work<'_>) -> bool {
    let Some((field, key, expected)) = work.profile.settings.response_format.json_trigger else {
        return true;
    };
    let checker = work.profile.shape_checker();
    let mut fields = work.conversation().top_level_fields.iter();
    let config = fields.find(|entry| checker.is_same_name(&entry.key.unescape(), field));
    !work.is_same_dialect()
        || config.is_some_and(|config| {
            let doc = config.value.to_doc();
            let value = doc.root().find_last(|field| checker.is_same_name(&field.key(), key));
            value.is_some_and(|value| value.str_or_empty() == expected)
        })
}

const JSON_INSTRUCTION: &str = "Answer with one JSON object and nothing else.";
const FORMAT_FIELD: &str = "response_format";
const SCHEMA_INSTRUCTION: &str =
    "Answer with one JSON value and nothing else. It must be valid for this JSON schema: ";
