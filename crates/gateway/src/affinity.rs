//! Which conversation a request belongs to, as far as its client lets know. Signatures and prompt caches
//! are bound to a route, so a conversation stays on its own.

use http::{HeaderMap, HeaderName, HeaderValue};
use interlingua::wire::Node;
use interlingua::{Dialect, Doc, Text};
use interlingua_store::SessionId;
use interlingua_vault::hash;

/// How a client calls its conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Whatever it says, as a number; some say the same of all their conversations.
    said: Option<u64>,
    /// The session that it names, where it names one.
    pub(crate) session: Option<u64>,
    /// The id of the reply that it goes on from.
    pub(crate) previous: Option<String>,
    /// Its replies may be gone on from by their ids.
    pub(crate) goes_on: bool,
}

impl Mark {
    pub(crate) fn of(headers: &HeaderMap, body: &Doc, dialect: &dyn Dialect) -> Self {
        let root = body.root();
        let goes_on = GOES_ON.contains(&dialect.id().0);
        let previous = if goes_on { root.get("previous_response_id") } else { None };
        let previous = previous.filter(|id| id.is_string());
        let mut mark = Self {
            previous: previous.map(|id| id.word().into_owned()),
            goes_on,
            ..Self::default()
        };
        if let Some(session) = session(headers) {
            // Agents of one session talk to models at the same time.
            let agent = headers.get(AGENT).map_or(&[][..], |agent| agent.as_bytes());
            let session = hash([session.as_bytes()]);
            mark.said = Some(session);
            mark.session = Some(hash([&session.to_le_bytes()[..], agent]));
            return mark;
        }
        let [metadata, cache] = root.pick(["metadata", "prompt_cache_key"]);
        let said_of = |key| metadata.and_then(|metadata| metadata.get(key));
        if let Some(session) = said_of("session_id").filter(|session| session.is_string()) {
            mark.said = Some(hash([session.raw().as_bytes()]));
            mark.session = mark.said;
            return mark;
        }
        let user = said_of("user_id");
        if let Some(said) = cache.or(user) {
            mark.said = Some(hash([said.raw().as_bytes()]));
            let word = said.word();
            let is_one = names_session(&word) || (cache.is_some() && is_id(&word));
            mark.session = mark.said.filter(|_| is_one);
        }
        mark
    }

    /// One of a session that is kept here, unless its client names another.
    pub(crate) fn within(mut self, session: Option<SessionId>) -> Self {
        if let Some(id) = session.filter(|_| self.session.is_none()) {
            self.session = Some(hash([id.to_string().as_bytes()]));
            self.said = self.session;
        }
        self
    }

    /// What a provider may call the conversation: it says nothing of its client.
    pub(crate) fn name(&self) -> Option<Text> {
        self.session.map(|session| Text::new(&format!("conversation_{session:016x}")))
    }

    /// The same for all requests of a conversation, as far as can be told before it is read.
    pub(crate) fn draw(&self, body: &Doc, dialect: &dyn Dialect) -> u64 {
        self.said.unwrap_or_else(|| {
            let turns = body.root().get(dialect.turns_key());
            let first = turns.and_then(|turns| turns.items().next()).map(Node::raw);
            hash(first.map(str::as_bytes))
        })
    }
}

/// What the first of the known headers says. Names are sooner compared, which mostly differ in length, than hashed
/// one after the other.
fn session(headers: &HeaderMap) -> Option<&HeaderValue> {
    let place = |name: &HeaderName| HEADERS.iter().position(|known| known == name);
    let said = headers.iter().filter_map(|(name, value)| Some((place(name)?, value)));
    said.min_by_key(|(place, _)| *place).map(|(_, value)| value)
}

/// Whether this is the name of one session among others, and not only of a user or a program.
fn names_session(said: &str) -> bool {
    let mut parts = said.split(|ch: char| !ch.is_ascii_hexdigit() && ch != '-');
    said.contains("session") && parts.any(is_id)
}

/// Whether this is a UUID: nobody calls two things by it.
fn is_id(part: &str) -> bool {
    part.len() == 36 && part.bytes().filter(|byte| *byte == b'-').count() == 4
}

/// Where agents name their session.
static HEADERS: [HeaderName; 5] = [
    HeaderName::from_static("x-claude-code-session-id"),
    HeaderName::from_static("session-id"),
    HeaderName::from_static("thread-id"),
    HeaderName::from_static("x-session-affinity"),
    HeaderName::from_static("x-session-id"),
];
/// Where they name themselves within it.
const AGENT: &str = "x-claude-code-agent-id";
/// Dialects in which a request can name the reply before it.
const GOES_ON: &[&str] = &["openai-responses"];
