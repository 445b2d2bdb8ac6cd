//! Matches method and path to an endpoint and a dialect. Unknown path prefixes are ignored.

use http::{HeaderMap, Method, Uri, header};
use interlingua::{Dialect, find_dialect};
use interlingua_dialects::native;
use percent_encoding::percent_decode_str;

pub(crate) enum Endpoint {
    Turn(PathParams),
    CountTokens(PathParams),
    /// All models, or one of them.
    Models {
        model: Option<String>,
    },
    Health,
    Ready,
    Metrics,
    /// List, delete, share, export or import lessons.
    Lessons(LessonsRequest),
    Sessions(SessionRequest),
    /// Manage issued keys.
    Keys(KeyRequest),
    Usage(Query),
    /// Get or delete a stored response.
    StoredResponse(StoredResponseRequest),
    /// Guard findings and captured stages of recent turns, or of one.
    Turns {
        turn: Option<String>,
    },
    /// A stream of turn events.
    TurnEvents,
    /// A file of the debug UI.
    Ui,
    /// A browser at `/`.
    Welcome,
    /// Turns over a WebSocket.
    WebSocket,
    /// Another protocol upgrade. Clients fall back to plain HTTP when it is rejected.
    Upgrade,
    /// No such endpoint; perhaps only with this method.
    Unknown {
        requires_post: bool,
    },
}

impl Endpoint {
    /// Whether the request uses tokens.
    pub(crate) fn calls_model(&self) -> bool {
        match self {
            Self::Turn(_) => true,
            Self::Sessions(request) => request.path.last().is_some_and(|last| last == "continue"),
            _ => false,
        }
    }
}

/// What is done with the lessons of one model, of one provider, or of all.
pub(crate) struct LessonsRequest {
    pub(crate) action: LessonsAction,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
    /// The name of the key that learned them.
    pub(crate) key: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LessonsAction {
    List,
    Delete,
    /// Makes lessons of single keys apply to all keys.
    Share,
    /// The lessons as a file.
    Export,
    /// Makes the lessons of a file apply to all keys.
    Import,
}

pub(crate) enum KeyRequest {
    List,
    Create,
    Remove(String),
}

pub(crate) struct SessionRequest {
    pub(crate) method: Method,
    /// The path segments after `/api/sessions`.
    pub(crate) path: Vec<String>,
    pub(crate) query: Query,
}

pub(crate) struct StoredResponseRequest {
    pub(crate) id: String,
    pub(crate) delete: bool,
    /// Lists the input of the response instead of its output.
    pub(crate) input_items: bool,
    pub(crate) query: Query,
}

/// The query string of the URI.
pub(crate) struct Query(String);

impl Query {
    fn from_uri(uri: &Uri) -> Self {
        Self(uri.query().unwrap_or_default().to_owned())
    }

    /// The decoded value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let fields = self.0.split('&').filter_map(|field| field.split_once('='));
        let value = fields.filter(|(key, _)| *key == name).map(|(_, value)| value).next()?;
        Some(percent_decode_str(value).decode_utf8_lossy().into_owned())
    }
}

/// The parameters that the path of a turn carries.
#[derive(Default)]
pub(crate) struct PathParams {
    pub(crate) model: Option<String>,
    /// `None` if the body decides.
    pub(crate) stream: Option<bool>,
    /// The client wants the conversation shortened (`/responses/compact`).
    pub(crate) compacts: bool,
    /// Gemini's `streamGenerateContent` without `alt=sse` streams one JSON array.
    pub(crate) stream_as_array: bool,
}

/// An endpoint, and the dialect of its responses.
pub(crate) struct EndpointMatch {
    pub(crate) endpoint: Endpoint,
    pub(crate) dialect: &'static dyn Dialect,
}

/// A path of a dialect, matched by its last segments.
struct DialectPath {
    path: &'static [&'static str],
    dialect: &'static str,
    endpoint: fn(PathParams) -> Endpoint,
}

/// A Gemini method after the model's name in a path, such as `:generateContent`.
struct CustomMethod {
    name: &'static str,
    stream: Option<bool>,
    endpoint: fn(PathParams) -> Endpoint,
}

pub(crate) fn match_endpoint(method: &Method, uri: &Uri, headers: &HeaderMap) -> EndpointMatch {
    // hyper drops the body of a HEAD response.
    let method = if method == Method::HEAD { &Method::GET } else { method };
    let segments: Vec<&str> = uri.path().split('/').filter(|part| !part.is_empty()).collect();
    // A model's name may look like another path.
    let is_model_name = *method == Method::GET && segments.contains(&"models");
    let dialect_path = DIALECT_PATHS
        .iter()
        .find(|dialect_path| segments.ends_with(dialect_path.path) && !is_model_name);
    let path_dialect = dialect_path.map(|dialect_path| dialect_path.dialect);
    let (endpoint, dialect) = match (method, segments.as_slice()) {
        (&Method::GET, ["healthz"]) => (Endpoint::Health, None),
        (&Method::GET, ["readyz"]) => (Endpoint::Ready, None),
        (&Method::GET, ["metrics"]) => (Endpoint::Metrics, None),
        (&Method::GET, ["api", "lessons"]) => {
            (Endpoint::Lessons(lessons_request(LessonsAction::List, &[], uri)), None)
        }
        (&Method::GET, ["api", "lessons.jsonl"]) => {
            (Endpoint::Lessons(lessons_request(LessonsAction::Export, &[], uri)), None)
        }
        (&Method::PUT, ["api", "lessons.jsonl"]) => {
            (Endpoint::Lessons(lessons_request(LessonsAction::Import, &[], uri)), None)
        }
        (&Method::DELETE, ["api", "lessons", names @ ..]) => {
            (Endpoint::Lessons(lessons_request(LessonsAction::Delete, names, uri)), None)
        }
        (&Method::POST, ["api", "lessons", names @ ..]) => {
            (Endpoint::Lessons(lessons_request(LessonsAction::Share, names, uri)), None)
        }
        (_, ["api", "sessions", path @ ..]) => {
            let path = path.iter().map(|part| (*part).to_owned()).collect();
            let session_request =
                SessionRequest { method: method.clone(), path, query: Query::from_uri(uri) };
            (Endpoint::Sessions(session_request), Some(native::ID.0))
        }
        (&Method::GET, ["api", "keys"]) => (Endpoint::Keys(KeyRequest::List), None),
        (&Method::POST, ["api", "keys"]) => (Endpoint::Keys(KeyRequest::Create), None),
        (&Method::DELETE, ["api", "keys", name]) => {
            let name = percent_decode_str(name).decode_utf8_lossy().into_owned();
            (Endpoint::Keys(KeyRequest::Remove(name)), None)
        }
        (&Method::GET, ["api", "usage"]) => (Endpoint::Usage(Query::from_uri(uri)), None),
        (&Method::GET, ["api", "turns"]) => (Endpoint::Turns { turn: None }, None),
        (&Method::GET, ["api", "turns", turn]) => {
            (Endpoint::Turns { turn: Some((*turn).to_owned()) }, None)
        }
        (&Method::GET, ["api", "events"]) => (Endpoint::TurnEvents, None),
        (&Method::GET, ["ui", ..]) => (Endpoint::Ui, None),
        (&Method::GET, []) => (Endpoint::Welcome, None),
        (&Method::GET, [.., "responses"]) if headers.contains_key(header::UPGRADE) => {
            (Endpoint::WebSocket, path_dialect)
        }
        (&Method::GET, _) if headers.contains_key(header::UPGRADE) => {
            (Endpoint::Upgrade, path_dialect)
        }
        (&Method::GET | &Method::DELETE, [.., "responses", id]) => {
            (stored_response(method, id, false, uri), Some(RESPONSES_DIALECT))
        }
        (&Method::GET, [.., "responses", id, "input_items"]) => {
            (stored_response(method, id, true, uri), Some(RESPONSES_DIALECT))
        }
        (&Method::POST, _) if let Some(dialect_path) = dialect_path => {
            ((dialect_path.endpoint)(PathParams::default()), Some(dialect_path.dialect))
        }
        _ if dialect_path.is_some() => (Endpoint::Unknown { requires_post: true }, path_dialect),
        (method, segments) => match_models_path(method, segments, uri.query()),
    };
    let dialect = dialect.unwrap_or_else(|| dialect_from_headers(headers, &segments));
    EndpointMatch { endpoint, dialect: find_dialect(dialect).unwrap_or(interlingua::DIALECTS[0]) }
}

fn stored_response(method: &Method, id: &str, input_items: bool, uri: &Uri) -> Endpoint {
    let id = percent_decode_str(id).decode_utf8_lossy().into_owned();
    let delete = *method == Method::DELETE;
    Endpoint::StoredResponse(StoredResponseRequest {
        id,
        delete,
        input_items,
        query: Query::from_uri(uri),
    })
}

/// A provider and its model, which may have slashes in its name.
fn lessons_request(action: LessonsAction, names: &[&str], uri: &Uri) -> LessonsRequest {
    let name = |encoded: &str| percent_decode_str(encoded).decode_utf8_lossy().into_owned();
    let (provider, model) = names.split_first().map_or((None, None), |(first, rest)| {
        (Some(name(first)), (!rest.is_empty()).then(|| name(&rest.join("/"))))
    });
    LessonsRequest { action, provider, model, key: Query::from_uri(uri).get("key") }
}

/// `models`, `models/NAME`, `models/NAME:METHOD`; names may contain slashes.
fn match_models_path(
    method: &Method,
    segments: &[&str],
    query: Option<&str>,
) -> (Endpoint, Option<&'static str>) {
    let Some(at) = segments.iter().position(|segment| *segment == "models") else {
        return (NOT_FOUND, None);
    };
    let rest = segments[at + 1..].join("/");
    let name = percent_decode_str(&rest).decode_utf8_lossy().into_owned();
    match *method {
        Method::GET => (Endpoint::Models { model: (!name.is_empty()).then_some(name) }, None),
        Method::POST => {
            let endpoint = name.rsplit_once(':').and_then(|(model, method_name)| {
                let method = CUSTOM_METHODS.iter().find(|known| known.name == method_name)?;
                let wants_sse = query.is_some_and(|query| query.split('&').any(|q| q == "alt=sse"));
                let stream_as_array = method.stream == Some(true) && !wants_sse;
                let path_params = PathParams {
                    model: Some(model.to_owned()),
                    stream: method.stream,
                    stream_as_array,
                    ..PathParams::default()
                };
                Some((method.endpoint)(path_params))
            });
            (endpoint.unwrap_or(NOT_FOUND), Some(CUSTOM_METHODS_DIALECT))
        }
        _ => (NOT_FOUND, None),
    }
}

/// Several dialects share paths: headers and the first segment tell the client's dialect.
fn dialect_from_headers(headers: &HeaderMap, segments: &[&str]) -> &'static str {
    let matches_hint = |hint: &&(&str, &str)| {
        headers.contains_key(hint.0) || segments.first().is_some_and(|first| *first == hint.0)
    };
    DIALECT_HINTS.iter().find(matches_hint).map_or(DEFAULT_DIALECT, |hint| hint.1)
}

const NOT_FOUND: Endpoint = Endpoint::Unknown { requires_post: false };

const DIALECT_PATHS: &[DialectPath] = &[
    DialectPath {
        path: &["messages", "count_tokens"],
        dialect: "anthropic",
        endpoint: Endpoint::CountTokens,
    },
    DialectPath { path: &["messages"], dialect: "anthropic", endpoint: Endpoint::Turn },
    DialectPath {
        path: &["chat", "completions"],
        dialect: "openai-chat",
        endpoint: Endpoint::Turn,
    },
    DialectPath {
        path: &["responses", "input_tokens"],
        dialect: RESPONSES_DIALECT,
        endpoint: Endpoint::CountTokens,
    },
    DialectPath {
        path: &["responses", "compact"],
        dialect: RESPONSES_DIALECT,
        endpoint: |path_params| {
            Endpoint::Turn(PathParams { compacts: true, stream: Some(false), ..path_params })
        },
    },
    DialectPath { path: &["responses"], dialect: RESPONSES_DIALECT, endpoint: Endpoint::Turn },
];

/// The dialect with stored responses.
const RESPONSES_DIALECT: &str = "openai-responses";

const CUSTOM_METHODS_DIALECT: &str = "gemini";
const CUSTOM_METHODS: &[CustomMethod] = &[
    CustomMethod { name: "generateContent", stream: Some(false), endpoint: Endpoint::Turn },
    CustomMethod { name: "streamGenerateContent", stream: Some(true), endpoint: Endpoint::Turn },
    CustomMethod { name: "countTokens", stream: None, endpoint: Endpoint::CountTokens },
];

/// A header or first path segment that is typical of a dialect.
const DIALECT_HINTS: &[(&str, &str)] = &[
    ("anthropic-version", "anthropic"),
    ("x-api-key", "anthropic"),
    ("x-goog-api-key", "gemini"),
    ("v1beta", "gemini"),
];
const DEFAULT_DIALECT: &str = "openai-chat";
