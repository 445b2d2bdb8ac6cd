//! Encodes tools.

use interlingua_model::{Conversation, LedgerPath, Tool, ToolChoice, ToolKind, Verbatim};
use interlingua_wire::json::ArrayWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::context::EncodeCx;
use super::fields;
use crate::anthropic::id::ID;
use crate::common::name_set::NameSet;
use crate::note;

/// Names of the only tools that may be called, if the tool choice is a subset of the tools. The API
/// cannot express that, so the other tools are left out.
pub(crate) fn allowed_tools(conversation: &Conversation) -> Option<NameSet> {
    let Some(ToolChoice::Allowed { names, .. }) = &conversation.settings.tool_choice else {
        return None;
    };
    let names = NameSet::new(names);
    has_tool_named(conversation, &names).then_some(names)
}

pub(super) fn has_tool_named(conversation: &Conversation, names: &NameSet) -> bool {
    conversation.tools.iter().any(|tool| names.contains(&tool.name))
}

pub(crate) fn encode_tool(
    tool: &Verbatim<Tool>,
    at: usize,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    let path = LedgerPath::tool(at);
    if let Some(text) = tool.text_for(ID) {
        out.item().json(text);
        return;
    }
    fields::note_dropped_extras(&tool.extras, path, cx.ledger);
    if let Some(namespace) = &tool.namespace {
        let message = format!("the namespace `{namespace}` is encoded only in the tool's name");
        cx.ledger.record_change(note::NO_SUCH_FIELD, path, message);
    }
    match &tool.kind {
        ToolKind::Function { schema } => {
            let schema = schema.as_ref().filter(|schema| schema.is_object());
            if schema.is_none() {
                let message = "the tool has no schema: it takes an object without properties";
                cx.ledger.record_change(note::REQUIRED_ADDED, path, message);
            }
            write_function_tool(tool, tool.description.as_ref(), schema, path, cx, out);
        }
        ToolKind::Freeform { format } => {
            let message = "the tool takes free text: it is offered with one string `input`";
            cx.ledger.record_change(note::FREEFORM_WRAPPED, path, message);
            let description = description_with_grammar(tool.description.as_ref(), format.as_ref());
            write_function_tool(
                tool,
                description.as_ref(),
                RawJson::parse(FREEFORM_SCHEMA).ok().as_ref(),
                path,
                cx,
                out,
            );
        }
        ToolKind::Foreign { dialect, json, .. } if *dialect == ID => {
            fields::encode_foreign(json, tool.cache_breakpoint.as_deref(), out);
        }
        ToolKind::Foreign { dialect, kind, .. } => {
            let message = format!("left out the tool `{kind}` of {dialect}");
            cx.ledger.record_loss(note::NO_SUCH_TOOL, path, message);
        }
    }
}

fn write_function_tool(
    tool: &Tool,
    description: Option<&JsonString>,
    schema: Option<&RawJson>,
    path: LedgerPath,
    cx: &mut EncodeCx<'_>,
    out: &mut ArrayWriter<'_>,
) {
    out.object(|o| {
        o.json_string("name", &tool.name);
        o.json_string_opt("description", description);
        match schema {
            Some(schema) => o.json("input_schema", schema),
            None => o.object("input_schema", |o| {
                o.static_str("type", "object");
                o.object("properties", |_| {});
            }),
        }
        if let Some(strict) = tool.strict {
            o.boolean("strict", strict);
        }
        fields::write_cache_and_extras(tool.cache_breakpoint.as_deref(), &tool.extras, path, cx, o);
    });
}

/// Appends the grammar to the description, because the API has no field for it.
fn description_with_grammar(
    description: Option<&JsonString>,
    format: Option<&RawJson>,
) -> Option<JsonString> {
    let grammar = format.and_then(|format| {
        let doc = format.to_doc();
        let root = doc.root();
        let definition = root.get("definition").or_else(|| root.get("grammar")?.get("definition"));
        definition.and_then(JsonNode::json_string)
    });
    match (description, grammar) {
        (Some(description), Some(grammar)) => {
            let head = JsonString::from_static("The input follows this grammar:");
            Some(JsonString::join(
                [description, &JsonString::join([&head, &grammar], "\n")],
                "\n\n",
            ))
        }
        (None, grammar) => grammar,
        (description, None) => description.cloned(),
    }
}

const FREEFORM_SCHEMA: &str =
    r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
