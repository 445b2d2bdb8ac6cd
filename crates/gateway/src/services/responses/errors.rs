//! Errors about stored replies: those of `OpenAI`, with the codes that its clients match on, and those
//! of a store that cannot be read now.

use interlingua::{ApiError, JsonString, RawJson};
use interlingua_model::{ApiErrorKind, RetryAdvice};

use crate::http_util::error_response::{ErrorResponse, failure};
use crate::services::responses::stored_reply;

pub(super) fn response_not_found(id: &str) -> ErrorResponse {
    openai_error(404, &format!("Response with id '{id}' not found."), None, None)
}

/// The error for a request that continues an unknown reply.
pub(super) fn unknown_response(id: &str) -> ErrorResponse {
    let message = format!("Previous response with id '{id}' not found.");
    let param = Some(stored_reply::PREVIOUS_RESPONSE_ID);
    openai_error(400, &message, param, Some("previous_response_not_found"))
}

pub(super) fn unknown_item(id: &str) -> ErrorResponse {
    openai_error(404, &format!("Item with id '{id}' not found."), Some(stored_reply::INPUT), None)
}

fn openai_error(
    status: u16,
    message: &str,
    param: Option<&'static str>,
    code: Option<&'static str>,
) -> ErrorResponse {
    let nullable = |nullable: Option<&'static str>| {
        nullable
            .map_or(RawJson::NULL, |nullable| RawJson::string(&JsonString::from_static(nullable)))
    };
    let body = RawJson::object(|o| {
        o.object("error", |o| {
            o.json_string("message", &JsonString::new(message));
            o.static_str("type", "invalid_request_error");
            o.json("param", &nullable(param));
            o.json("code", &nullable(code));
        });
    });
    let kind = if status == 404 { ApiErrorKind::NotFound } else { ApiErrorKind::InvalidRequest };
    let error = ApiError { status, ..failure(kind, message) };
    ErrorResponse { verbatim: Some(Box::new((body.to_bytes(), None))), ..error.into() }
}

/// The store cannot be read at the moment.
pub(super) fn unreadable() -> ErrorResponse {
    retry_soon("the history is in a store that cannot be read at the moment")
}

/// The reply is younger than the time in which another node writes it.
pub(super) fn not_stored_yet(id: &str) -> ErrorResponse {
    retry_soon(&format!("the response '{id}' is not stored yet"))
}

fn retry_soon(message: &str) -> ErrorResponse {
    let retry = RetryAdvice::AfterMillis(RETRY_AFTER_MILLIS);
    ApiError { retry, ..failure(ApiErrorKind::Overloaded, message) }.into()
}

const RETRY_AFTER_MILLIS: u64 = 1000;
