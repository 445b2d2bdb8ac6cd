//! Decodes tools.

use interlingua_model::{Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::{Field, JsonNode, JsonString, RawJson};

use crate::gemini::id::ID;
use crate::gemini::{field_name, schema};
use crate::note;

/// Decodes the function declarations of all entries and the provider's own tools, in order. A
/// single entry may appear without a list.
pub(crate) fn decode_tools(
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
pub(crate) fn decode_tool(
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
pub(crate) const OPENAPI_SCHEMA_KEY: JsonString = JsonString::from_static("parameters");
