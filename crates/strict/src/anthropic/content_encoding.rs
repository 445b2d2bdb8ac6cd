//! Rules about charset, `Content-Encoding` and the decompressed size.

use super::limits;
use crate::{CheckContext, Decompression, Evidence, Request, Rule};

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

fn unsupported_charset(request: &Request<'_>, cx: &mut CheckContext) {
    let charset = request.body_encoding.content_type.and_then(charset_of);
    if charset.is_some_and(|name| !is_listed(name, SUPPORTED_CHARSETS)) {
        cx.reject_with(
            "content-type",
            UNSUPPORTED_CHARSET_ERROR,
            None,
            Some("unsupported_charset"),
        );
    }
}

fn unsupported_encoding(request: &Request<'_>, cx: &mut CheckContext) {
    if encoding(request).is_some_and(|name| !is_listed(name, SUPPORTED_ENCODINGS)) {
        let code = Some("request_body_encoding_unsupported");
        cx.reject_with("content-encoding", UNSUPPORTED_ENCODING_ERROR, None, code);
    }
}

fn broken_encoding(request: &Request<'_>, cx: &mut CheckContext) {
    if encoding(request).is_some()
        && request.body_encoding.decompression == Decompression::Malformed
    {
        let code = Some("request_body_encoding_invalid");
        cx.reject_with("content-encoding", BROKEN_ENCODING_ERROR, None, code);
    }
}

fn large_decoded_body(request: &Request<'_>, cx: &mut CheckContext) {
    let is_too_large = request.body_encoding.decompression == Decompression::TooLarge
        || limits::exceeds_body_limit(request.body);
    if encoding(request).is_some() && is_too_large {
        let code = Some("request_body_too_large_after_decoding");
        cx.reject_with("", LARGE_DECODED_BODY_ERROR, None, code);
    }
}

const SUPPORTED_CHARSETS: &[&str] = &["utf-8", "utf8", "iso-8859-1", "us-ascii"];
const SUPPORTED_ENCODINGS: &[&str] = &["gzip"];
const UNSUPPORTED_CHARSET_ERROR: &str = "The request's `Content-Type` header names a charset other than UTF-8, ISO-8859-1 or US-ASCII. Send the request with no charset, or with one of these.";
const UNSUPPORTED_ENCODING_ERROR: &str = "The request's `Content-Encoding` is not supported.";
const BROKEN_ENCODING_ERROR: &str = "The request body is not valid for its `Content-Encoding`.";
const LARGE_DECODED_BODY_ERROR: &str =
    "The compressed request body exceeds the request size limit once decoded.";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "large-decoded-body",
        status: 413,
        condition: "The decompressed body is larger than 32 MB.",
        error_message: LARGE_DECODED_BODY_ERROR,
        evidence: Evidence::Quoted,
        source: "error code request_body_too_large_after_decoding and its description in the SDK",
        check: large_decoded_body,
    },
    Rule {
        name: "unsupported-charset",
        status: 400,
        condition: "The content type has a charset other than UTF-8, ISO-8859-1 and US-ASCII.",
        error_message: UNSUPPORTED_CHARSET_ERROR,
        evidence: Evidence::Quoted,
        source: "error code unsupported_charset and its description in the SDK",
        check: unsupported_charset,
    },
    Rule {
        name: "unsupported-encoding",
        status: 400,
        condition: "The content encoding is not gzip.",
        error_message: UNSUPPORTED_ENCODING_ERROR,
        evidence: Evidence::Quoted,
        source: "error code request_body_encoding_unsupported and its description in the SDK; the list of encodings is ours",
        check: unsupported_encoding,
    },
    Rule {
        name: "broken-encoding",
        status: 400,
        condition: "The body is not in the encoding of its Content-Encoding header.",
        error_message: BROKEN_ENCODING_ERROR,
        evidence: Evidence::Quoted,
        source: "error code request_body_encoding_invalid and its description in the SDK",
        check: broken_encoding,
    },
];
