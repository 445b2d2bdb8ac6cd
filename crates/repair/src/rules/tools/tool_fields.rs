//! Removes fields of a tool that the target does not know.
//!
//! Agents send fields that only the newest API accepts, or only with a beta, or define a tool in
//! the form of another provider. Each target has its list of fields; other fields, and fields of
//! the wrong type, are removed, and the tool is encoded in the target's form. An empty list of
//! tools is removed where the target rejects it.
//!
//! ## Why
//! > tools.3.custom.input_examples: Extra inputs are not permitted
//!
//! > Unknown parameter: 'tools\[0\].annotations'.
//!
//! > Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array
//! > instead.
//!
//! ## Example
//! ```text
//! before   {"name": "read", "input_schema": {…}, "annotations": {"readOnlyHint": true}}
//! after    {"name": "read", "input_schema": {…}}
//! ```

use interlingua_model::{LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_providers::shape::Shape;
use interlingua_wire::{Field, JsonKind, RawJson};

use crate::engine::Work;
use crate::profile::TargetProfile;
use crate::query::tool_choice;
use crate::shape::{ShapeChecker, Verdict};
use crate::tools::{extra_fits, is_spelling_marker};

pub(super) fn apply(work: &mut Work<'_>) {
    fix_list(work);
    if work.conversation().tools.is_empty() {
        return;
    }
    let issues = work.tool_issues();
    for at in (0..issues.len()).filter(|at| issues[*at].malformed) {
        let tool = &work.conversation().tools[at];
        let (clean, removed) = without_unknown(tool, work.profile);
        let name = if tool.name.is_empty() { "without a name" } else { &*tool.name.unescape() };
        if removed.is_empty() {
            let message = format!("the tool `{name}` is sent in the target's form");
            work.record_change(LedgerPath::tool(at), message);
        } else {
            let message = format!("left out {} of the tool `{name}`", removed.join(", "));
            work.record_loss(LedgerPath::tool(at), message);
        }
        work.edit_tools()[at] = clean.into();
    }
}

/// Fixes the list itself: a value that is no list, or an empty list where the target rejects one.
fn fix_list(work: &mut Work<'_>) {
    let (conversation, rules) = (work.conversation(), &work.profile.tools);
    if tool_choice::lists_only_legacy_tools(work) {
        return;
    }
    let Some(text) = conversation.tools.text_for(work.profile.dialect) else { return };
    let (kind, is_empty) = (text.kind(), conversation.tools.is_empty());
    let is_empty_list =
        is_empty || kind == JsonKind::Array && work.json_ref(text).root().is_empty();
    let is_malformed = match kind {
        JsonKind::Array => false,
        JsonKind::Null => !rules.accepts_null_list,
        JsonKind::Object => rules.requires_list,
        JsonKind::Bool | JsonKind::Number | JsonKind::String => true,
    };
    if is_malformed && kind == JsonKind::Null {
        work.record_change(LedgerPath::BODY, "`tools` is null: an empty list is sent");
        work.discard_tools_text();
    } else if is_malformed && is_empty {
        work.record_loss(LedgerPath::BODY, "left out `tools`: it is no list");
        work.discard_tools_text();
    } else if is_malformed {
        work.record_change(LedgerPath::BODY, "put a single tool into a list");
        work.discard_tools_text();
    } else if is_empty_list && kind != JsonKind::Null && !rules.accepts_empty_list {
        work.record_change(LedgerPath::BODY, "left out an empty list of tools");
        work.discard_tools_text();
    }
}

/// The tool without unknown fields, and the names of those removed.
fn without_unknown(tool: &Verbatim<Tool>, profile: &TargetProfile) -> (Tool, Vec<String>) {
    let (rules, checker) = (&profile.tools, profile.shape_checker());
    let mut clean = Tool::clone(tool);
    let mut removed = Vec::new();
    let kind = match &mut clean.kind {
        ToolKind::Function { .. } => rules.shapes.function,
        ToolKind::Freeform { .. } => rules.shapes.freeform,
        ToolKind::Foreign { kind, json, .. } => {
            let shape = checker.tool_shape(rules.shapes, &kind.unescape());
            if let Some(Verdict::Replace(rewritten)) = shape.map(|shape| checker.check(json, shape))
            {
                let (before, after) = (json.to_doc(), rewritten.to_doc());
                let is_lost = |name: &str| after.root().get(name).is_none();
                let names = before.root().fields().map(Field::key);
                removed.extend(names.filter(|name| is_lost(name)).map(|name| format!("`{name}`")));
                *json = rewritten;
            }
            return (clean, removed);
        }
    };
    // Of two schemas of which only one may be set, the JSON Schema stays.
    let written = tool.text_for(profile.dialect).map(RawJson::to_doc);
    let has_field = |name: &str| {
        let root = written.as_ref().map(|doc| doc.root());
        let is_in_extras = || {
            let mut extras = tool.extras.fields_for(profile.dialect).iter();
            extras.any(|(key, _)| checker.is_same_name(&key.unescape(), name))
        };
        root.is_some_and(|root| {
            root.find_last(|field| checker.is_same_name(&field.key(), name)).is_some()
        }) || is_in_extras()
    };
    let is_duplicate_schema = |key: &str| {
        let mut pairs = rules.shapes.openapi_fields.iter();
        pairs.any(|(openapi_field, json_schema_field)| {
            checker.is_same_name(key, openapi_field) && has_field(json_schema_field)
        })
    };
    clean.extras.retain(profile.dialect, |key, value| {
        let key = key.unescape();
        let is_known = !is_duplicate_schema(&key)
            && (is_spelling_marker(tool, &key, value) || extra_fits(&key, value, kind, &checker));
        if !is_known {
            removed.extend(unknown_names(&key, value, kind, &checker));
        }
        is_known
    });
    (clean, removed)
}

/// The names of the unknown fields: nested ones if the field itself is known.
fn unknown_names(
    key: &str,
    value: &RawJson,
    kind: Shape,
    checker: &ShapeChecker<'_>,
) -> Vec<String> {
    let keys = match kind {
        Shape::Closed(keys) | Shape::Open(keys) => keys,
        _ => &[],
    };
    let doc = value.to_doc();
    match checker.find_field(keys, key).map(|field| field.shape) {
        Some(inner @ (Shape::Closed(_) | Shape::Open(_))) if doc.root().is_object() => {
            let is_unknown =
                |field: &Field<'_>| !extra_fits(&field.key(), &field.value.json(), inner, checker);
            let unknown_fields = doc.root().fields().filter(is_unknown);
            unknown_fields.map(|field| format!("`{key}.{}`", field.key())).collect()
        }
        _ => vec![format!("`{key}`")],
    }
}
