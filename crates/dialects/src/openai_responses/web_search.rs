//! Converts `web_search_call` items from and to the common web search.

use interlingua_model::BlockContent;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::id::ID;
use crate::dialect::WebSearch;

pub(super) fn decode(kind: &JsonString, item: &RawJson) -> Option<WebSearch> {
    let doc = item.to_doc();
    let root = doc.root();
    let query =
        root.get("action").and_then(|action| action.get("query")).and_then(JsonNode::json_string);
    let id = root.get("id").and_then(JsonNode::json_string).unwrap_or_default();
    (*kind == WEB_SEARCH_CALL).then_some(WebSearch { id, query })
}

pub(super) fn encode(search: &WebSearch) -> BlockContent {
    let id = search.id.unescape();
    let suffix = id.split_once('_').map_or(&*id, |(_, suffix)| suffix);
    let json = RawJson::object(|o| {
        o.json_string("id", &JsonString::new(&format!("ws_{suffix}")));
        o.static_str("type", WEB_SEARCH_CALL);
        o.static_str("status", "completed");
        o.object("action", |o| {
            o.static_str("type", "search");
            o.json_string("query", search.query.as_ref().unwrap_or(&JsonString::EMPTY));
        });
    });
    BlockContent::Foreign { dialect: ID, kind: JsonString::from_static(WEB_SEARCH_CALL), json }
}

const WEB_SEARCH_CALL: &str = "web_search_call";
