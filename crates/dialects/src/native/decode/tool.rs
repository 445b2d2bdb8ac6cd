//! Decodes tools.

use interlingua_model::{Ledger, LedgerPath, Tool, ToolKind, Verbatim};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::{block, unknown_fields};
use crate::native::id::ID;
use crate::{note, registry};

pub(crate) fn decode_tool(node: JsonNode<'_>, ledger: &mut Ledger) -> Verbatim<Tool> {
    if let Some((dialect, raw)) = block::decode_raw(node) {
        let tool = dialect.decode_tool(raw.to_doc().root(), ledger);
        return tool.map_keeping_text(|tool| tool.cache_breakpoint = block::decode_cache(node));
    }
    let path = LedgerPath::BODY;
    unknown_fields::note_unknown_fields(node, &known_keys(node), path, ledger);
    unknown_fields::note_invalid_values(
        node,
        &["description", "namespace"],
        JsonNode::is_string,
        path,
        ledger,
    );
    unknown_fields::note_invalid_values(
        node,
        &["strict"],
        unknown_fields::is_boolean,
        path,
        ledger,
    );
    unknown_fields::check_common_fields(node, path, ledger);
    let non_null = |node: JsonNode<'_>| (!node.is_null()).then(|| node.json());
    let mut name = block::text_or_raw(node.get("name"));
    let kind = if let Some(foreign) = node.get("foreign") {
        decode_foreign(foreign, &mut name, ledger)
    } else if let Some(format) = node.get("freeform") {
        ToolKind::Freeform { format: non_null(format) }
    } else {
        ToolKind::Function { schema: node.get("schema").and_then(non_null) }
    };
    let tool = Tool {
        name,
        description: node.get("description").and_then(JsonNode::json_string),
        kind,
        strict: node.get("strict").and_then(JsonNode::as_bool),
        namespace: node.get("namespace").and_then(JsonNode::json_string),
        cache_breakpoint: block::decode_cache(node),
        extras: block::decode_extras(node),
    };
    Verbatim::with_text(tool, ID, node.json())
}

/// The keys of a tool of the node's kind.
fn known_keys(node: JsonNode<'_>) -> Vec<&'static str> {
    let kinds = ["foreign", "freeform", "schema"];
    let kind = kinds.into_iter().find(|kind| node.get(kind).is_some());
    kind.into_iter().chain(COMMON_TOOL_KEYS).chain(unknown_fields::COMMON_KEYS).collect()
}

/// Decodes a foreign tool. Its kind and name come from decoding the JSON in its own dialect.
fn decode_foreign(foreign: JsonNode<'_>, name: &mut JsonString, ledger: &mut Ledger) -> ToolKind {
    unknown_fields::note_unknown_fields(
        foreign,
        &["dialect", "kind", "json"],
        LedgerPath::BODY,
        ledger,
    );
    let dialect =
        foreign.get("dialect").map(|name| name.str_or_empty().into_owned()).unwrap_or_default();
    let json = foreign.get("json").map_or(RawJson::NULL, JsonNode::json);
    let Some(dialect) = registry::find_provider_dialect(&dialect) else {
        let kind = block::text_or_raw(foreign.get("kind"));
        return ToolKind::Foreign { dialect: ID, kind, json };
    };
    let tool = dialect.decode_tool(json.to_doc().root(), ledger).into_value();
    let original_name = json.to_doc().root().get("name").and_then(JsonNode::json_string);
    if let (ToolKind::Foreign { .. }, Some(original_name)) = (&tool.kind, original_name)
        && original_name != *name
    {
        let message = format!("the tool `{name}` is named `{original_name}` in its own dialect");
        ledger.record_change(note::ODD_INPUT, LedgerPath::BODY, message);
        *name = original_name;
    }
    tool.kind
}

/// The keys of a tool of any kind.
const COMMON_TOOL_KEYS: [&str; 4] = ["name", "description", "strict", "namespace"];
