//! Which conversation a request belongs to, as a number: signatures and prompt caches are bound to a
//! route, so a conversation stays on its own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use http::HeaderMap;
use interlingua::{Dialect, Doc};

/// The same for all requests of a conversation, as far as its client lets know.
pub(crate) fn draw(headers: &HeaderMap, body: &Doc, dialect: &dyn Dialect) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(session) = HEADERS.iter().find_map(|name| headers.get(*name)) {
        session.as_bytes().hash(&mut hasher);
        return hasher.finish();
    }
    let root = body.root();
    let mark = root
        .get("prompt_cache_key")
        .or_else(|| root.get("metadata")?.get("user_id"))
        .or_else(|| root.get(dialect.turns_key())?.items().next());
    mark.map(interlingua::wire::Node::raw).hash(&mut hasher);
    hasher.finish()
}

/// Where agents name their session.
const HEADERS: &[&str] =
    &["x-claude-code-session-id", "session-id", "thread-id", "x-session-affinity", "x-session-id"];
