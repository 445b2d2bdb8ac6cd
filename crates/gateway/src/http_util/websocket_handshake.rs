//! Answers a request to open a WebSocket (RFC 6455, section 4.2).

use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{Response, StatusCode, Version};
use interlingua::{ApiError, Dialect};
use interlingua_model::ApiErrorKind;

use crate::http_util::body::ResponseBody;
use crate::http_util::error_response::{ErrorResponse, failure};

/// A connection whose client may send messages: an extension of its 101 response.
#[derive(Clone)]
pub(crate) struct AcceptedUpgrade {
    /// The name of the caller's key.
    pub(crate) owner: String,
    /// The headers of the request, which are those of each of its turns.
    pub(crate) headers: HeaderMap,
    pub(crate) dialect: &'static dyn Dialect,
}

/// 101 with the session as an extension, or the error.
pub(crate) fn accept(
    head: &Parts,
    owner: &str,
    dialect: &'static dyn Dialect,
) -> Response<ResponseBody> {
    let key = match check(head) {
        Ok(key) => key,
        Err(error) => {
            let mut response = ErrorResponse::from(error).into_response(dialect);
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, VERSION);
            return response;
        }
    };
    let mut response = Response::new(ResponseBody::Full(Bytes::new()));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(accept) = HeaderValue::from_str(&accept_key(key)) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    let headers = head.headers.clone();
    response.extensions_mut().insert(AcceptedUpgrade { owner: owner.to_owned(), headers, dialect });
    response
}

/// The client's key, if the request is a complete handshake.
fn check(head: &Parts) -> Result<&HeaderValue, ApiError> {
    let invalid = |message: &str| failure(ApiErrorKind::InvalidRequest, message);
    let is_websocket = has_token(&head.headers, &UPGRADE, "websocket");
    let is_version_13 = head.headers.get(SEC_WEBSOCKET_VERSION) == Some(&VERSION);
    if head.version != Version::HTTP_11 || !is_websocket || !is_version_13 {
        let message =
            "this address supports only the upgrade to websocket, version 13, over HTTP/1.1";
        return Err(ApiError { status: 426, ..invalid(message) });
    }
    if !has_token(&head.headers, &CONNECTION, "upgrade") {
        return Err(invalid("a WebSocket handshake needs the header `connection: upgrade`"));
    }
    let key = head.headers.get(SEC_WEBSOCKET_KEY).filter(|key| {
        STANDARD.decode(key.as_bytes()).is_ok_and(|key| key.len() == CLIENT_KEY_BYTES)
    });
    key.ok_or_else(|| invalid("a WebSocket handshake needs 16 bytes in `sec-websocket-key`"))
}

/// Whether the values of a header, separated by commas, include this one.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(token))
}

fn accept_key(key: &HeaderValue) -> String {
    let text = [key.as_bytes(), ACCEPT_KEY_GUID].concat();
    STANDARD.encode(digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, &text))
}

const VERSION: HeaderValue = HeaderValue::from_static("13");
const CLIENT_KEY_BYTES: usize = 16;
/// RFC 6455, section 1.3.
const ACCEPT_KEY_GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

#[cfg(test)]
mod tests {
    use super::{HeaderValue, accept_key};

    #[test]
    fn the_key_of_the_specification_is_accepted() {
        let key = HeaderValue::from_static("dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(accept_key(&key), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
