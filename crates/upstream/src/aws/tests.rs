//! A signature as another implementation computes it.

use std::time::{Duration, SystemTime};

use http::header::{self, HeaderMap, HeaderValue};
use http::{Method, Uri};

use super::{Signer, sign};

/// The expected value was computed step by step from the documentation of signature version 4, with
/// nothing but a hash function.
#[test]
fn a_known_signature() {
    let signer = Signer {
        access_key: "AKIDEXAMPLE".into(),
        secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
        session: Some("lent/token==".into()),
        region: "eu-west-1".into(),
    };
    let uri =
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%2Fx:0/converse";
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static("not signed"));
    let now = SystemTime::UNIX_EPOCH + Duration::from_hours(498_538);
    let body = br#"{"messages":[]}"#;
    sign(&signer, &Method::POST, &Uri::from_static(uri), &mut headers, body, now).unwrap();
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
