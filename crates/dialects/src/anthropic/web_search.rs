//! Converts the provider's web search calls and results from and to foreign blocks.

use interlingua_model::{BlockContent, Citation};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::id::ID;
use crate::dialect::WebSearch;

pub(super) fn decode(kind: &JsonString, block: &RawJson) -> Option<WebSearch> {
    let doc = block.to_doc();
    let root = doc.root();
    let is_search = *kind == SERVER_TOOL_USE
        && root.get("name").is_some_and(|name| name.str_or_empty() == WEB_SEARCH);
    let query =
        root.get("input").and_then(|input| input.get("query")).and_then(JsonNode::json_string);
    let id = root.get("id").and_then(JsonNode::json_string).unwrap_or_default();
    is_search.then_some(WebSearch { id, query })
}

/// Encodes the search call and its results. `encrypted_content` stays empty: only Anthropic can
/// create it.
pub(super) fn encode(search: &WebSearch, citations: &[Citation]) -> Vec<BlockContent> {
    let id = search.id.unescape();
    let id =
        JsonString::new(&format!("srvtoolu_{}", id.split_once('_').map_or(&*id, |(_, bare)| bare)));
    let call = RawJson::object(|o| {
        o.static_str("type", SERVER_TOOL_USE);
        o.json_string("id", &id);
        o.static_str("name", WEB_SEARCH);
        o.object("input", |o| o.json_string_opt("query", search.query.as_ref()));
    });
    let result = RawJson::object(|o| {
        o.static_str("type", WEB_SEARCH_TOOL_RESULT);
        o.json_string("tool_use_id", &id);
        o.array("content", |list| {
            for citation in citations {
                let Some(url) = &citation.url else { continue };
                list.object(|o| {
                    o.static_str("type", "web_search_result");
                    o.json_string("title", citation.title.as_ref().unwrap_or(url));
                    o.json_string("url", url);
                    o.static_str("encrypted_content", "");
                    o.json("page_age", &RawJson::NULL);
                });
            }
        });
    });
    let block = |kind, json| BlockContent::Foreign {
        dialect: ID,
        kind: JsonString::from_static(kind),
        json,
    };
    vec![block(SERVER_TOOL_USE, call), block(WEB_SEARCH_TOOL_RESULT, result)]
}

/// Block type of a call to a tool that the provider runs.
pub(super) const SERVER_TOOL_USE: &str = "server_tool_use";
const WEB_SEARCH_TOOL_RESULT: &str = "web_search_tool_result";
const WEB_SEARCH: &str = "web_search";
