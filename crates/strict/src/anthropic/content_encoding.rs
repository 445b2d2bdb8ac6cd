//! Rules about charset, `Content-Encoding` and the decompressed size.

use super::limits;
use crate::{CheckContext, Decompression, Request};

/// The charset parameter of a content type.
fn charset_of(content_type: &str) -> Option<&str> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|part| part.split_once('='));
    let (_, charset) = parameters.find(|(key, _)| key.trim().eq_ignore_ascii_case("charset"))?;
    Some(charset.trim().trim_matches('"'))
}

/// The content encoding, unless it is `identity`.
fn encoding<'r>(request: &Request<'r>) -> Option<&'r str> {
    let encoding = request.body_encoding.content_encoding?.trim();
    Some(encoding).filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
}

fn is_listed(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

pub(super) fn unsupported_charset(request: &Request<'_>, cx: &mut CheckContext) {
    let charset = request.body_encoding.content_type.and_then(charset_of);
    if charset.is_some_and(|name| !is_listed(name, SUPPORTED_CHARSETS)) {
        cx.reject_with("content-type", cx.message(), None, Some("unsupported_charset"));
    }
}

pub(super) fn unsupported_encoding(request: &Request<'_>, cx: &mut CheckContext) {
    if encoding(request).is_some_and(|name| !is_listed(name, SUPPORTED_ENCODINGS)) {
        let code = Some("request_body_encoding_unsupported");
        cx.reject_with("content-encoding", cx.message(), None, code);
    }
}

pub(super) fn broken_encoding(request: &Request<'_>, cx: &mut CheckContext) {
    if encoding(request).is_some()
        && request.body_encoding.decompression == Decompression::Malformed
    {
        let code = Some("request_body_encoding_invalid");
        cx.reject_with("content-encoding", cx.message(), None, code);
    }
}

pub(super) fn large_decoded_body(request: &Request<'_>, cx: &mut CheckContext) {
    let is_too_large = request.body_encoding.decompression == Decompression::TooLarge
        || limits::exceeds_body_limit(request.body);
    if encoding(request).is_some() && is_too_large {
        let code = Some("request_body_too_large_after_decoding");
        cx.reject_with("", cx.message(), None, code);
    }
}

const SUPPORTED_CHARSETS: &[&str] = &["utf-8", "utf8", "iso-8859-1", "us-ascii"];
const SUPPORTED_ENCODINGS: &[&str] = &["gzip"];
