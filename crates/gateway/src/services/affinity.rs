//! Derives the conversation key of a request from headers, metadata and `prompt_cache_key`.
//!
//! Signatures and prompt caches are bound to a route, so all requests of a conversation take the
//! same one.

use http::{HeaderMap, HeaderName, HeaderValue};
use interlingua::{Dialect, JsonDoc, JsonString};
use interlingua_store::SessionId;
use interlingua_vault::stable_hash;
use interlingua_wire::JsonNode;

use crate::http_util::client_api::ClientApi;

/// Identifies the client's conversation by hashes of session headers or body fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ConversationKey {
    /// Hash of any identifier that the client sends. Some clients send the same one for all
    /// conversations.
    affinity: Option<u64>,
    /// Hash of an identifier that names exactly one session.
    pub(crate) client_session: Option<u64>,
    /// The `previous_response_id` of the request.
    pub(crate) previous_response: Option<String>,
    /// Whether the dialect can continue a reply by its id.
    pub(crate) supports_chaining: bool,
}

impl ConversationKey {
    pub(crate) fn from_request(headers: &HeaderMap, body: &JsonDoc, dialect: &dyn Dialect) -> Self {
        let root = body.root();
        let supports_chaining = ClientApi::from_dialect(dialect).supports_chaining;
        let previous = if supports_chaining { root.get("previous_response_id") } else { None };
        let previous = previous.filter(|id| id.is_string());
        let mut conversation_key = Self {
            previous_response: previous.map(|id| id.str_or_empty().into_owned()),
            supports_chaining,
            ..Self::default()
        };
        if let Some(session) = session_header(headers) {
            // Sub-agents share the session id and run concurrently, so the agent id is hashed in.
            let agent = headers.get(AGENT_ID_HEADER).map_or(&[][..], |agent| agent.as_bytes());
            let session = stable_hash([session.as_bytes()]);
            conversation_key.affinity = Some(session);
            conversation_key.client_session =
                Some(stable_hash([&session.to_le_bytes()[..], agent]));
            return conversation_key;
        }
        let [metadata, cache] = root.get_many(["metadata", "prompt_cache_key"]);
        let metadata_field = |key| metadata.and_then(|metadata| metadata.get(key));
        if let Some(session) = metadata_field("session_id").filter(|session| session.is_string()) {
            conversation_key.affinity = Some(stable_hash([session.raw().as_bytes()]));
            conversation_key.client_session = conversation_key.affinity;
            return conversation_key;
        }
        let user = metadata_field("user_id");
        if let Some(value) = cache.or(user) {
            conversation_key.affinity = Some(stable_hash([value.raw().as_bytes()]));
            let text = value.str_or_empty();
            let is_session = contains_session_id(&text) || (cache.is_some() && is_uuid(&text));
            conversation_key.client_session = conversation_key.affinity.filter(|_| is_session);
        }
        conversation_key
    }

    /// Uses the id of a stored session unless the client names a session itself.
    pub(crate) fn or_session(mut self, session: Option<SessionId>) -> Self {
        if let Some(id) = session.filter(|_| self.client_session.is_none()) {
            self.client_session = Some(stable_hash([id.to_string().as_bytes()]));
            self.affinity = self.client_session;
        }
        self
    }

    /// A name for the provider's prompt cache. It reveals nothing about the client.
    pub(crate) fn opaque_name(&self) -> Option<JsonString> {
        self.client_session.map(|session| JsonString::new(&format!("conversation_{session:016x}")))
    }

    /// A hash of the conversation: its client session, or else its turns up to the first one of the
    /// user, since many conversations begin with the same instructions.
    pub(crate) fn conversation_hash(&self, body: &JsonDoc, dialect: &dyn Dialect) -> u64 {
        self.client_session.unwrap_or_else(|| {
            let Some(turns) = body.root().get(dialect.turns_key()) else { return 0 };
            if !turns.is_array() {
                return stable_hash([turns.raw().as_bytes()]);
            }
            let is_instruction = |turn: &JsonNode<'_>| {
                let role = turn.get("role").map(JsonNode::str_or_empty).unwrap_or_default();
                ["system", "developer"].contains(&&*role)
            };
            let instructions = turns.items().take_while(is_instruction).count();
            stable_hash(turns.items().take(instructions + 1).map(|turn| turn.raw().as_bytes()))
        })
    }

    /// A number that is equal for all requests of a conversation, computed before the body is
    /// decoded.
    pub(crate) fn route_hash(&self, body: &JsonDoc, dialect: &dyn Dialect) -> u64 {
        self.affinity.unwrap_or_else(|| {
            let turns = body.root().get(dialect.turns_key());
            let first = turns.and_then(|turns| turns.items().next()).map(JsonNode::raw);
            stable_hash(first.map(str::as_bytes))
        })
    }
}

/// The value of the first known session header. Comparing names, which mostly differ in length, is
/// cheaper than hashing each of them.
fn session_header(headers: &HeaderMap) -> Option<&HeaderValue> {
    let rank = |name: &HeaderName| SESSION_HEADERS.iter().position(|known| known == name);
    let values = headers.iter().filter_map(|(name, value)| Some((rank(name)?, value)));
    values.min_by_key(|(rank, _)| *rank).map(|(_, value)| value)
}

/// Whether the value names one session, not only a user or a program.
fn contains_session_id(value: &str) -> bool {
    let mut parts = value.split(|ch: char| !ch.is_ascii_hexdigit() && ch != '-');
    value.contains("session") && parts.any(is_uuid)
}

fn is_uuid(part: &str) -> bool {
    part.len() == 36 && part.bytes().filter(|byte| *byte == b'-').count() == 4
}

/// Session headers of known agents, in order of preference.
static SESSION_HEADERS: [HeaderName; 5] = [
    HeaderName::from_static("x-claude-code-session-id"),
    HeaderName::from_static("session-id"),
    HeaderName::from_static("thread-id"),
    HeaderName::from_static("x-session-affinity"),
    HeaderName::from_static("x-session-id"),
];
/// Header in which Claude Code's sub-agents identify themselves.
const AGENT_ID_HEADER: &str = "x-claude-code-agent-id";
