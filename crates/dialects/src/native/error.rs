//! Decodes and encodes errors.

use interlingua_model::{ApiError, ApiErrorKind, RetryAdvice};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, JsonWriter};

use super::decode::block;
use super::enum_names;

pub(super) fn encode(error: &ApiError) -> Vec<u8> {
    let mut out = JsonWriter::default();
    out.object(|o| {
        o.number("interlingua", 1);
        o.object("error", |o| encode_error(error, o));
    });
    out.into_bytes()
}

pub(super) fn encode_error(error: &ApiError, o: &mut ObjectWriter<'_>) {
    o.str("kind", enum_names::name_of(enum_names::ERROR_KINDS, error.kind));
    o.str("blame", enum_names::name_of(enum_names::ERROR_ORIGINS, error.origin));
    o.number("status", u64::from(error.status));
    match error.retry {
        RetryAdvice::No => o.boolean("retry", false),
        RetryAdvice::Yes => o.boolean("retry", true),
        RetryAdvice::AfterMillis(millis) => o.number("retry", millis),
    }
    o.json_string("message", &error.message);
    if let Some((dialect, json)) = &error.original {
        o.object("written", |o| o.json(dialect.0, json));
    }
}

pub(super) fn decode_error(node: JsonNode<'_>) -> ApiError {
    let kind = enum_names::parse_name(enum_names::ERROR_KINDS, node.get("kind"))
        .unwrap_or(ApiErrorKind::ServerError);
    let mut error = ApiError::new(kind, block::text_or_raw(node.get("message")));
    let status =
        node.get("status").and_then(JsonNode::as_u64).and_then(|code| u16::try_from(code).ok());
    if let Some(status) = status.filter(|status| (400..600).contains(status)) {
        error.status = status;
    }
    if let Some(error_origin) = enum_names::parse_name(enum_names::ERROR_ORIGINS, node.get("blame"))
    {
        error.origin = error_origin;
    }
    if let Some(retry) = node.get("retry") {
        error.retry = match (retry.as_bool(), retry.as_u64()) {
            (Some(true), _) => RetryAdvice::Yes,
            (_, Some(millis)) => RetryAdvice::AfterMillis(millis),
            _ => RetryAdvice::No,
        };
    }
    error.original = node.get("written").and_then(block::decode_tagged_json);
    error
}

pub(super) fn decode_body(status: u16, body: &[u8]) -> ApiError {
    let text = String::from_utf8_lossy(body).into_owned();
    let doc = JsonDoc::parse(text.as_str().into(), JsonLimits::default()).ok();
    match doc.as_ref().and_then(|doc| doc.root().get("error")) {
        Some(error) => decode_error(error),
        None => ApiError::new(
            ApiErrorKind::from_status(status),
            JsonString::new(&text.chars().take(500).collect::<String>()),
        ),
    }
}
