//! Which conversation a request belongs to, as a number: signatures and prompt caches are bound to a
//! route, so a conversation stays on its own.

use http::HeaderMap;
use interlingua::wire::Node;
use interlingua::{Dialect, Doc};
use interlingua_vault::hash;

/// The same for all requests of a conversation, as far as its client lets know.
pub(crate) fn draw(headers: &HeaderMap, body: &Doc, dialect: &dyn Dialect) -> u64 {
    mark(headers, body).unwrap_or_else(|| {
        let turns = body.root().get(dialect.turns_key());
        hash(turns.and_then(|turns| turns.items().next()).map(|first| first.raw().as_bytes()))
    })
}

/// How the client calls its conversation, if it does: by its session, or by what its cache is for.
pub(crate) fn mark(headers: &HeaderMap, body: &Doc) -> Option<u64> {
    if let Some(session) = HEADERS.iter().find_map(|name| headers.get(*name)) {
        return Some(hash([session.as_bytes()]));
    }
    let root = body.root();
    let mark = root.get("prompt_cache_key").or_else(|| root.get("metadata")?.get("user_id"));
    mark.map(Node::raw).map(|mark| hash([mark.as_bytes()]))
}

/// Where agents name their session.
const HEADERS: &[&str] =
    &["x-claude-code-session-id", "session-id", "thread-id", "x-session-affinity", "x-session-id"];
