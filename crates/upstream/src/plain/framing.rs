//! Where the body of an answer ends, and what of a connection is its content.

use bytes::{Buf as _, Bytes, BytesMut};
use http::StatusCode;

use crate::error::Trouble;

/// How the rest of a body is told from what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes.
    Length(u64),
    /// In pieces that say how long they are.
    Pieces(Piece),
    /// All that comes.
    ToTheEnd,
    /// There is no more of it.
    Over,
}

/// What comes next in a body that comes in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Size,
    Content(u64),
    /// The line's end after a content.
    LineEnd,
    /// Headers after the last piece, of which so much was read; then the empty line.
    Trailers(usize),
}

/// What was found in what was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Content(Bytes),
    /// Nothing that could be given out yet.
    Nothing,
    /// The body is over.
    End,
}

/// What a head says of the length of its body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Length {
    bytes: Option<u64>,
    /// Whether pieces are what was done to it last, if anything was.
    in_pieces: Option<bool>,
}

impl Length {
    /// It has so many bytes; `None` where that is no number, or not the one that was said before.
    pub(super) fn said(&mut self, bytes: &[u8]) -> Option<()> {
        let digits = Some(bytes).filter(|bytes| bytes.iter().all(u8::is_ascii_digit))?;
        let bytes = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let agreed = self.bytes.is_none_or(|before| before == bytes);
        self.bytes = Some(bytes);
        agreed.then_some(())
    }

    pub(super) fn transferred(&mut self, codings: &[u8]) {
        let last = codings.rsplit(|byte| *byte == b',').next().unwrap_or_default();
        self.in_pieces = Some(last.trim_ascii().eq_ignore_ascii_case(b"chunked"));
    }

    /// Who says two lengths may mean either.
    pub(super) fn is_clear(self) -> bool {
        self.bytes.is_none() || self.in_pieces.is_none()
    }

    pub(super) fn framing(self, status: StatusCode) -> Framing {
        if status == StatusCode::NO_CONTENT || status == StatusCode::NOT_MODIFIED {
            return Framing::Over;
        }
        match (self.in_pieces, self.bytes) {
            (Some(true), _) => Framing::Pieces(Piece::Size),
            (Some(false), _) | (None, None) => Framing::ToTheEnd,
            (None, Some(0)) => Framing::Over,
            (None, Some(bytes)) => Framing::Length(bytes),
        }
    }
}

impl Framing {
    /// Takes content from what was read, or what stands between contents.
    pub(super) fn take(&mut self, read: &mut BytesMut) -> Result<Taken, Trouble> {
        loop {
            let piece = match self {
                Self::Over => return Ok(Taken::End),
                Self::ToTheEnd if read.is_empty() => return Ok(Taken::Nothing),
                Self::ToTheEnd => return Ok(Taken::Content(read.split().freeze())),
                Self::Length(left) => {
                    let Some(content) = up_to(left, read) else { return Ok(Taken::Nothing) };
                    if *left == 0 {
                        *self = Self::Over;
                    }
                    return Ok(Taken::Content(content));
                }
                Self::Pieces(piece) => piece,
            };
            match piece {
                Piece::Content(left) => {
                    let Some(content) = up_to(left, read) else { return Ok(Taken::Nothing) };
                    if *left == 0 {
                        *piece = Piece::LineEnd;
                        self.go_on(read)?;
                    }
                    return Ok(Taken::Content(content));
                }
                _ => {
                    if !self.go_on(read)? {
                        return Ok(Taken::Nothing);
                    }
                }
            }
        }
    }

    /// Goes over what stands between two contents; false when not all of it is there.
    fn go_on(&mut self, read: &mut BytesMut) -> Result<bool, Trouble> {
        while let Self::Pieces(piece) = self {
            match piece {
                Piece::Content(_) => break,
                Piece::LineEnd => match &read[..] {
                    [b'\r', b'\n', ..] => {
                        read.advance(2);
                        *piece = Piece::Size;
                    }
                    [] | [b'\r'] => return Ok(false),
                    _ => return Err(Trouble::CutShort),
                },
                Piece::Size => match httparse::parse_chunk_size(read) {
                    Ok(httparse::Status::Complete((end, size))) => {
                        read.advance(end);
                        *piece = if size == 0 { Piece::Trailers(0) } else { Piece::Content(size) };
                    }
                    Ok(httparse::Status::Partial) if read.len() <= LONGEST => return Ok(false),
                    _ => return Err(Trouble::CutShort),
                },
                Piece::Trailers(seen) => {
                    let Some(end) = memchr::memchr(b'\n', read) else {
                        let fits = *seen + read.len() <= LONGEST;
                        return if fits { Ok(false) } else { Err(Trouble::CutShort) };
                    };
                    let is_last = matches!(&read[..end], [] | [b'\r']);
                    *seen += end;
                    if *seen > LONGEST {
                        return Err(Trouble::CutShort);
                    }
                    read.advance(end + 1);
                    if is_last {
                        *self = Self::Over;
                    }
                }
            }
        }
        Ok(true)
    }
}

/// What there is of so many bytes.
fn up_to(left: &mut u64, read: &mut BytesMut) -> Option<Bytes> {
    let most = usize::try_from(*left).unwrap_or(usize::MAX);
    let count = most.min(read.len());
    *left -= count as u64;
    (count > 0).then(|| read.split_to(count).freeze())
}

/// What may stand between two contents.
const LONGEST: usize = 16 * 1024;
