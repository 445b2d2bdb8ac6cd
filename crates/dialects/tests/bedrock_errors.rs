//! Tests of Bedrock errors: their classification and encoding.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::{Dialect, bedrock::Bedrock};
use interlingua_model::{ApiError, ApiErrorKind, Ledger, ReplyContext};
use interlingua_wire::{JsonDoc, JsonLimits};

fn doc(text: &str) -> JsonDoc {
    JsonDoc::parse(text.into(), JsonLimits::default()).unwrap()
}

#[test]
fn errors_are_classified_by_name_status_and_message() {
    let kind = |status, body: &str| Bedrock.decode_error(status, body.as_bytes()).kind;
    assert_eq!(
        kind(429, r#"{"message":"Too many tokens, please wait before trying again."}"#),
        ApiErrorKind::RateLimit
    );
    assert_eq!(
        kind(400, r#"{"message":"Input is too long for requested model."}"#),
        ApiErrorKind::ContextOverflow
    );
    assert_eq!(
        kind(400, r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"x"}"#),
        ApiErrorKind::InvalidRequest
    );
    assert_eq!(
        kind(400, r#"{"code":"ServiceQuotaExceededException","Message":"x"}"#),
        ApiErrorKind::Billing
    );
    assert_eq!(
        kind(403, r#"{"__type":"ExpiredTokenException:http://x","message":"x"}"#),
        ApiErrorKind::Authentication
    );
    assert_eq!(kind(403, r#"{"message":"x"}"#), ApiErrorKind::Permission);
    assert_eq!(kind(408, r#"{"__type":"ModelTimeoutException"}"#), ApiErrorKind::Timeout);
    assert_eq!(
        kind(429, r#"{"__type":"ModelNotReadyException","message":"x"}"#),
        ApiErrorKind::Overloaded
    );
    assert_eq!(
        kind(424, r#"{"__type":"ModelErrorException","message":"x","originalStatusCode":500}"#),
        ApiErrorKind::ServerError
    );
    assert_eq!(
        kind(
            424,
            r#"{"__type":"ModelErrorException","message":"prompt is too long: 9 tokens","originalStatusCode":400}"#
        ),
        ApiErrorKind::ContextOverflow
    );
    let page = Bedrock.decode_error(502, format!("<html>{}", "x".repeat(900)).as_bytes());
    assert_eq!((page.kind, page.status), (ApiErrorKind::ServerError, 502));
    assert!(page.message.unescape().chars().count() < 550);
    assert_eq!(Bedrock.decode_error(503, b"").kind, ApiErrorKind::Overloaded);
    let embedded = doc(r#"{"message":"x","__type":"ThrottlingException"}"#);
    let reply = Bedrock.decode_reply(&embedded, &ReplyContext::default(), &mut Ledger::default());
    assert_eq!(reply.err().map(|failure| failure.kind), Some(ApiErrorKind::RateLimit));
}

#[test]
fn an_error_keeps_its_original_body() {
    let body = br#"{"message": "The toolConfig field must be defined"}"#;
    let error = Bedrock.decode_error(400, body);
    assert_eq!(Bedrock.encode_error(&error), body);
    let other = ApiError::new(ApiErrorKind::ContextOverflow, "prompt is too long".into());
    assert_eq!(
        String::from_utf8(Bedrock.encode_error(&other)).unwrap(),
        r#"{"__type":"ValidationException","message":"Input is too long for requested model. prompt is too long"}"#
    );
}
