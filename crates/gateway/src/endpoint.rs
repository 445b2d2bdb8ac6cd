//! What is asked for, told by method and path. Queries and unknown prefixes do not matter.

use http::{HeaderMap, Method, Uri, header};
use interlingua::{Dialect, find, native};
use percent_encoding::percent_decode_str;

use crate::keys::KeyAsk;

/// What is asked for.
pub(crate) enum Endpoint {
    /// A turn of the model.
    Turn(Asked),
    /// The number of tokens a request has.
    Count(Asked),
    /// All models, or the one that is named.
    Models {
        model: Option<String>,
    },
    Health,
    Ready,
    Metrics,
    /// What was learned: to be shown, or forgotten.
    Lessons(Lessons),
    /// Conversations that are kept here.
    Sessions(SessionAsk),
    /// Keys that are made here.
    Keys(KeyAsk),
    /// What was used.
    Usage(Query),
    /// A reply that is kept here.
    Response(ResponseAsk),
    /// What was found in turns, or in the one that is named.
    Turns {
        turn: Option<String>,
    },
    /// What happens from now on.
    Events,
    /// A file of the debug UI.
    Page,
    /// Somebody looks in with a browser.
    Welcome,
    /// A connection of another kind, which clients do without when they are told.
    Upgrade,
    /// Nothing that is known; perhaps only in this way.
    Unknown {
        is_posted: bool,
    },
}

impl Endpoint {
    /// Whether tokens are used for it.
    pub(crate) fn asks_a_model(&self) -> bool {
        match self {
            Self::Turn(_) => true,
            Self::Sessions(ask) => ask.path.last().is_some_and(|last| last == "continue"),
            _ => false,
        }
    }
}

/// What is to be done with what was learned of a provider's model, or of all.
pub(crate) struct Lessons {
    pub(crate) forget: bool,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
}

/// What is asked about sessions.
pub(crate) struct SessionAsk {
    pub(crate) method: Method,
    /// What follows in the path.
    pub(crate) path: Vec<String>,
    pub(crate) query: Query,
}

/// What is asked about a reply.
pub(crate) struct ResponseAsk {
    pub(crate) id: String,
    pub(crate) forget: bool,
    /// It is about what was said to it.
    pub(crate) items: bool,
    pub(crate) query: Query,
}

/// What follows the path.
pub(crate) struct Query(String);

impl Query {
    fn of(uri: &Uri) -> Self {
        Self(uri.query().unwrap_or_default().to_owned())
    }

    /// The value of a field.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        let fields = self.0.split('&').filter_map(|field| field.split_once('='));
        let found = fields.filter(|(key, _)| *key == name).map(|(_, value)| value).next()?;
        Some(percent_decode_str(found).decode_utf8_lossy().into_owned())
    }
}

/// What the path says about a request.
#[derive(Default)]
pub(crate) struct Asked {
    pub(crate) model: Option<String>,
    /// Where the path decides it.
    pub(crate) stream: Option<bool>,
    /// A stream is wanted as one JSON array.
    pub(crate) array: bool,
}

/// What is asked for, and the dialect in which it is answered.
pub(crate) struct Address {
    pub(crate) endpoint: Endpoint,
    pub(crate) dialect: &'static dyn Dialect,
}

/// The paths of the dialects, by their last segments.
struct Row {
    path: &'static [&'static str],
    dialect: &'static str,
    endpoint: fn(Asked) -> Endpoint,
}

/// What stands after a model's name in a path.
struct Verb {
    name: &'static str,
    stream: Option<bool>,
    endpoint: fn(Asked) -> Endpoint,
}

pub(crate) fn address(method: &Method, uri: &Uri, headers: &HeaderMap) -> Address {
    // Whoever asks for the head alone gets no more.
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let segments: Vec<&str> = uri.path().split('/').filter(|part| !part.is_empty()).collect();
    // A model may be named like a path.
    let named_after = *method == Method::GET && segments.contains(&"models");
    let row = ROWS.iter().find(|row| segments.ends_with(row.path) && !named_after);
    let named = row.map(|row| row.dialect);
    let (endpoint, dialect) = match (method, segments.as_slice()) {
        (&Method::GET, ["healthz"]) => (Endpoint::Health, None),
        (&Method::GET, ["readyz"]) => (Endpoint::Ready, None),
        (&Method::GET, ["metrics"]) => (Endpoint::Metrics, None),
        (&Method::GET, ["api", "lessons"]) => (Endpoint::Lessons(lessons(false, &[])), None),
        (&Method::DELETE, ["api", "lessons", of @ ..]) => {
            (Endpoint::Lessons(lessons(true, of)), None)
        }
        (_, ["api", "sessions", path @ ..]) => {
            let path = path.iter().map(|part| (*part).to_owned()).collect();
            let ask = SessionAsk { method: method.clone(), path, query: Query::of(uri) };
            (Endpoint::Sessions(ask), Some(native::ID.0))
        }
        (&Method::GET, ["api", "keys"]) => (Endpoint::Keys(KeyAsk::List), None),
        (&Method::POST, ["api", "keys"]) => (Endpoint::Keys(KeyAsk::Make), None),
        (&Method::DELETE, ["api", "keys", name]) => {
            let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
            (Endpoint::Keys(KeyAsk::Remove(name)), None)
        }
        (&Method::GET, ["api", "usage"]) => (Endpoint::Usage(Query::of(uri)), None),
        (&Method::GET, ["api", "turns"]) => (Endpoint::Turns { turn: None }, None),
        (&Method::GET, ["api", "turns", turn]) => {
            (Endpoint::Turns { turn: Some((*turn).to_owned()) }, None)
        }
        (&Method::GET, ["api", "events"]) => (Endpoint::Events, None),
        (&Method::GET, ["ui", ..]) => (Endpoint::Page, None),
        (&Method::GET, []) => (Endpoint::Welcome, None),
        (&Method::GET, _) if headers.contains_key(header::UPGRADE) => (Endpoint::Upgrade, named),
        (&Method::GET | &Method::DELETE, [.., "responses", id]) => {
            (response(method, id, false, uri), Some(RESPONSES))
        }
        (&Method::GET, [.., "responses", id, "input_items"]) => {
            (response(method, id, true, uri), Some(RESPONSES))
        }
        (&Method::POST, _) if let Some(row) = row => {
            ((row.endpoint)(Asked::default()), Some(row.dialect))
        }
        _ if row.is_some() => (Endpoint::Unknown { is_posted: true }, named),
        (method, segments) => beneath_models(method, segments, uri.query()),
    };
    let dialect = dialect.unwrap_or_else(|| told_by(headers, &segments));
    Address { endpoint, dialect: find(dialect).unwrap_or(interlingua::ALL[0]) }
}

fn response(method: &Method, id: &str, items: bool, uri: &Uri) -> Endpoint {
    let id = percent_decode_str(id).decode_utf8_lossy().into_owned();
    let forget = *method == Method::DELETE;
    Endpoint::Response(ResponseAsk { id, forget, items, query: Query::of(uri) })
}

/// A provider, and its model, whose name may have slashes in it.
fn lessons(forget: bool, of: &[&str]) -> Lessons {
    let name = |written: &str| percent_decode_str(written).decode_utf8_lossy().into_owned();
    let (provider, model) = of.split_first().map_or((None, None), |(first, rest)| {
        (Some(name(first)), (!rest.is_empty()).then(|| name(&rest.join("/"))))
    });
    Lessons { forget, provider, model }
}

/// `models`, `models/NAME`, `models/NAME:VERB`; names may have slashes in them.
fn beneath_models(
    method: &Method,
    segments: &[&str],
    query: Option<&str>,
) -> (Endpoint, Option<&'static str>) {
    let Some(at) = segments.iter().position(|segment| *segment == "models") else {
        return (NOTHING, None);
    };
    let rest = segments[at + 1..].join("/");
    let name = percent_decode_str(&rest).decode_utf8_lossy().into_owned();
    match *method {
        Method::GET => (Endpoint::Models { model: (!name.is_empty()).then_some(name) }, None),
        Method::POST => {
            let found = name.rsplit_once(':').and_then(|(model, verb)| {
                let verb = VERBS.iter().find(|known| known.name == verb)?;
                let asks_events =
                    query.is_some_and(|query| query.split('&').any(|q| q == "alt=sse"));
                let array = verb.stream == Some(true) && !asks_events;
                let asked = Asked { model: Some(model.to_owned()), stream: verb.stream, array };
                Some((verb.endpoint)(asked))
            });
            (found.unwrap_or(NOTHING), Some(VERBS_DIALECT))
        }
        _ => (NOTHING, None),
    }
}

/// Where several dialects have the same path, the headers tell who is asking.
fn told_by(headers: &HeaderMap, segments: &[&str]) -> &'static str {
    let told = |row: &&(&str, &str)| {
        headers.contains_key(row.0) || segments.first().is_some_and(|first| *first == row.0)
    };
    SIGNS.iter().find(told).map_or(USUAL, |row| row.1)
}

const NOTHING: Endpoint = Endpoint::Unknown { is_posted: false };

const ROWS: &[Row] = &[
    Row { path: &["messages", "count_tokens"], dialect: "anthropic", endpoint: Endpoint::Count },
    Row { path: &["messages"], dialect: "anthropic", endpoint: Endpoint::Turn },
    Row { path: &["chat", "completions"], dialect: "openai-chat", endpoint: Endpoint::Turn },
    Row { path: &["responses", "input_tokens"], dialect: RESPONSES, endpoint: Endpoint::Count },
    Row { path: &["responses"], dialect: RESPONSES, endpoint: Endpoint::Turn },
];

/// The dialect whose replies have addresses.
const RESPONSES: &str = "openai-responses";

const VERBS_DIALECT: &str = "gemini";
const VERBS: &[Verb] = &[
    Verb { name: "generateContent", stream: Some(false), endpoint: Endpoint::Turn },
    Verb { name: "streamGenerateContent", stream: Some(true), endpoint: Endpoint::Turn },
    Verb { name: "countTokens", stream: None, endpoint: Endpoint::Count },
];

/// A header or first segment, and whose it is.
const SIGNS: &[(&str, &str)] = &[
    ("anthropic-version", "anthropic"),
    ("x-api-key", "anthropic"),
    ("x-goog-api-key", "gemini"),
    ("v1beta", "gemini"),
];
const USUAL: &str = "openai-chat";
