//! CORS: preflight responses and headers for configured origins.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};

use crate::config::Config;
use crate::http_util::body::ResponseBody;

/// The request's origin, if the configuration allows it.
pub(crate) fn allowed_origin(config: &Config, headers: &HeaderMap) -> Option<HeaderValue> {
    if config.access.origins.is_empty() {
        return None;
    }
    let origin = headers.get(ORIGIN)?;
    config.access.origins.iter().any(|known| *origin == **known).then(|| origin.clone())
}

/// The response to a CORS preflight, which carries no key.
pub(crate) fn preflight_response(config: &Config, head: &Parts) -> Option<Response<ResponseBody>> {
    let is_preflight = head.method == Method::OPTIONS
        && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && allowed_origin(config, &head.headers).is_some();
    is_preflight.then(|| {
        let mut response = Response::new(ResponseBody::Full(bytes::Bytes::new()));
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        if let Some(requested) = head.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, requested.clone());
        }
        if head.headers.contains_key("access-control-request-private-network") {
            headers.insert(ACCESS_CONTROL_ALLOW_PRIVATE_NETWORK, HeaderValue::from_static("true"));
        }
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        response
    })
}

/// Allows the page of this origin to read the response.
pub(crate) fn add_cors_headers(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

const ACCESS_CONTROL_ALLOW_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");
