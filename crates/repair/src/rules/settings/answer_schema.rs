//! Makes the schema of the answer acceptable for the target, or removes its strictness.
//!
//! As with schemas of tools: an array gets `items`, and the answer is strict only if the schema
//! meets the target's rules for that. A schema next to an answer format that has none is removed
//! where the target would reject it.
//!
//! ## Why
//! > Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to
//! > be supplied and to be false.
//!
//! > For 'object' type, 'additionalProperties' must be explicitly set to false
//!
//! > Invalid JSON payload received. Unknown name "oneOf" at 'generation_config.response_schema': Cannot
//! > find field.
//!
//! ## Example
//! ```text
//! before   answer: {"type": "object", "properties": {"a": {"type": "array"}}}, strict
//! after    answer: {"type": "object", "properties": {"a": {"type": "array", "items": {}}}}, not strict
//! ```

use interlingua_model::{LedgerPath, ResponseFormat};
use interlingua_providers::profile::tools::{SchemaRoot, StrictMode};
use interlingua_wire::{JsonNode, RawJson};

use crate::engine::Work;
use crate::schema::{check, close_objects, keywords, openapi};
use crate::tools::names;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(ResponseFormat::Schema { schema, strict, .. }) =
        &work.conversation().settings.response_format
    else {
        return drop_unused_schema(work);
    };
    let rules = &work.profile.tools;
    let (schema, strict) = (schema.clone(), *strict == Some(true));
    if is_oversized(work, schema.as_str()) {
        let message = format!(
            "the schema of the answer is sent unchecked: it has {} bytes, the limit is {}",
            schema.as_str().len(),
            work.profile.max_schema_bytes
        );
        work.record_change(LedgerPath::SETTINGS, message);
        return rename_schema(work);
    }
    let doc = schema.to_doc();
    if rules.schema.arrays_need_items && check::has_array_without_items(doc.root()) {
        let (rewritten, touched) = keywords::rewrite_keywords(&schema, &[], false);
        let touched: Vec<_> = touched.iter().map(|key| format!("`{key}`")).collect();
        let message = format!("rewrote {} in the schema of the answer", touched.join(", "));
        work.record_change(LedgerPath::SETTINGS, message);
        if let Some(ResponseFormat::Schema { schema, .. }) =
            &mut work.edit_settings().response_format
        {
            *schema = rewritten;
        }
    }
    if let StrictMode::Closed(rejected) = rules.strict
        && strict
        && !(work.is_same_dialect() && lacks_written_schema(work))
        && (check::violates_strict(doc.root(), rejected)
            || !check::root_fits(Some(doc.root()), SchemaRoot::ObjectIfPresent, &[]))
    {
        let message =
            "the answer is not strict: its schema does not meet the rules for strict mode";
        work.record_loss(LedgerPath::SETTINGS, message);
        if let Some(ResponseFormat::Schema { strict, .. }) =
            &mut work.edit_settings().response_format
        {
            *strict = Some(false);
        }
    }
    close_schema_objects(work);
    rename_schema(work);
    replace_openapi_schema(work);
}

fn is_oversized(work: &Work<'_>, schema: &str) -> bool {
    schema.len() > work.profile.max_schema_bytes
}

/// Closes the schema's objects where the target enforces every schema; only for requests of another
/// dialect.
fn close_schema_objects(work: &mut Work<'_>) {
    let Some(ResponseFormat::Schema { schema, .. }) = &work.conversation().settings.response_format
    else {
        return;
    };
    let is_required =
        work.profile.settings.response_format.closed_objects && !work.is_same_dialect();
    if !is_required || !close_objects::has_open_object(schema.to_doc().root()) {
        return;
    }
    let closed = close_objects::close_objects(schema);
    work.record_change(LedgerPath::SETTINGS, "closed the objects in the schema of the answer");
    if let Some(ResponseFormat::Schema { schema, .. }) = &mut work.edit_settings().response_format {
        *schema = closed;
    }
}

/// Renames the schema if the target rejects its name.
fn rename_schema(work: &mut Work<'_>) {
    let names = &work.profile.tools.name_format;
    let Some(ResponseFormat::Schema { name: Some(name), .. }) =
        &work.conversation().settings.response_format
    else {
        return;
    };
    if !work.profile.settings.response_format.ascii_schema_name || names.accepts(&name.unescape()) {
        return;
    }
    let alias = names::alias(name, "tool", names, 0);
    let message = format!("renamed the schema of the answer from `{name}` to `{alias}`");
    work.record_change(LedgerPath::SETTINGS, message);
    if let Some(ResponseFormat::Schema { name, .. }) = &mut work.edit_settings().response_format {
        *name = Some(alias);
    }
}

/// Whether the body requests a schema and gives none.
fn lacks_written_schema(work: &Work<'_>) -> bool {
    let field = work.conversation().top_level_fields.iter().find(|field| field.key == FORMAT_FIELD);
    field.is_some_and(|field| {
        let doc = field.value.to_doc();
        let inner = doc.root().get(SCHEMA_FIELD);
        inner.is_some_and(|inner| inner.get("schema").is_none())
    })
}

/// Removes a schema that the target would reject and that the answer format does not use.
fn drop_unused_schema(work: &mut Work<'_>) {
    let (conversation, rules) = (work.conversation(), &work.profile.tools);
    if conversation.dialect != work.profile.dialect
        || conversation.settings.response_format.is_none()
    {
        return;
    }
    let Some(at) = conversation.top_level_fields.iter().position(|field| field.key == FORMAT_FIELD)
    else {
        return;
    };
    let doc = conversation.top_level_fields[at].value.to_doc();
    let Some(format_schema) = doc.root().get(SCHEMA_FIELD) else { return };
    let Some(schema) = format_schema.get("schema") else { return };
    if is_oversized(work, schema.raw()) {
        return;
    }
    let strict = format_schema.get("strict").and_then(JsonNode::as_bool) == Some(true);
    let lacks_items = rules.schema.arrays_need_items && check::has_array_without_items(schema);
    let violates_strict = match rules.strict {
        StrictMode::Closed(rejected) if strict => {
            check::violates_strict(schema, rejected)
                || !check::root_fits(Some(schema), SchemaRoot::ObjectIfPresent, &[])
        }
        _ => false,
    };
    if !lacks_items && !violates_strict {
        return;
    }
    let rest = RawJson::object(|object| {
        for field in doc.root().fields().filter(|field| !field.key_is(SCHEMA_FIELD)) {
            object.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    });
    work.record_loss(LedgerPath::SETTINGS, "left out a schema that the answer format does not use");
    work.edit_top_level_fields()[at].value = rest;
}

/// Sends a schema in the provider's `OpenAPI` style as JSON Schema if it has keywords that the style
/// lacks.
fn replace_openapi_schema(work: &mut Work<'_>) {
    let Some(kind) = work.profile.tools.schema.openapi else { return };
    if !work.is_same_dialect() {
        return;
    }
    let checker = work.profile.shape_checker();
    let is_named = |written: &str, name: &str| checker.is_same_name(written, name);
    let fields = &work.conversation().top_level_fields;
    let Some(at) = fields.iter().position(|field| is_named(&field.key.unescape(), CONFIG_FIELD))
    else {
        return;
    };
    let doc = fields[at].value.to_doc();
    let written = doc
        .root()
        .find_last(|field| is_named(&field.key(), OPENAPI_FIELD))
        .filter(|field| !field.is_null() && !is_oversized(work, field.raw()));
    if written
        .is_none_or(|written| openapi::is_accepted(written, kind, openapi::SchemaSyntax::OpenApi))
    {
        return;
    }
    let rest = RawJson::object(|object| {
        for field in doc.root().fields().filter(|field| !is_named(&field.key(), OPENAPI_FIELD)) {
            object.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    });
    let is_no_object = written.is_some_and(|written| !JsonNode::is_object(written));
    let message =
        "the schema of the answer is sent as JSON Schema: its style lacks some of the keywords";
    work.record_change(LedgerPath::SETTINGS, message);
    work.edit_top_level_fields()[at].value = rest;
    let settings = work.edit_settings();
    if is_no_object {
        settings.response_format = None;
    }
}

const FORMAT_FIELD: &str = "response_format";
const SCHEMA_FIELD: &str = "json_schema";
const CONFIG_FIELD: &str = "generationConfig";
const OPENAPI_FIELD: &str = "responseSchema";
