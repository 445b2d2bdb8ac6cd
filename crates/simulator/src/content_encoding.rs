//! Decompresses request bodies with `content-encoding: gzip`.

use std::borrow::Cow;
use std::io::Read as _;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use hyper::Request;
use hyper::header::CONTENT_ENCODING;
use interlingua_strict::Decompression;

/// Limit of a request body, before and after decompression.
pub(crate) const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;

/// The decompressed body, and the outcome of the decompression.
pub(crate) fn decompress_body(request: &Request<Bytes>) -> (Cow<'_, [u8]>, Decompression) {
    let body = Cow::Borrowed(request.body().as_ref());
    let encoding = request.headers().get(CONTENT_ENCODING).map(|name| name.as_bytes().trim_ascii());
    match encoding {
        None | Some(b"" | b"identity") => (body, Decompression::Complete),
        Some(name) if name.eq_ignore_ascii_case(b"gzip") => {
            let mut decompressed = Vec::new();
            let limit = MAX_BODY_BYTES as u64 + 1;
            match MultiGzDecoder::new(body.as_ref()).take(limit).read_to_end(&mut decompressed) {
                Err(_) => (body, Decompression::Malformed),
                Ok(size) if size > MAX_BODY_BYTES => (body, Decompression::TooLarge),
                Ok(_) => (Cow::Owned(decompressed), Decompression::Complete),
            }
        }
        Some(_) => (body, Decompression::Malformed),
    }
}
