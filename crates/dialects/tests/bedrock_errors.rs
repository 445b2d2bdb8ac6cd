//! Errors in the Bedrock dialect: what they are known by, and what leaves.
#![expect(clippy::unwrap_used, reason = "a test says what went wrong by failing")]

use interlingua_dialects::{Dialect, bedrock::Bedrock};
use interlingua_model::{Exchange, Failure, FailureKind, Ledger};
use interlingua_wire::{Doc, Limits};

fn doc(text: &str) -> Doc {
    Doc::parse(text.into(), Limits::default()).unwrap()
}

#[test]
fn errors_are_known_by_name_status_and_words() {
    let kind = |status, body: &str| Bedrock.decode_error(status, body.as_bytes()).kind;
    assert_eq!(
        kind(429, r#"{"message":"Too many tokens, please wait before trying again."}"#),
        FailureKind::RateLimit
    );
    assert_eq!(
        kind(400, r#"{"message":"Input is too long for requested model."}"#),
        FailureKind::ContextOverflow
    );
    assert_eq!(
        kind(400, r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"x"}"#),
        FailureKind::Shape
    );
    assert_eq!(
        kind(400, r#"{"code":"ServiceQuotaExceededException","Message":"x"}"#),
        FailureKind::Billing
    );
    assert_eq!(
        kind(403, r#"{"__type":"ExpiredTokenException:http://x","message":"x"}"#),
        FailureKind::Auth
    );
    assert_eq!(kind(403, r#"{"message":"x"}"#), FailureKind::Permission);
    assert_eq!(kind(408, r#"{"__type":"ModelTimeoutException"}"#), FailureKind::Timeout);
    assert_eq!(
        kind(429, r#"{"__type":"ModelNotReadyException","message":"x"}"#),
        FailureKind::Overloaded
    );
    assert_eq!(
        kind(424, r#"{"__type":"ModelErrorException","message":"x","originalStatusCode":500}"#),
        FailureKind::Upstream
    );
    assert_eq!(
        kind(
            424,
            r#"{"__type":"ModelErrorException","message":"prompt is too long: 9 tokens","originalStatusCode":400}"#
        ),
        FailureKind::ContextOverflow
    );
    let page = Bedrock.decode_error(502, format!("<html>{}", "x".repeat(900)).as_bytes());
    assert_eq!((page.kind, page.status), (FailureKind::Upstream, 502));
    assert!(page.message.contents().chars().count() < 550);
    assert_eq!(Bedrock.decode_error(503, b"").kind, FailureKind::Overloaded);
    let inside = doc(r#"{"message":"x","__type":"ThrottlingException"}"#);
    let reply = Bedrock.decode_reply(&inside, &Exchange::default(), &mut Ledger::default());
    assert_eq!(reply.err().map(|failure| failure.kind), Some(FailureKind::RateLimit));
}

#[test]
fn an_error_leaves_in_its_own_words() {
    let body = br#"{"message": "The toolConfig field must be defined"}"#;
    let failure = Bedrock.decode_error(400, body);
    assert_eq!(Bedrock.encode_error(&failure), body);
    let other = Failure::new(FailureKind::ContextOverflow, "prompt is too long".into());
    assert_eq!(
        String::from_utf8(Bedrock.encode_error(&other)).unwrap(),
        r#"{"__type":"ValidationException","message":"Input is too long for requested model. prompt is too long"}"#
    );
}
