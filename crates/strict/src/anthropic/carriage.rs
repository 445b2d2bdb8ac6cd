//! How the body came: its charset and its encoding.

use super::limits;
use crate::{Decoded, Evidence, Findings, Request, Rule};

/// The charset that a content type names, if it names one.
fn named(content_type: &str) -> Option<&str> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|part| part.split_once('='));
    let (_, charset) = parameters.find(|(key, _)| key.trim().eq_ignore_ascii_case("charset"))?;
    Some(charset.trim().trim_matches('"'))
}

/// The encoding of the body, unless it is none.
fn encoding<'r>(request: &Request<'r>) -> Option<&'r str> {
    let encoding = request.carried.content_encoding?.trim();
    Some(encoding).filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn charset(request: &Request<'_>, findings: &mut Findings) {
    let charset = request.carried.content_type.and_then(named);
    if charset.is_some_and(|name| !is_one_of(name, CHARSETS)) {
        findings.add_with("content-type", CHARSET, None, Some("unsupported_charset"));
    }
}

fn unsupported(request: &Request<'_>, findings: &mut Findings) {
    if encoding(request).is_some_and(|name| !is_one_of(name, ENCODINGS)) {
        let code = Some("request_body_encoding_unsupported");
        findings.add_with("content-encoding", UNSUPPORTED, None, code);
    }
}

fn broken(request: &Request<'_>, findings: &mut Findings) {
    if encoding(request).is_some() && request.carried.decoded == Decoded::Broken {
        let code = Some("request_body_encoding_invalid");
        findings.add_with("content-encoding", BROKEN, None, code);
    }
}

fn large(request: &Request<'_>, findings: &mut Findings) {
    let beyond = request.carried.decoded == Decoded::Large || limits::is_large(request.body);
    if encoding(request).is_some() && beyond {
        let code = Some("request_body_too_large_after_decoding");
        findings.add_with("", LARGE, None, code);
    }
}

const CHARSETS: &[&str] = &["utf-8", "utf8", "iso-8859-1", "us-ascii"];
const ENCODINGS: &[&str] = &["gzip"];
const CHARSET: &str = "The request's `Content-Type` header names a charset other than UTF-8, ISO-8859-1 or US-ASCII. Send the request with no charset, or with one of these.";
const UNSUPPORTED: &str = "The request's `Content-Encoding` is not supported.";
const BROKEN: &str = "The request body is not valid for its `Content-Encoding`.";
const LARGE: &str = "The compressed request body exceeds the request size limit once decoded.";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "large-decoded-body",
        status: 413,
        when: "The body is larger than 32 MB once it is decoded.",
        words: LARGE,
        evidence: Evidence::Quoted,
        source: "error code request_body_too_large_after_decoding and its description in the SDK",
        check: large,
    },
    Rule {
        name: "unsupported-charset",
        status: 400,
        when: "The content type names a charset other than UTF-8, ISO-8859-1 and US-ASCII.",
        words: CHARSET,
        evidence: Evidence::Quoted,
        source: "error code unsupported_charset and its description in the SDK",
        check: charset,
    },
    Rule {
        name: "unsupported-encoding",
        status: 400,
        when: "The body is encoded in another way than gzip.",
        words: UNSUPPORTED,
        evidence: Evidence::Quoted,
        source: "error code request_body_encoding_unsupported and its description in the SDK; which encodings are supported is ours",
        check: unsupported,
    },
    Rule {
        name: "broken-encoding",
        status: 400,
        when: "The body is not encoded as its header says.",
        words: BROKEN,
        evidence: Evidence::Quoted,
        source: "error code request_body_encoding_invalid and its description in the SDK",
        check: broken,
    },
];
