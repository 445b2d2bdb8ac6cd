//! `/ui/`: the debug UI, a page that shows what `/api` tells. It needs no key, what it shows does.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use http::{Response, StatusCode, Uri};

use crate::out::Out;

/// A file of the page; nothing where there is no such file.
pub(crate) fn file(uri: &Uri) -> Option<Response<Out>> {
    let Some(name) = uri.path().strip_prefix("/ui/") else {
        return Some(elsewhere());
    };
    let name = if name.is_empty() { "index.html" } else { name };
    let (_, kind, body) = FILES.iter().find(|(known, ..)| *known == name)?;
    let mut response = Response::new(Out::Whole(Bytes::from_static(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    for (name, value) in SAFE {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    Some(response)
}

/// What the page names is beneath `/ui/`.
fn elsewhere() -> Response<Out> {
    let mut response = Response::new(Out::Whole(Bytes::new()));
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/ui/"));
    response
}

const FILES: &[(&str, &str, &[u8])] = &[
    ("index.html", "text/html; charset=utf-8", include_bytes!("../ui/index.html")),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("../ui/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("../ui/app.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../ui/icon.svg")),
];

/// Nothing but these files is loaded or run, and no other page has a part in it.
const SAFE: &[(&str, &str)] = &[
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
