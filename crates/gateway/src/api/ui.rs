//! `/ui/`: serves the debug UI. The page needs no key; the `/api` endpoints that it calls do.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use http::{Response, StatusCode, Uri};

use crate::http_util::body::ResponseBody;

/// A file of the page.
pub(crate) fn static_file(uri: &Uri) -> Option<Response<ResponseBody>> {
    let Some(name) = uri.path().strip_prefix("/ui/") else {
        return Some(redirect_to_ui());
    };
    let name = if name.is_empty() { "index.html" } else { name };
    let (_, kind, body) = FILES.iter().find(|(known, ..)| *known == name)?;
    let mut response = Response::new(ResponseBody::Full(Bytes::from_static(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    for (name, value) in SECURITY_HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Some(response)
}

/// Relative URLs of the page need the trailing slash.
fn redirect_to_ui() -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::Full(Bytes::new()));
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/ui/"));
    response
}

const FILES: &[(&str, &str, &[u8])] = &[
    ("index.html", "text/html; charset=utf-8", include_bytes!("../../ui/index.html")),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../../ui/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../../ui/app.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../ui/icon.svg")),
];

/// Only these files are loaded and run, and no other page can frame them.
const SECURITY_HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
         img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
];
