//! Decodes and encodes tools and the tool choice.

use interlingua_model::{Conversation, Ledger, LedgerPath, Tool, ToolChoice, ToolKind, Verbatim};
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use super::{ID, field_name, schema};
use crate::note;

/// Decodes the function declarations of all entries and the provider's own tools, in order. A
/// single entry may appear without a list.
pub(super) fn decode_tools(
    tools: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut decoded = Vec::new();
    if tools.is_object() {
        decode_entry(tools, &mut decoded, ledger);
    } else if !tools.is_array() {
        ledger.record_loss(note::ODD_INPUT, LedgerPath::tool(0), "`tools` is not a list: left out");
    }
    for entry in tools.items() {
        decode_entry(entry, &mut decoded, ledger);
    }
    Verbatim::with_text(decoded, ID, tools.json())
}

fn decode_entry(entry: JsonNode<'_>, tools: &mut Vec<Verbatim<Tool>>, ledger: &mut Ledger) {
    let next_path = |tools: &[Verbatim<Tool>]| LedgerPath::tool(tools.len());
    if !entry.is_object() || field_name::get(entry, "name").is_some() {
        ledger.record_change(
            note::ODD_INPUT,
            next_path(tools),
            "a tool is written without its `functionDeclarations` list",
        );
        tools.push(decode_tool(entry, next_path(tools), ledger));
        return;
    }
    let is_single_key = entry.len() == 1;
    for field in entry.fields() {
        if field.value.is_null()
            && field_name::find_known_field(field, BACKEND_SPECIFIC_KEYS).is_some()
        {
            // Null counts too: a backend that does not know the tool kind rejects the field even if
            // null.
            let json = RawJson::object(|object| {
                object.key_json_string(&field.key_json_string()).json(&RawJson::NULL);
            });
            tools.push(server_tool(field.key_json_string(), json));
        } else if field.value.is_null() {
            // A null field counts as missing, but an unknown field name is an error.
            if field_name::find_known_field(field, ENTRY_KEYS).is_none() {
                let message = format!("`{}` is not a kind of tool", field.key());
                ledger.record_change(note::ODD_INPUT, next_path(tools), message);
            }
        } else if !field_name::matches(&field.key(), "functionDeclarations") {
            let json = if is_single_key {
                entry.json()
            } else {
                RawJson::object(|object| {
                    object.key_json_string(&field.key_json_string()).json(&field.value.json());
                })
            };
            tools.push(server_tool(field.key_json_string(), json));
        } else if field.value.is_array() {
            for declaration in field.value.items() {
                tools.push(decode_declaration_item(declaration, next_path(tools), ledger));
            }
        } else {
            tools.push(decode_declaration_item(field.value, next_path(tools), ledger));
        }
    }
}

/// Decodes one item of `functionDeclarations`.
fn decode_declaration_item(
    tool: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Tool> {
    if !tool.is_object() {
        ledger.record_change(note::ODD_INPUT, path, "a declaration is not an object");
    }
    decode_declaration(tool, path, ledger)
}

/// Decodes one declaration, or the first tool of an entry.
pub(super) fn decode_tool(
    tool: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Tool> {
    if field_name::get(tool, "name").is_some() {
        return decode_declaration(tool, path, ledger);
    }
    let declaration =
        field_name::get(tool, "functionDeclarations").and_then(|list| list.items().next());
    if let Some(first) = declaration {
        return decode_declaration(first, path, ledger);
    }
    let kind = tool.fields().next().map(Field::key_json_string);
    if kind.is_none() {
        ledger.record_change(note::ODD_INPUT, path, "a tool has no name and no kind");
    }
    server_tool(kind.unwrap_or(JsonString::from_static("unknown")), tool.json())
}

/// A tool that the provider runs.
fn server_tool(kind: JsonString, json: RawJson) -> Verbatim<Tool> {
    let foreign = ToolKind::Foreign { dialect: ID, kind: kind.clone(), json: json.clone() };
    Verbatim::with_text(Tool::new(kind, foreign), ID, json)
}

fn decode_declaration(tool: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Verbatim<Tool> {
    let name = field_name::get_text(tool, "name", path, ledger).unwrap_or_default();
    let mut decoded = Tool::new(name, ToolKind::Function { schema: None });
    for field in tool.fields() {
        match field_name::find_known(&field.key(), DECLARATION_KEYS) {
            Some(_) if field.value.is_null() => {}
            Some("name") => {}
            Some("description") => {
                decoded.description = field.value.json_string();
                if decoded.description.is_none() {
                    let message = "a description is not a string: kept as it is";
                    ledger.record_change(note::ODD_INPUT, path, message);
                    decoded.extras.push_field(ID, field);
                }
            }
            Some("parameters") => {
                let schema = Some(schema::to_json_schema(field.value));
                decoded.kind = ToolKind::Function { schema };
                decoded.extras.push(ID, OPENAPI_SCHEMA_KEY, RawJson::NULL);
            }
            Some(_) => decoded.kind = ToolKind::Function { schema: Some(field.value.json()) },
            None => decoded.extras.push_field(ID, field),
        }
    }
    Verbatim::with_text(decoded, ID, tool.json())
}

/// Writes all functions into one entry, as the provider requires, and each of its own tools into a
/// separate entry.
pub(super) fn encode_tools(
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

pub(super) fn has_encodable(conversation: &Conversation) -> bool {
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

/// Decodes which functions may or must be called.
pub(super) fn decode_tool_choice(config: JsonNode<'_>) -> Option<ToolChoice> {
    let calling_config = field_name::get(config, "functionCallingConfig")?;
    let allowed = field_name::get(calling_config, "allowedFunctionNames");
    let names: Vec<JsonString> =
        allowed.into_iter().flat_map(JsonNode::items).filter_map(JsonNode::json_string).collect();
    let mode =
        field_name::get(calling_config, "mode").map(JsonNode::str_or_empty).unwrap_or_default();
    match (&*mode.to_ascii_uppercase(), names.len()) {
        ("NONE", _) => Some(ToolChoice::None),
        ("ANY", 0) => Some(ToolChoice::Required),
        ("ANY", 1) => names.into_iter().next().map(ToolChoice::Named),
        ("ANY", _) => Some(ToolChoice::Allowed { names, required: true }),
        ("AUTO" | "VALIDATED" | "", 0) => Some(ToolChoice::Auto),
        ("AUTO" | "VALIDATED" | "", 1..) => Some(ToolChoice::Allowed { names, required: false }),
        _ => None,
    }
}

/// Writes the mode and the allowed names; `is_validated` if the client used the mode `VALIDATED`.
pub(super) fn encode_tool_choice(
    choice: &ToolChoice,
    is_validated: bool,
    object: &mut ObjectWriter<'_>,
) {
    let auto = if is_validated { "VALIDATED" } else { "AUTO" };
    let (mode, names): (&str, &[JsonString]) = match choice {
        ToolChoice::Auto => (auto, &[]),
        ToolChoice::None => ("NONE", &[]),
        ToolChoice::Required => ("ANY", &[]),
        ToolChoice::Named(name) => ("ANY", std::slice::from_ref(name)),
        ToolChoice::Allowed { names, required: true } => ("ANY", names),
        // A list of names without a required call is only accepted in this mode.
        ToolChoice::Allowed { names, required: false } => ("VALIDATED", names),
    };
    object.str("mode", mode);
    if !names.is_empty() {
        object.array("allowedFunctionNames", |list| {
            for name in names {
                list.item().json_string(name);
            }
        });
    }
}

/// Keys of an entry, on any backend.
const ENTRY_KEYS: &[&str] = &[
    "functionDeclarations",
    "googleSearch",
    "googleSearchRetrieval",
    "googleMaps",
    "codeExecution",
    "urlContext",
    "computerUse",
    "fileSearch",
    "mcpServers",
    "retrieval",
    "enterpriseWebSearch",
    "parallelAiSearch",
];

/// Tool kinds that only one of the two backends has.
const BACKEND_SPECIFIC_KEYS: &[&str] =
    &["fileSearch", "mcpServers", "retrieval", "enterpriseWebSearch", "parallelAiSearch"];

const DECLARATION_KEYS: &[&str] = &["name", "description", "parameters", "parametersJsonSchema"];

/// Extras key that marks a schema in the provider's own form.
const OPENAPI_SCHEMA_KEY: JsonString = JsonString::from_static("parameters");
