//! Decodes tools.

use interlingua_model::{Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::{JsonKind, JsonNode, JsonString};

use super::fields;
use crate::anthropic::id::ID;

pub(crate) fn decode_tools(
    list: JsonNode<'_>,
    ledger: &mut Ledger,
) -> Verbatim<Vec<Verbatim<Tool>>> {
    let mut tools = Vec::new();
    match list.kind() {
        JsonKind::Array => {
            tools.reserve_exact(list.len());
            tools.extend(list.items().enumerate().map(|(at, tool)| decode_tool(tool, at, ledger)));
        }
        JsonKind::Null => {}
        JsonKind::Object | JsonKind::String | JsonKind::Number | JsonKind::Bool => {
            fields::note_odd_input(
                ledger,
                LedgerPath::BODY,
                "`tools` is not a list: read as one tool",
            );
            tools.push(decode_tool(list, 0, ledger));
        }
    }
    Verbatim::with_text(tools, ID, list.json())
}

pub(crate) fn decode_tool(node: JsonNode<'_>, at: usize, ledger: &mut Ledger) -> Verbatim<Tool> {
    let path = LedgerPath::tool(at);
    let kind = node.get("type").filter(|kind| !kind.is_null());
    let tool = match kind {
        Some(kind) if kind.str_or_empty() == "function" && node.get("input_schema").is_none() => {
            fields::note_odd_input(ledger, path, "a tool in the form of another dialect");
            let inner = node.get("function").filter(|inner| inner.is_object()).unwrap_or(node);
            decode_function(inner, path, ledger)
        }
        Some(kind) if kind.str_or_empty() != "custom" => decode_foreign(node, kind),
        _ => decode_function(node, path, ledger),
    };
    Verbatim::with_text(tool, ID, node.json())
}

fn decode_function(node: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Tool {
    let mut tool = Tool::new(JsonString::EMPTY, ToolKind::Function { schema: None });
    let mut name = None;
    for field in node.fields() {
        match &*field.key() {
            "type" => {}
            "name" => name = Some(field.value),
            "description" if field.value.is_string() || field.value.is_null() => {
                tool.description = field.value.json_string();
            }
            "input_schema" | "parameters" => {
                tool.kind = ToolKind::Function { schema: fields::non_null_json(field.value) };
            }
            "strict" if field.value.as_bool().is_some() => tool.strict = field.value.as_bool(),
            "cache_control" if fields::is_lossless_cache_control(field.value) => {
                tool.cache_breakpoint = fields::decode_cache_control(field.value);
            }
            "cache_control" => {
                tool.cache_breakpoint = fields::decode_cache_control(field.value);
                if field.value.get("type").is_some_and(JsonNode::is_string) {
                    tool.extras.push_field(ID, field);
                } else {
                    fields::note_odd_input(
                        ledger,
                        path,
                        "a `cache_control` without a type is read as `ephemeral`",
                    );
                }
            }
            _ => tool.extras.push_field(ID, field),
        }
    }
    tool.name = fields::decode_string(name, "name", path, ledger);
    tool
}

/// A tool defined by its type. Some have a fixed name; toolsets have none.
fn decode_foreign(node: JsonNode<'_>, kind: JsonNode<'_>) -> Tool {
    let name = node.get("name").and_then(JsonNode::json_string).unwrap_or_default();
    let kind = kind.json_string().unwrap_or_default();
    let mut tool = Tool::new(name, ToolKind::Foreign { dialect: ID, kind, json: node.json() });
    tool.cache_breakpoint = node.get("cache_control").and_then(fields::decode_cache_control);
    tool
}
