//! Finds requests for a hosted web search.

use interlingua_model::{Tool, ToolKind};
use interlingua_wire::{Field, JsonDoc, JsonNode};

use interlingua_providers::profile::web_search::{self};

/// Whether a request of any dialect requests a web search.
pub fn requests_search(body: &JsonDoc) -> bool {
    let has_search_field =
        || body.root().get(web_search::CHAT.type_name).is_some_and(JsonNode::is_object);
    let mut tools = body.root().get("tools").into_iter().flat_map(JsonNode::items);
    tools.any(|tool| {
        let typed = tool.get("type").map(JsonNode::str_or_empty);
        let key_of_tool = || tool.fields().next().map(Field::key);
        typed.or_else(key_of_tool).is_some_and(|kind| web_search::by_type(&kind).is_some())
    }) || has_search_field()
}

/// Whether the tool is a hosted web search.
pub fn is_search_tool(tool: &Tool) -> bool {
    matches!(&tool.kind, ToolKind::Foreign { kind, .. } if web_search::by_type(&kind.unescape()).is_some())
}
