//! Signs requests with AWS Signature Version 4.

use std::time::SystemTime;

use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings};
use aws_sigv4::sign::v4::SigningParams;
use aws_smithy_runtime_api::client::identity::Identity;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Uri};

use super::AwsCredentials;

/// Adds the headers that sign a request; `None` if they cannot be computed.
pub(crate) fn sign(
    credentials: &AwsCredentials,
    method: &Method,
    uri: &Uri,
    headers: &mut HeaderMap,
    body: &[u8],
    now: SystemTime,
) -> Option<()> {
    let identity: Identity = credentials.to_sdk().into();
    let params = SigningParams::builder()
        .identity(&identity)
        .region(&credentials.region)
        .name(SIGNING_SERVICE)
        .time(now)
        .settings(SigningSettings::default())
        .build()
        .ok()?
        .into();
    // Only headers that no proxy changes are signed.
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.map(|value| (header::CONTENT_TYPE.as_str(), value));
    let body = SignableBody::Bytes(body);
    let request =
        SignableRequest::new(method.as_str(), uri.to_string(), content_type.into_iter(), body)
            .ok()?;
    let (instructions, _) = aws_sigv4::http_request::sign(request, &params).ok()?.into_parts();
    for header in instructions.into_parts().0 {
        let mut value = HeaderValue::from_str(header.value()).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(header.name()), value);
    }
    Some(())
}

const SIGNING_SERVICE: &str = "bedrock";
