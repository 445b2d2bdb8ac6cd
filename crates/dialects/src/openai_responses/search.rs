//! The provider's own search of the web, as an item of a reply.

use interlingua_model::Body;
use interlingua_wire::{Json, Node, Text};

use super::ID;
use crate::Search;

pub(super) fn read(kind: &Text, item: &Json) -> Option<Search> {
    let doc = item.doc();
    let root = doc.root();
    let query = root.get("action").and_then(|action| action.get("query")).and_then(Node::text);
    let id = root.get("id").and_then(Node::text).unwrap_or_default();
    (*kind == CALL).then_some(Search { id, query })
}

pub(super) fn write(search: &Search) -> Body {
    let id = search.id.contents();
    let bare = id.split_once('_').map_or(&*id, |(_, bare)| bare);
    let json = Json::object(|o| {
        o.text("id", &Text::new(&format!("ws_{bare}")));
        o.known("type", CALL);
        o.known("status", "completed");
        o.object("action", |o| {
            o.known("type", "search");
            o.text("query", search.query.as_ref().unwrap_or(&Text::EMPTY));
        });
    });
    Body::Foreign { dialect: ID, kind: Text::word(CALL), json }
}

const CALL: &str = "web_search_call";
