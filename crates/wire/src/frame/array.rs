//! A JSON array whose elements arrive one by one. What is inside an element is left to who reads it.

use bytes::Bytes;
use bytestring::ByteString;

use super::chunks::{Chunks, Wrong};
use super::{Frame, FrameError};
use crate::json::Limits;

#[derive(Debug)]
pub(super) struct Cutter {
    chunks: Chunks,
    elements: Elements,
}

/// Looks for the end of the next element, wherever chunks were cut.
#[derive(Debug)]
struct Elements {
    place: Place,
    depth: usize,
    /// An object that stands alone instead of an array: how an error comes.
    alone: bool,
    /// Bytes of this frame in earlier chunks.
    seen: usize,
    /// Where the element begins in this frame.
    element: Option<usize>,
}

/// What the next byte may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The array's bracket.
    Before,
    /// The first element, or the end.
    First,
    /// A further element.
    Next,
    /// A comma, or the end.
    Between,
    /// Nothing but space.
    Closed,
    /// Part of a number or word.
    Scalar,
    /// Part of an array or object.
    Nested,
    String,
    Escape,
}

impl Cutter {
    pub(super) fn new(limit: usize) -> Self {
        let elements =
            Elements { place: Place::Before, depth: 0, alone: false, seen: 0, element: None };
        Self { chunks: Chunks::new(limit), elements }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.chunks.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(piece) = self.chunks.cut(|bytes| self.elements.end(bytes))? else {
            return Ok(None);
        };
        self.elements.seen = 0;
        let mut frame = Frame { raw: piece.raw, event: None, data: None };
        if let Some(element) = self.elements.element.take() {
            let data = ByteString::try_from(frame.raw.slice(element..)).map_err(|error| {
                let at = piece.start + (element + error.valid_up_to()) as u64;
                FrameError { at, why: "not UTF-8" }
            })?;
            frame.data = Some(data);
        }
        Ok(Some(frame))
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        let at = self.chunks.position();
        if self.elements.place != Place::Closed {
            return Err(FrameError { at, why: "the stream ends before its array does" });
        }
        Ok(self.chunks.rest().map(|piece| Frame { raw: piece.raw, event: None, data: None }))
    }
}

impl Elements {
    fn end(&mut self, bytes: &[u8]) -> Result<Option<usize>, Wrong> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.place {
                Place::Scalar => {
                    if matches!(byte, b',' | b']' | b' ' | b'\n' | b'\r' | b'\t') {
                        return Ok(Some(self.close(at)));
                    }
                    at += 1;
                }
                Place::Escape => {
                    self.place = Place::String;
                    at += 1;
                }
                Place::String => match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    None => break,
                    Some(length) => {
                        at += length + 1;
                        if bytes[at - 1] == b'\\' {
                            self.place = Place::Escape;
                        } else if self.depth > 0 {
                            self.place = Place::Nested;
                        } else {
                            return Ok(Some(self.close(at)));
                        }
                    }
                },
                Place::Nested => {
                    let ended = self.nested(byte, at)?;
                    at += 1;
                    if ended {
                        return Ok(Some(self.close(at)));
                    }
                }
                _ if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') => at += 1,
                _ => {
                    let ended = self.outside(byte, at)?;
                    at += 1;
                    if ended {
                        return Ok(Some(at));
                    }
                }
            }
        }
        self.seen += bytes.len();
        Ok(None)
    }

    /// A byte inside an array or object; whether that ends the element.
    fn nested(&mut self, byte: u8, at: usize) -> Result<bool, Wrong> {
        match byte {
            b'"' => self.place = Place::String,
            b'{' | b'[' => self.deeper(at)?,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        Ok(self.depth == 0)
    }

    /// A byte between elements; whether it ends the array.
    fn outside(&mut self, byte: u8, at: usize) -> Result<bool, Wrong> {
        let wrong = |why| Err(Wrong { at, why });
        match (self.place, byte) {
            (Place::Before, b'[') => self.place = Place::First,
            (Place::Before, b'{') => {
                self.alone = true;
                self.begin(byte, at)?;
            }
            (Place::Before, _) => return wrong("not a JSON array"),
            (Place::First | Place::Between, b']') => {
                self.place = Place::Closed;
                return Ok(true);
            }
            (Place::First | Place::Next, b',' | b']' | b'}' | b':') => {
                return wrong("an element is missing in the array");
            }
            (Place::First | Place::Next, _) => self.begin(byte, at)?,
            (Place::Between, b',') => self.place = Place::Next,
            (Place::Between, _) => return wrong("no comma between the elements of the array"),
            _ => return wrong("the stream goes on behind its array"),
        }
        Ok(false)
    }

    fn begin(&mut self, byte: u8, at: usize) -> Result<(), Wrong> {
        self.element = Some(self.seen + at);
        match byte {
            b'{' | b'[' => self.deeper(at)?,
            b'"' => self.place = Place::String,
            _ => self.place = Place::Scalar,
        }
        Ok(())
    }

    fn deeper(&mut self, at: usize) -> Result<(), Wrong> {
        self.place = Place::Nested;
        self.depth += 1;
        if self.depth > Limits::DEEPEST {
            return Err(Wrong { at, why: "an element of the array is nested too deeply" });
        }
        Ok(())
    }

    /// The element ends at `at`.
    fn close(&mut self, at: usize) -> usize {
        self.place = if self.alone { Place::Closed } else { Place::Between };
        at
    }
}

/// One element. What stands around it is written by [`begin`] and [`end`].
pub(super) fn write(data: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(data.as_bytes());
}

/// What stands before the first element, and before a further one.
pub(super) fn begin(first: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if first { b"[" } else { b",\r\n" });
}

pub(super) fn end(empty: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if empty { b"[]" } else { b"]" });
}
