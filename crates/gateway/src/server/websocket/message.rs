//! Parses the messages of clients, and encodes those that are no events of a reply.

use bytes::Bytes;
use http::header::{HeaderMap, RETRY_AFTER};
use interlingua::{ApiError, Dialect, JsonDoc, JsonLimits, JsonString, RawJson};
use interlingua_model::ApiErrorKind;
use interlingua_wire::JsonNode;

use crate::config::Limits;
use crate::http_util::error_response::failure;
use crate::proxy::parse::parse_body;
use crate::services::responses::stored_reply::{INPUT, PREVIOUS_RESPONSE_ID, input_items};

/// A `response.create` message.
pub(super) struct CreateMessage {
    /// The body of a POST request for the same turn.
    pub(super) body: Bytes,
    /// The reply that it continues.
    pub(super) previous_id: Option<String>,
    /// Its reply is not stored: only this connection knows it.
    pub(super) is_unstored: bool,
    /// Otherwise the client only sends its input ahead, and wants no reply of the model.
    pub(super) generates: bool,
    pub(super) model: String,
    /// Its own input, if the connection has to remember it.
    pub(super) input: Vec<RawJson>,
}

impl CreateMessage {
    pub(super) fn parse(text: &Bytes, limits: &Limits) -> Result<Self, ApiError> {
        let doc = parse_body(text, limits).map_err(|error| *error.failure)?;
        let root = doc.root();
        let text_of = |key: &str| root.get(key).filter(|value| value.is_string());
        let text_of = |key: &str| text_of(key).map(|value| value.str_or_empty().into_owned());
        let flag = |key: &str| root.get(key).and_then(JsonNode::as_bool);
        let kind = text_of("type").unwrap_or_default();
        if kind != "response.create" {
            let message = "type: the only message of clients is `response.create`";
            return Err(failure(ApiErrorKind::InvalidRequest, message));
        }
        if flag("background") == Some(true) || root.get("stream_id").is_some_and(|id| !id.is_null())
        {
            let message = "background and stream_id are not supported: a connection has one response at a time";
            return Err(failure(ApiErrorKind::InvalidRequest, message));
        }
        let generates = flag("generate") != Some(false);
        let is_unstored = flag("store") == Some(false);
        let input = (is_unstored || !generates).then(|| input_items(root.get(INPUT)));
        let body = RawJson::object(|o| {
            for field in root.fields() {
                if !TRANSPORT_FIELDS.iter().any(|key| field.key_is(key)) {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
            o.json("stream", &RawJson::TRUE);
        });
        Ok(Self {
            body: body.to_bytes(),
            previous_id: text_of(PREVIOUS_RESPONSE_ID),
            is_unstored,
            generates,
            model: text_of("model").unwrap_or_default(),
            input: input.unwrap_or_default(),
        })
    }
}

/// An error as a message, from its body as an HTTP response.
pub(super) fn error_message(status: u16, body: &Bytes, headers: Option<&HeaderMap>) -> String {
    let doc = JsonDoc::from_bytes(body.clone(), JsonLimits::default()).ok();
    let error = doc.as_ref().and_then(|doc| doc.root().get("error")).map(JsonNode::json);
    let retry_after = headers.and_then(|headers| headers.get(RETRY_AFTER)?.to_str().ok());
    let message = RawJson::object(|o| {
        o.static_str("type", "error");
        o.number("status", status.into());
        match &error {
            Some(error) => o.json("error", error),
            None => o.object("error", |o| {
                o.static_str("type", "server_error");
                o.json_string("message", &JsonString::new(&String::from_utf8_lossy(body)));
            }),
        }
        if let Some(seconds) = retry_after {
            o.object("headers", |o| o.json_string("retry-after", &JsonString::new(seconds)));
        }
    });
    message.as_str().to_owned()
}

/// An error of the gateway as a message.
pub(super) fn gateway_error_message(error: &ApiError, dialect: &dyn Dialect) -> String {
    error_message(dialect.error_status(error), &dialect.encode_error(error).into(), None)
}

/// An error about the connection, with a code that clients match on.
pub(super) fn connection_error_message(code: &'static str, message: &'static str) -> String {
    let error = RawJson::object(|o| {
        o.object("error", |o| {
            o.static_str("type", "invalid_request_error");
            o.static_str("code", code);
            o.static_str("message", message);
            o.json("param", &RawJson::NULL);
        });
    });
    error_message(400, &error.to_bytes(), None)
}

/// The name of this event, if a reply ends with it. `event` is its name in a stream with names.
pub(super) fn find_last_event(event: Option<&str>, data: &str) -> Option<&'static str> {
    let begin = || data.get(..data.len().min(MAX_TYPE_OFFSET)).unwrap_or(data);
    let is_named = |kind: &str| {
        event.map_or_else(|| begin().contains(&format!("\"{kind}\"")), |event| event == kind)
    };
    LAST_EVENTS.into_iter().find(|kind| is_named(kind))
}

/// Fields of a message that a POST request does not have, or that are implied.
const TRANSPORT_FIELDS: [&str; 5] = ["type", "generate", "stream", "background", "stream_id"];
/// Events after which no other follows.
const LAST_EVENTS: [&str; 4] =
    ["response.completed", "response.incomplete", "response.failed", "error"];
/// Those with a reply that a later turn can continue.
pub(super) const REPLY_EVENTS: [&str; 2] = ["response.completed", "response.incomplete"];
/// The type is one of the first fields of an event.
const MAX_TYPE_OFFSET: usize = 128;
