//! Decodes compressed request bodies: gzip, deflate, Brotli and zstd, also several after another.

use std::io::{self, BufRead, BufReader, Read};

use bytes::{Buf as _, Bytes};
use flate2::bufread::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use tokio::task::yield_now;

use crate::http_util::body_budget::BodyPermit;
use crate::http_util::error_response::{ACCEPTED_CODINGS, body_too_large, failure};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContentCoding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// The codings of a body in the order in which they were applied.
pub(crate) fn parse(headers: &HeaderMap) -> Result<Vec<ContentCoding>, ApiError> {
    let mut codings = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let value = String::from_utf8_lossy(value.as_bytes());
        for name in value.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let coding = match name.to_ascii_lowercase().as_str() {
                "identity" => continue,
                "gzip" | "x-gzip" => ContentCoding::Gzip,
                "deflate" => ContentCoding::Deflate,
                "br" => ContentCoding::Brotli,
                "zstd" => ContentCoding::Zstd,
                _ => return Err(unsupported(&format!("unknown content coding `{name}`"))),
            };
            codings.push(coding);
        }
    }
    if codings.len() > MAX_CODINGS {
        return Err(unsupported(&format!("more than {MAX_CODINGS} content codings")));
    }
    Ok(codings)
}

/// The decoded body, of at most `max` bytes.
pub(crate) async fn decode(
    body: Bytes,
    codings: &[ContentCoding],
    max: usize,
    permit: &mut BodyPermit<'_>,
) -> Result<Bytes, ApiError> {
    let encoded_len = body.len();
    let mut reader: Box<dyn BufRead + Send> = Box::new(body.reader());
    for coding in codings.iter().rev() {
        // A layer that nothing of the next one comes out of is bounded, too.
        let layer = Layer { decoder: coding.decoder(reader)?, left: max };
        reader = Box::new(BufReader::new(layer));
    }
    let mut decoded = Vec::new();
    loop {
        let count = (&mut reader).take(SLICE_BYTES).read_to_end(&mut decoded);
        if count.map_err(|error| decode_error(&error, max))? < SLICE_BYTES as usize {
            return Ok(decoded.into());
        }
        permit.reserve(encoded_len + decoded.len())?;
        // The thread serves other connections, too.
        yield_now().await;
    }
}

impl ContentCoding {
    fn decoder(self, encoded: Box<dyn BufRead + Send>) -> Result<Box<dyn Read + Send>, ApiError> {
        Ok(match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(encoded)),
            Self::Deflate => Box::new(DeflateReader { encoded, state: None, is_done: false }),
            Self::Brotli => Box::new(brotli_decompressor::Decompressor::new(encoded, BUFFER_BYTES)),
            Self::Zstd => {
                let mut decoder =
                    zstd::Decoder::with_buffer(encoded).map_err(|error| broken(&error))?;
                decoder.window_log_max(MAX_ZSTD_WINDOW_LOG).map_err(|error| broken(&error))?;
                Box::new(decoder)
            }
        })
    }
}

/// One decoder, which fails after more than `left` bytes.
struct Layer {
    decoder: Box<dyn Read + Send>,
    left: usize,
}

impl Read for Layer {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(to)?;
        self.left = self.left.checked_sub(count).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(count)
    }
}

/// `deflate` means the zlib format, but some clients send the data without its header.
struct DeflateReader {
    encoded: Box<dyn BufRead + Send>,
    state: Option<Decompress>,
    is_done: bool,
}

impl Read for DeflateReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        while !self.is_done && !to.is_empty() {
            let input = self.encoded.fill_buf()?;
            let state = self.state.get_or_insert_with(|| Decompress::new(has_zlib_header(input)));
            let (before_in, before_out) = (state.total_in(), state.total_out());
            let status = state.decompress(input, to, FlushDecompress::None)?;
            let is_input_end = input.is_empty();
            let read = (state.total_in() - before_in) as usize;
            let written = (state.total_out() - before_out) as usize;
            self.is_done = status == Status::StreamEnd;
            self.encoded.consume(read);
            if written > 0 {
                return Ok(written);
            }
            if is_input_end && !self.is_done {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(0)
    }
}

/// The first two bytes are a multiple of 31 there, and the method is deflate.
fn has_zlib_header(input: &[u8]) -> bool {
    matches!(input, [method, flags, ..] if method & 0xf == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0)
}

fn decode_error(error: &io::Error, max: usize) -> ApiError {
    if error.kind() == io::ErrorKind::FileTooLarge { body_too_large(max) } else { broken(error) }
}

fn broken(error: &io::Error) -> ApiError {
    let message = format!("the body does not have its content coding: {error}");
    failure(ApiErrorKind::InvalidRequest, &message)
}

fn unsupported(problem: &str) -> ApiError {
    let message = format!("{problem}; the body may have {ACCEPTED_CODINGS}");
    ApiError { status: 415, ..failure(ApiErrorKind::InvalidRequest, &message) }
}

const MAX_CODINGS: usize = 3;
/// Bytes that are decoded at once: about a millisecond.
const SLICE_BYTES: u64 = 256 * 1024;
const BUFFER_BYTES: usize = 8 * 1024;
/// 8 MiB, the most that a sender may assume (RFC 9659).
const MAX_ZSTD_WINDOW_LOG: u32 = 23;

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use bytes::Bytes;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use http::header::CONTENT_ENCODING;
    use http::{HeaderMap, HeaderValue};

    use super::{decode, parse};
    use crate::http_util::body_budget::BodyBudget;

    const MAX: usize = 1 << 20;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn raw_deflate(data: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(data: &[u8]) -> Vec<u8> {
        zstd::encode_all(data, 3).unwrap()
    }

    /// `HELLO`, as the `brotli` package of Python encodes them.
    const BROTLI_HELLO: &[u8] = &[
        27, 24, 0, 248, 141, 148, 110, 222, 68, 169, 80, 134, 150, 108, 32, 111, 165, 200, 60, 113,
        64, 28, 7,
    ];
    const HELLO: &[u8] = b"hello hello hello hello \n";

    fn decode_all(body: &[u8], content_encoding: &'static str) -> Result<Bytes, u16> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(content_encoding));
        let codings = parse(&headers).map_err(|error| error.status)?;
        let budget = BodyBudget::default();
        let mut permit = budget.permit("a", 64 * MAX);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let decoding = decode(Bytes::copy_from_slice(body), &codings, MAX, &mut permit);
        runtime.block_on(decoding).map_err(|error| error.status)
    }

    #[test]
    fn every_coding_is_decoded() {
        for (body, coding) in [
            (gzip(HELLO), "gzip"),
            (gzip(HELLO), "X-Gzip, identity"),
            (zlib(HELLO), "deflate"),
            (raw_deflate(HELLO), "deflate"),
            (BROTLI_HELLO.to_vec(), "br"),
            (zstd(HELLO), "zstd"),
            (zstd(&gzip(&zlib(HELLO))), "deflate,gzip , zstd"),
            ([gzip(b"hello hello "), gzip(b"hello hello \n")].concat(), "gzip"),
            ([zstd(b"hello hello "), zstd(b"hello hello \n")].concat(), "zstd"),
            (HELLO.to_vec(), "identity"),
        ] {
            assert_eq!(decode_all(&body, coding).as_deref(), Ok(HELLO), "{coding}");
        }
    }

    #[test]
    fn a_broken_body_is_rejected() {
        let noise: Vec<u8> =
            (0..200_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for (body, coding) in [
            (gzip(&noise), "gzip"),
            (zlib(&noise), "deflate"),
            (raw_deflate(&noise), "deflate"),
            (zstd(&noise), "zstd"),
            (BROTLI_HELLO.to_vec(), "br"),
        ] {
            for cut in [1, body.len() / 2, body.len() - 1] {
                assert_eq!(decode_all(&body[..cut], coding), Err(400), "{coding}, {cut} bytes");
            }
        }
        for coding in ["gzip", "br", "zstd"] {
            assert_eq!(decode_all(b"{\"model\":\"m\"}", coding), Err(400), "{coding}");
        }
        assert_eq!(decode_all(&[gzip(HELLO), b"more".to_vec()].concat(), "gzip"), Err(400));
        assert_eq!(decode_all(&zstd(&gzip(HELLO)), "zstd, gzip"), Err(400));
    }

    #[test]
    fn an_unknown_coding_is_unsupported() {
        assert_eq!(decode_all(HELLO, "compress"), Err(415));
        assert_eq!(decode_all(HELLO, "gzip, aws-chunked"), Err(415));
        assert_eq!(decode_all(HELLO, "gzip, gzip, gzip, gzip"), Err(415));
    }

    #[test]
    fn a_bomb_is_too_large() {
        let zeros = vec![0; 64 * MAX];
        for (body, coding) in [
            (gzip(&zeros), "gzip"),
            (zlib(&zeros), "deflate"),
            (zstd(&zeros), "zstd"),
            (gzip(&gzip(&zeros)), "gzip, gzip"),
        ] {
            assert_eq!(decode_all(&body, coding), Err(413), "{coding}");
        }
        // Each of them decodes to nothing.
        let empty_members = gzip(b"").repeat(200_000);
        assert_eq!(decode_all(&gzip(&empty_members), "gzip, gzip"), Err(413));
        let limit = vec![b' '; MAX];
        assert_eq!(decode_all(&gzip(&limit), "gzip").map(|body| body.len()), Ok(MAX));
    }
}
