//! Bodies that come encoded.

use std::borrow::Cow;
use std::io::Read as _;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use hyper::Request;
use hyper::header::CONTENT_ENCODING;
use interlingua_strict::Decoded;

/// The largest body that is read, encoded or not.
pub(crate) const LARGEST: usize = 32 * 1024 * 1024;

/// The body as it was before it was encoded, and what came of decoding it.
pub(crate) fn decoded(request: &Request<Bytes>) -> (Cow<'_, [u8]>, Decoded) {
    let body = Cow::Borrowed(request.body().as_ref());
    let encoding = request.headers().get(CONTENT_ENCODING).map(|name| name.as_bytes().trim_ascii());
    match encoding {
        None | Some(b"" | b"identity") => (body, Decoded::Whole),
        Some(name) if name.eq_ignore_ascii_case(b"gzip") => {
            let mut whole = Vec::new();
            let most = LARGEST as u64 + 1;
            match MultiGzDecoder::new(body.as_ref()).take(most).read_to_end(&mut whole) {
                Err(_) => (body, Decoded::Broken),
                Ok(size) if size > LARGEST => (body, Decoded::Large),
                Ok(_) => (Cow::Owned(whole), Decoded::Whole),
            }
        }
        Some(_) => (body, Decoded::Broken),
    }
}
