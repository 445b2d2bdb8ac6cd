//! Encodes tools.

use interlingua_model::{Conversation, Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::gemini::decode::tool::OPENAPI_SCHEMA_KEY;
use crate::gemini::id::ID;
use crate::gemini::{field_name, schema};
use crate::note;

/// Writes all functions into one entry, as the provider requires, and each of its own tools into a
/// separate entry.
pub(crate) fn encode_tools(
    tools: &[Verbatim<Tool>],
    list: &mut ArrayWriter<'_>,
    ledger: &mut Ledger,
) {
    let is_function = |tool: &Tool| !matches!(tool.kind, ToolKind::Foreign { .. });
    if tools.iter().any(|tool| is_function(tool)) {
        list.object(|entry| {
            entry.array("functionDeclarations", |list| {
                for (at, tool) in tools.iter().enumerate().filter(|(_, tool)| is_function(tool)) {
                    match tool.text_for(ID) {
                        Some(text) => list.item().json(text),
                        None => list.object(|object| encode_declaration(tool, at, object, ledger)),
                    }
                }
            });
        });
    }
    for (at, tool) in tools.iter().enumerate() {
        match &tool.kind {
            ToolKind::Foreign { dialect, json, .. } if *dialect == ID => list.item().json(json),
            ToolKind::Foreign { dialect, kind, .. } => {
                let message = format!("left out `{}`, a tool of {dialect} ({kind})", tool.name);
                ledger.record_loss(note::NO_SUCH_TOOL, LedgerPath::tool(at), message);
            }
            ToolKind::Function { .. } | ToolKind::Freeform { .. } => {}
        }
    }
}

pub(crate) fn has_encodable(conversation: &Conversation) -> bool {
    conversation.tools.iter().any(|tool| match &tool.kind {
        ToolKind::Foreign { dialect, .. } => *dialect == ID,
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
    })
}

fn encode_declaration(tool: &Tool, at: usize, object: &mut ObjectWriter<'_>, ledger: &mut Ledger) {
    let path = LedgerPath::tool(at);
    field_name::note_dropped_extras(&tool.extras, ID, path, ledger);
    if tool.cache_breakpoint.is_some() {
        ledger.record_loss(
            note::NO_SUCH_CACHE,
            path,
            "left out a cache breakpoint: this dialect has no cache breakpoints",
        );
    }
    if tool.strict == Some(true) {
        ledger.record_loss(
            note::NO_SUCH_FIELD,
            path,
            "left out `strict`: this dialect does not have it",
        );
    }
    if let Some(namespace) = &tool.namespace {
        let message = format!("the namespace `{namespace}` is encoded only in the tool's name");
        ledger.record_change(note::NO_SUCH_FIELD, path, message);
    }
    object.json_string("name", &tool.name);
    match &tool.kind {
        ToolKind::Function { schema } => {
            object.json_string_opt("description", tool.description.as_ref());
            let schema = schema.as_ref().filter(|schema| !schema::takes_no_args(schema));
            match (schema, tool.extras.get(ID, "parameters")) {
                (Some(schema), Some(_)) => {
                    object.json("parameters", &schema::to_openapi_schema(schema));
                }
                (Some(schema), None) => object.json("parametersJsonSchema", schema),
                (None, _) => {}
            }
        }
        ToolKind::Freeform { format } => {
            let message = "a tool that takes free text is offered as a function with one string";
            ledger.record_change(note::FREEFORM_WRAPPED, path, message);
            let description = description_with_grammar(tool.description.as_ref(), format.as_ref());
            object.json_string_opt("description", description.as_ref());
            object.object("parametersJsonSchema", write_freeform_schema);
        }
        ToolKind::Foreign { .. } => {}
    }
    for (key, value) in
        tool.extras.fields_for(ID).iter().filter(|(key, _)| *key != OPENAPI_SCHEMA_KEY)
    {
        object.key_json_string(key).json(value);
    }
}

fn write_freeform_schema(schema: &mut ObjectWriter<'_>) {
    schema.static_str("type", "object");
    schema.object("properties", |properties| {
        properties.object("input", |input| input.static_str("type", "string"));
    });
    schema.array("required", |required| required.item().str("input"));
}

/// Appends the grammar that the input must follow to the description.
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
            let separator = JsonString::new("\n\nThe input follows this grammar:\n");
            Some(JsonString::concat([description, &separator, &grammar]))
        }
        (description, grammar) => description.cloned().or(grammar),
    }
}
