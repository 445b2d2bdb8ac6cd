//! Pages of other sites that may ask, and what their browsers want to be told.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderMap, HeaderName, HeaderValue, ORIGIN, VARY,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};

use crate::config::Config;
use crate::out::Out;

/// The origin of a page that the configuration names.
pub(crate) fn named(config: &Config, headers: &HeaderMap) -> Option<HeaderValue> {
    if config.access.origins.is_empty() {
        return None;
    }
    let origin = headers.get(ORIGIN)?;
    config.access.origins.iter().any(|known| *origin == **known).then(|| origin.clone())
}

/// The answer to a browser that asks first whether the page may ask. It shows no key then.
pub(crate) fn may_ask(config: &Config, head: &Parts) -> Option<Response<Out>> {
    let asks = head.method == Method::OPTIONS
        && head.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && named(config, &head.headers).is_some();
    asks.then(|| {
        let mut response = Response::new(Out::Whole(bytes::Bytes::new()));
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
        if let Some(wanted) = head.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        if head.headers.contains_key("access-control-request-private-network") {
            headers.insert(PRIVATE_NETWORK, HeaderValue::from_static("true"));
        }
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        response
    })
}

/// Lets the page of this origin read an answer.
pub(crate) fn show(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("*"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

const PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");
