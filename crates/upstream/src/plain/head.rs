//! The head of a request as it is written, and that of an answer as it is read.

use std::mem::MaybeUninit;
use std::sync::LazyLock;

use bytes::{Bytes, BytesMut};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, StatusCode};
use memchr::memmem::Finder;

use super::framing::{Framing, Length};
use crate::error::Trouble;
use crate::headers::{Headers, Usual};

/// What an answer says before its body.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: StatusCode,
    pub(crate) headers: Headers,
    pub(super) framing: Framing,
    /// Whether the connection is there for another request after this answer.
    pub(super) may_stay: bool,
}

/// The head of a request, without the length of its body and the line that ends it.
pub(crate) fn written(request: &Request<()>) -> Vec<u8> {
    let uri = request.uri();
    let mut head = Vec::with_capacity(USUAL);
    let mut put = |parts: &[&[u8]]| parts.iter().for_each(|part| head.extend_from_slice(part));
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    put(&[request.method().as_str().as_bytes(), b" ", target.as_bytes(), b" HTTP/1.1\r\nhost: "]);
    put(&[uri.host().unwrap_or_default().as_bytes()]);
    if let Some(port) = uri.port().filter(|port| port.as_u16() != 80) {
        put(&[b":", port.as_str().as_bytes()]);
    }
    put(&[b"\r\n"]);
    for (name, value) in request.headers() {
        if name != header::HOST && name != header::CONTENT_LENGTH {
            put(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"]);
        }
    }
    head
}

/// The head of a request with a body of so many bytes, to its end.
pub(super) fn ended(head: &[u8], method: &Method, body: usize) -> Vec<u8> {
    let mut ended = Vec::with_capacity(head.len() + LENGTH);
    ended.extend_from_slice(head);
    if body > 0 || *method == Method::POST {
        ended.extend_from_slice(b"content-length: ");
        ended.extend_from_slice(body.to_string().as_bytes());
        ended.extend_from_slice(b"\r\n");
    }
    ended.extend_from_slice(b"\r\n");
    ended
}

/// Takes the head of an answer from what was read, if it is all there. What is said before an answer,
/// like that one may go on, is no answer.
pub(super) fn read(from: &mut BytesMut) -> Result<Option<Head>, Trouble> {
    loop {
        if from.is_empty() {
            return Ok(None);
        }
        let Some(end) = end(from) else {
            // What does not begin as HTTP does will not become it.
            let begins = from.iter().zip(b"HTTP/1.").all(|(one, other)| one == other);
            let fits = from.len() <= LONGEST;
            return if begins && fits { Ok(None) } else { Err(Trouble::NotHttp) };
        };
        let head = understood(&from.split_to(end).freeze()).ok_or(Trouble::NotHttp)?;
        if !head.status.is_informational() {
            return Ok(Some(head));
        }
        if head.status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(Trouble::NotHttp);
        }
    }
}

/// Where a head ends: after the first line that is empty, whichever way it ends.
fn end(text: &[u8]) -> Option<usize> {
    let usual = USUAL_END.find(text).map(|at| at + 3);
    let before = &text[..usual.unwrap_or(text.len())];
    OTHER_END.find(before).map(|at| at + 2).or(usual)
}

fn understood(text: &Bytes) -> Option<Head> {
    with_lines(text, |answer| {
        let status = StatusCode::from_u16(answer.code?).ok()?;
        let (mut usual, mut length) = (Usual::default(), Length::default());
        let mut may_stay = answer.version == Some(1);
        let mut is_last = false;
        for line in answer.headers.iter() {
            match told(line.name) {
                Some(Told::Type) => {
                    let value = HeaderValue::from_maybe_shared(text.slice_ref(line.value));
                    usual.content_type = value.ok();
                }
                Some(Told::Length) => length.said(line.value)?,
                Some(Told::Transfer) => length.transferred(line.value),
                Some(Told::Encoding) => usual.is_encoded = true,
                Some(Told::Connection) => {
                    let words = line.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
                    for word in words {
                        is_last |= word.eq_ignore_ascii_case(b"close");
                        may_stay |= word.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                None => {}
            }
        }
        let framing = length.framing(status);
        may_stay &= !is_last && length.is_clear();
        let headers = Headers::new(text.clone(), all, usual);
        Some(Head { status, headers, framing, may_stay })
    })
}

/// What a header that counts tells.
#[derive(Clone, Copy)]
enum Told {
    Type,
    Length,
    Transfer,
    Encoding,
    Connection,
}

/// What a header of this name tells. No two of those that count are of one length.
fn told(name: &str) -> Option<Told> {
    let (known, told) = match name.len() {
        10 => ("connection", Told::Connection),
        12 => ("content-type", Told::Type),
        14 => ("content-length", Told::Length),
        16 => ("content-encoding", Told::Encoding),
        17 => ("transfer-encoding", Told::Transfer),
        _ => return None,
    };
    name.eq_ignore_ascii_case(known).then_some(told)
}

/// All headers of a head that was understood.
fn all(text: &Bytes) -> HeaderMap {
    let mut headers = HeaderMap::new();
    with_lines(text, |answer| {
        for line in answer.headers.iter() {
            let name = HeaderName::from_bytes(line.name.as_bytes()).ok()?;
            let value = HeaderValue::from_maybe_shared(text.slice_ref(line.value)).ok()?;
            headers.append(name, value);
        }
        Some(())
    });
    headers
}

fn with_lines<T>(
    text: &[u8],
    look: impl FnOnce(&httparse::Response<'_, '_>) -> Option<T>,
) -> Option<T> {
    let mut lines = [const { MaybeUninit::uninit() }; LINES];
    let mut answer = httparse::Response::new(&mut []);
    let parser = httparse::ParserConfig::default();
    let end = parser.parse_response_with_uninit_headers(&mut answer, text, &mut lines).ok()?;
    if end.is_partial() { None } else { look(&answer) }
}

static USUAL_END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\n\r\n"));
static OTHER_END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\n\n"));
/// Room for the length of a body, and the end.
const LENGTH: usize = 48;
/// Room for most heads.
const USUAL: usize = 512;
/// No head is longer, and none has more headers.
const LONGEST: usize = 128 * 1024;
const LINES: usize = 100;

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn a_head_ends_with_its_first_empty_line() {
        for (text, ends) in [
            ("", None),
            ("a\r\n", None),
            ("a\r\n\r", None),
            ("a\r\nb\r\n", None),
            ("a\r\n\r\nb", Some(5)),
            ("a\n\r\nb", Some(4)),
            ("a\r\n\nb", Some(4)),
            ("a\n\nb\r\n\r\n", Some(3)),
            ("a\n\n\r\n", Some(3)),
            ("a\r\n\r\n\n\n", Some(5)),
        ] {
            assert_eq!(end(text.as_bytes()), ends, "{text:?}");
        }
    }
}
