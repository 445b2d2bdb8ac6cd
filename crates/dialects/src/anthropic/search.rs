//! The provider's own search of the web, as blocks of a reply.

use interlingua_model::{Body, Citation};
use interlingua_wire::{Json, Node, Text};

use super::ID;
use crate::Search;

pub(super) fn read(kind: &Text, block: &Json) -> Option<Search> {
    let doc = block.doc();
    let root = doc.root();
    let is_search = *kind == CALL && root.get("name").is_some_and(|name| name.word() == SEARCH);
    let query = root.get("input").and_then(|input| input.get("query")).and_then(Node::text);
    let id = root.get("id").and_then(Node::text).unwrap_or_default();
    is_search.then_some(Search { id, query })
}

/// The search, and what it found. Nobody else can seal that as this dialect's own provider does.
pub(super) fn write(search: &Search, found: &[Citation]) -> Vec<Body> {
    let id = search.id.contents();
    let id = Text::new(&format!("srvtoolu_{}", id.split_once('_').map_or(&*id, |(_, bare)| bare)));
    let call = Json::object(|o| {
        o.known("type", CALL);
        o.text("id", &id);
        o.known("name", SEARCH);
        o.object("input", |o| o.text_if("query", search.query.as_ref()));
    });
    let result = Json::object(|o| {
        o.known("type", RESULT);
        o.text("tool_use_id", &id);
        o.array("content", |list| {
            for one in found {
                let Some(url) = &one.url else { continue };
                list.object(|o| {
                    o.known("type", "web_search_result");
                    o.text("title", one.title.as_ref().unwrap_or(url));
                    o.text("url", url);
                    o.known("encrypted_content", "");
                    o.json("page_age", &Json::NULL);
                });
            }
        });
    });
    let block = |kind, json| Body::Foreign { dialect: ID, kind: Text::word(kind), json };
    vec![block(CALL, call), block(RESULT, result)]
}

/// A call of a tool that the provider runs itself.
pub(super) const CALL: &str = "server_tool_use";
const RESULT: &str = "web_search_tool_result";
const SEARCH: &str = "web_search";
