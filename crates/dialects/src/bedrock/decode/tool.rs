//! Decodes tools.

use interlingua_model::{Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::{Field, JsonNode, JsonString};

use super::fields;
use crate::bedrock::id::ID;
use crate::note;

/// Decodes the list of tools. A cache point becomes the cache breakpoint of the tool before it.
pub(crate) fn decode_tools(list: JsonNode<'_>, ledger: &mut Ledger) -> Vec<Verbatim<Tool>> {
    let mut tools: Vec<Verbatim<Tool>> = Vec::with_capacity(list.len());
    for item in list.items() {
        let path = LedgerPath::tool(tools.len());
        if tools.last().is_some_and(|last| can_have_cache_point(last))
            && let Some(point) = fields::find_cache_point(item, TOOL_KEYS, path, ledger)
            && let Some(cached_tool) = tools.pop()
        {
            let cache = fields::decode_cache_point(point, LedgerPath::tool(tools.len()), ledger);
            tools.push(
                cached_tool.map_keeping_text(|tool| tool.cache_breakpoint = Some(Box::new(cache))),
            );
            continue;
        }
        tools.push(decode_tool(item, LedgerPath::tool(tools.len()), ledger));
    }
    tools
}

fn can_have_cache_point(tool: &Tool) -> bool {
    !matches!(&tool.kind, ToolKind::Foreign { kind, .. } if kind == "cachePoint")
}

pub(crate) fn decode_tool(
    node: JsonNode<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) -> Verbatim<Tool> {
    let is_union_key =
        |field: &Field<'_>| TOOL_KEYS.contains(&&*field.key()) && !field.value.is_null();
    let kinds: Vec<Field<'_>> = node.fields().filter(is_union_key).collect();
    if let [first, _, ..] = kinds.as_slice() {
        let message = format!("a tool of several kinds is read as `{}`", first.key());
        ledger.record_loss(note::ODD_INPUT, path, message);
    }
    let tool = match kinds.first().copied().or_else(|| node.fields().next()) {
        Some(union_field) if union_field.key_is("toolSpec") && union_field.value.is_object() => {
            decode_tool_spec(union_field.value, path, ledger)
        }
        Some(union_field) => {
            let name =
                union_field.value.get("name").and_then(JsonNode::json_string).unwrap_or_default();
            let json = if kinds.len() > 1 {
                fields::single_field_object(union_field)
            } else {
                node.json()
            };
            Tool::new(
                name,
                ToolKind::Foreign { dialect: ID, kind: union_field.key_json_string(), json },
            )
        }
        None => {
            ledger.record_change(note::ODD_INPUT, path, "a tool without a kind is kept as it is");
            let kind = JsonString::EMPTY;
            Tool::new(JsonString::EMPTY, ToolKind::Foreign { dialect: ID, kind, json: node.json() })
        }
    };
    Verbatim::with_text(tool, ID, node.json())
}

/// Union keys of a tool.
const TOOL_KEYS: &[&str] = &["toolSpec", "systemTool", "cachePoint"];

fn decode_tool_spec(spec: JsonNode<'_>, path: LedgerPath, ledger: &mut Ledger) -> Tool {
    let name = spec.get("name").map(fields::text_or_raw);
    if name.as_ref().is_none_or(JsonString::is_empty) {
        ledger.record_change(note::ODD_INPUT, path, "the tool has no name");
    }
    let schema = spec.get("inputSchema").and_then(|schema| schema.get("json"));
    let schema = schema.filter(|schema| !schema.is_null()).map(JsonNode::json);
    let mut tool = Tool::new(name.unwrap_or_default(), ToolKind::Function { schema });
    let description = spec.get("description").filter(|description| !description.is_null());
    if description.is_some_and(|description| !description.is_string()) {
        ledger.record_loss(note::ODD_INPUT, path, "left out a description that is not text");
    }
    tool.description = description.and_then(JsonNode::json_string);
    tool.strict = spec.get("strict").and_then(JsonNode::as_bool);
    let known_keys = ["name", "description", "inputSchema", "strict"];
    for field in spec.fields().filter(|field| !known_keys.contains(&&*field.key())) {
        tool.extras.push_field(ID, field);
    }
    tool
}
