//! Completes request heads and parses response heads of HTTP/1.1.

use std::mem::MaybeUninit;
use std::sync::LazyLock;

use bytes::{Bytes, BytesMut};
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use memchr::memmem::Finder;

use super::body_decoder::{BodyDecoder, BodyLength};
use crate::error::UpstreamError;
use crate::response_headers::{CommonHeaders, ResponseHeaders};

/// The head of a response, and how its body is delimited.
#[derive(Debug)]
pub(crate) struct ResponseHead {
    pub(crate) status: StatusCode,
    pub(crate) headers: ResponseHeaders,
    pub(super) decoder: BodyDecoder,
    /// Whether the connection can be used for another request after this response.
    pub(super) is_keep_alive: bool,
}

/// Completes a serialized head with the length of the body.
pub(super) fn finish_head(head: &[u8], method: &Method, body_len: usize) -> Vec<u8> {
    let mut finished = Vec::with_capacity(head.len() + LENGTH_LINE_BYTES);
    finished.extend_from_slice(head);
    if body_len > 0 || *method == Method::POST {
        finished.extend_from_slice(b"content-length: ");
        finished.extend_from_slice(body_len.to_string().as_bytes());
        finished.extend_from_slice(b"\r\n");
    }
    finished.extend_from_slice(b"\r\n");
    finished
}

/// Takes the head of a response from the read buffer, if it is complete. Informational responses
/// (1xx) are skipped.
pub(super) fn take_response_head(
    read_buf: &mut BytesMut,
) -> Result<Option<ResponseHead>, UpstreamError> {
    loop {
        if read_buf.is_empty() {
            return Ok(None);
        }
        let Some(end) = find_head_end(read_buf) else {
            // Fails early on bytes that cannot become an HTTP response.
            let begins_as_http =
                read_buf.iter().zip(b"HTTP/1.").all(|(received, expected)| received == expected);
            let fits = read_buf.len() <= MAX_HEAD_BYTES;
            return if begins_as_http && fits { Ok(None) } else { Err(UpstreamError::NotHttp) };
        };
        let head =
            parse_response_head(&read_buf.split_to(end).freeze()).ok_or(UpstreamError::NotHttp)?;
        if !head.status.is_informational() {
            return Ok(Some(head));
        }
        if head.status == StatusCode::SWITCHING_PROTOCOLS {
            return Err(UpstreamError::NotHttp);
        }
    }
}

/// Offset after the first empty line, with either kind of line ends.
fn find_head_end(text: &[u8]) -> Option<usize> {
    let crlf_end = CRLF_HEAD_END.find(text).map(|at| at + 3);
    let search_range = &text[..crlf_end.unwrap_or(text.len())];
    LF_HEAD_END.find(search_range).map(|at| at + 2).or(crlf_end)
}

fn parse_response_head(text: &Bytes) -> Option<ResponseHead> {
    with_parsed_head(text, |response| {
        let status = StatusCode::from_u16(response.code?).ok()?;
        let (mut common_headers, mut length) = (CommonHeaders::default(), BodyLength::default());
        let mut is_keep_alive = response.version == Some(1);
        let mut has_close = false;
        for header in response.headers.iter() {
            match known_header(header.name) {
                Some(KnownHeader::ContentType) => {
                    let value = HeaderValue::from_maybe_shared(text.slice_ref(header.value));
                    common_headers.content_type = value.ok();
                }
                Some(KnownHeader::ContentLength) => length.set_content_length(header.value)?,
                Some(KnownHeader::TransferEncoding) => length.set_transfer_encoding(header.value),
                Some(KnownHeader::ContentEncoding) => common_headers.has_content_encoding = true,
                Some(KnownHeader::Connection) => {
                    let options = header.value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
                    for option in options {
                        has_close |= option.eq_ignore_ascii_case(b"close");
                        is_keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                    }
                }
                None => {}
            }
        }
        let body_decoder = length.decoder(status);
        is_keep_alive &= !has_close && length.is_unambiguous();
        let headers = ResponseHeaders::new(text.clone(), parse_headers, common_headers);
        Some(ResponseHead { status, headers, decoder: body_decoder, is_keep_alive })
    })
}

/// Headers that the client itself evaluates.
#[derive(Clone, Copy)]
enum KnownHeader {
    ContentType,
    ContentLength,
    TransferEncoding,
    ContentEncoding,
    Connection,
}

/// Recognizes these headers; each has a different length, so one comparison suffices.
fn known_header(name: &str) -> Option<KnownHeader> {
    let (expected, known_header) = match name.len() {
        10 => ("connection", KnownHeader::Connection),
        12 => ("content-type", KnownHeader::ContentType),
        14 => ("content-length", KnownHeader::ContentLength),
        16 => ("content-encoding", KnownHeader::ContentEncoding),
        17 => ("transfer-encoding", KnownHeader::TransferEncoding),
        _ => return None,
    };
    name.eq_ignore_ascii_case(expected).then_some(known_header)
}

/// Parses all headers of a head that was parsed before.
fn parse_headers(text: &Bytes) -> HeaderMap {
    let mut headers = HeaderMap::new();
    with_parsed_head(text, |response| {
        for header in response.headers.iter() {
            let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
            let value = HeaderValue::from_maybe_shared(text.slice_ref(header.value)).ok()?;
            headers.append(name, value);
        }
        Some(())
    });
    headers
}

fn with_parsed_head<T>(
    text: &[u8],
    read: impl FnOnce(&httparse::Response<'_, '_>) -> Option<T>,
) -> Option<T> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut response = httparse::Response::new(&mut []);
    let parser = httparse::ParserConfig::default();
    let end = parser.parse_response_with_uninit_headers(&mut response, text, &mut headers).ok()?;
    if end.is_partial() { None } else { read(&response) }
}

static CRLF_HEAD_END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\n\r\n"));
static LF_HEAD_END: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(b"\n\n"));
/// Capacity for the content length and the final empty line.
const LENGTH_LINE_BYTES: usize = 48;
/// Maximum size of a response head and number of its headers.
const MAX_HEAD_BYTES: usize = 128 * 1024;
const MAX_HEADERS: usize = 100;

#[cfg(test)]
mod tests {
    use super::find_head_end;

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
            assert_eq!(find_head_end(text.as_bytes()), ends, "{text:?}");
        }
    }
}
