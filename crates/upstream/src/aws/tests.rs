//! Compares a signature with one that was computed independently.

use std::time::{Duration, SystemTime};

use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Uri};

use super::{AwsCredentials, sign};

/// The expected value was computed step by step from the documentation of Signature Version 4, with
/// only a hash function.
#[test]
fn the_signature_is_the_documented_one() {
    let credentials = AwsCredentials {
        access_key_id: "AKIDEXAMPLE".into(),
        secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
        session_token: Some("lent/token==".into()),
        region: "eu-west-1".into(),
    };
    let uri =
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%2Fx:0/converse";
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static("not signed"));
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_538);
    let body = br#"{"messages":[]}"#;
    sign(&credentials, &Method::POST, &Uri::from_static(uri), &mut headers, body, now).unwrap();
    assert_eq!(headers["x-amz-date"], "20261115T100000Z");
    assert_eq!(
        headers[header::AUTHORIZATION],
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261115/eu-west-1/bedrock/aws4_request, \
         SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, \
         Signature=7bf3edb1019b167ba73a41f1005b275abf9fc446821efa890852ece0a4ed2ac4"
    );
    assert!(headers[header::AUTHORIZATION].is_sensitive());
    assert!(headers["x-amz-security-token"].is_sensitive());
}
