//! Encodes tools.

use interlingua_model::{LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_providers::spelling::openai_chat::{CacheBreakpointSpelling, Capability};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonString, RawJson};

use super::block;
use super::context::EncodeCx;
use crate::note;
use crate::openai_chat::decode::tool::FUNCTION_EXTRAS_KEY;
use crate::openai_chat::id::ID;

fn nest_grammar(format: &RawJson) -> RawJson {
    let doc = format.to_doc();
    let root = doc.root();
    if root.get("definition").is_none() {
        return format.clone();
    }
    RawJson::object(|o| {
        o.static_str("type", "grammar");
        o.object("grammar", |o| {
            for field in root.fields().filter(|field| !field.key_is("type")) {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        });
    })
}

/// Encodes the tools.
pub(crate) fn encode_tools(
    tools: &[Verbatim<Tool>],
    out: &mut ArrayWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    for (at, tool) in tools.iter().enumerate() {
        // A tool of the legacy list is encoded in the current form.
        let is_current_form = |text: &&RawJson| {
            let doc = text.to_doc();
            let has_field = |key: &str| doc.root().get(key).is_some();
            let is_foreign = matches!(tool.kind, ToolKind::Foreign { .. });
            has_field("type") && (is_foreign || has_field("function") || has_field("custom"))
        };
        match tool.text_for(ID).filter(is_current_form) {
            Some(text) => out.item().json(text),
            None => encode_tool(tool, LedgerPath::tool(at), out, cx),
        }
    }
}

/// Returns whether any tool can be encoded: an empty list is rejected.
pub(crate) fn has_encodable(tools: &[Verbatim<Tool>]) -> bool {
    tools.iter().any(|tool| is_encodable(tool))
}

pub(crate) fn is_encodable(tool: &Tool) -> bool {
    match &tool.kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == ID,
    }
}

fn encode_tool(tool: &Tool, path: LedgerPath, out: &mut ArrayWriter<'_>, cx: &mut EncodeCx<'_>) {
    match &tool.kind {
        ToolKind::Function { schema } => out.object(|o| {
            o.static_str("type", "function");
            o.object("function", |o| encode_function(tool, schema.as_ref(), o));
            write_common_fields(tool, path, o, cx);
        }),
        ToolKind::Freeform { format } if cx.flavor.has(Capability::CustomTools) => {
            out.object(|o| {
                o.static_str("type", "custom");
                o.object("custom", |o| {
                    o.json_string("name", &tool.name);
                    o.json_string_opt("description", tool.description.as_ref());
                    o.json_opt("format", format.as_ref().map(nest_grammar).as_ref());
                });
                write_common_fields(tool, path, o, cx);
            });
        }
        ToolKind::Freeform { format } => {
            let message = "a tool that takes free text is offered as a function with one string";
            cx.ledger.record_change(note::FREEFORM_WRAPPED, path, message);
            let mut wrapped_tool = tool.clone();
            wrapped_tool.description = description_with_grammar(tool, format.as_ref());
            out.object(|o| {
                o.static_str("type", "function");
                o.object("function", |o| {
                    encode_function(&wrapped_tool, Some(&freeform_schema()), o);
                });
                write_common_fields(tool, path, o, cx);
            });
        }
        ToolKind::Foreign { dialect, json, .. } if *dialect == ID => out.item().json(json),
        ToolKind::Foreign { kind, .. } => {
            let message = format!("left out the tool `{kind}`: only its own provider has it");
            cx.ledger.record_loss(note::NO_SUCH_TOOL, path, message);
        }
    }
}

fn encode_function(tool: &Tool, schema: Option<&RawJson>, o: &mut ObjectWriter<'_>) {
    o.json_string("name", &tool.name);
    o.json_string_opt("description", tool.description.as_ref());
    o.json_opt("parameters", schema);
    o.json_opt("strict", tool.strict.map(RawJson::boolean).as_ref());
    if let Some(unknown) = tool.extras.get(ID, FUNCTION_EXTRAS_KEY.raw()) {
        o.extend(unknown);
    }
}

/// Writes the cache breakpoint and the extras.
fn write_common_fields(
    tool: &Tool,
    path: LedgerPath,
    o: &mut ObjectWriter<'_>,
    cx: &mut EncodeCx<'_>,
) {
    if let Some(cache) = &tool.cache_breakpoint {
        if cx.flavor.cache_breakpoint == CacheBreakpointSpelling::CacheControl {
            block::write_cache_breakpoint(cache, CacheBreakpointSpelling::CacheControl, o);
        } else {
            cx.note_dropped_cache(path);
        }
    }
    for (key, value) in
        tool.extras.fields_for(ID).iter().filter(|(key, _)| *key != FUNCTION_EXTRAS_KEY)
    {
        o.key_json_string(key).json(value);
    }
    cx.note_dropped_extras(&tool.extras, path);
}

/// Appends the grammar to the description, where the model can read it.
fn description_with_grammar(tool: &Tool, format: Option<&RawJson>) -> Option<JsonString> {
    let doc = format.map(RawJson::to_doc);
    let root = doc.as_ref().map(|doc| doc.root());
    let grammar =
        root.and_then(|root| root.get("grammar").unwrap_or(root).get("definition")?.json_string());
    match (&tool.description, grammar) {
        (description, None) => description.clone(),
        (None, Some(grammar)) => Some(grammar),
        (Some(description), Some(grammar)) => {
            Some(JsonString::join([description, &grammar], "\n\n"))
        }
    }
}

fn freeform_schema() -> RawJson {
    RawJson::object(|o| {
        o.static_str("type", "object");
        o.object("properties", |o| o.object("input", |o| o.static_str("type", "string")));
        o.array("required", |a| a.item().str("input"));
    })
}
