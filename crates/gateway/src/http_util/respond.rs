//! Builds small responses, and names header values that several of them share.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};

use crate::http_util::body::ResponseBody;

pub(crate) fn json_response(body: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Full(body.into()));
    response.headers_mut().insert(CONTENT_TYPE, APPLICATION_JSON);
    response
}

pub(crate) fn text_response(status: StatusCode, text: impl Into<Bytes>) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Full(text.into()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Sets the headers of a stream of this content type.
pub(crate) fn set_stream_headers(headers: &mut HeaderMap, content_type: HeaderValue) {
    headers.insert(CONTENT_TYPE, content_type);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
}

pub(crate) fn set_turn_id_headers(headers: &mut HeaderMap, id: &str) {
    if let Ok(id) = HeaderValue::from_str(id) {
        for name in TURN_ID_HEADERS {
            headers.insert(name, id.clone());
        }
    }
}

pub(crate) const APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");
pub(crate) const TEXT_EVENT_STREAM: HeaderValue =
    HeaderValue::from_static("text/event-stream; charset=utf-8");
const TURN_ID_HEADERS: [HeaderName; 3] = [
    HeaderName::from_static("x-interlingua-turn"),
    HeaderName::from_static("request-id"),
    HeaderName::from_static("x-request-id"),
];
