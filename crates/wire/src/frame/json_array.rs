//! Splits a streamed JSON array into frames, one per element, without validating the elements.

use bytes::Bytes;
use bytestring::ByteString;

use super::chunk_queue::{ChunkQueue, SplitError};
use super::{Frame, FrameError};
use crate::json::JsonLimits;

#[derive(Debug)]
pub(super) struct Splitter {
    queue: ChunkQueue,
    scanner: ElementScanner,
}

/// State machine that finds the end of the next element across chunk boundaries.
#[derive(Debug)]
struct ElementScanner {
    state: ScanState,
    depth: usize,
    /// The stream is one object instead of an array, as error bodies are.
    is_single_object: bool,
    /// Bytes of this frame in earlier chunks.
    scanned: usize,
    /// Offset of the element in this frame.
    element_start: Option<usize>,
}

/// What the next byte may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScanState {
    /// The opening bracket.
    BeforeArray,
    /// The first element or the closing bracket.
    FirstElement,
    /// Another element.
    NextElement,
    /// A comma or the closing bracket.
    AfterElement,
    /// Only white space.
    AfterArray,
    /// Part of a number or literal.
    Scalar,
    /// Part of an array or object.
    Nested,
    String,
    Escape,
}

impl Splitter {
    pub(super) fn new(limit: usize) -> Self {
        let scanner = ElementScanner {
            state: ScanState::BeforeArray,
            depth: 0,
            is_single_object: false,
            scanned: 0,
            element_start: None,
        };
        Self { queue: ChunkQueue::new(limit), scanner }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        self.queue.push(chunk);
    }

    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(raw_frame) = self.queue.next_frame(|bytes| self.scanner.find_end(bytes))? else {
            return Ok(None);
        };
        self.scanner.scanned = 0;
        let mut frame = Frame { raw: raw_frame.raw, event: None, data: None };
        if let Some(element) = self.scanner.element_start.take() {
            let data = ByteString::try_from(frame.raw.slice(element..)).map_err(|error| {
                let at = raw_frame.offset + (element + error.valid_up_to()) as u64;
                FrameError { offset: at, reason: "not UTF-8" }
            })?;
            frame.data = Some(data);
        }
        Ok(Some(frame))
    }

    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        let at = self.queue.position();
        if self.scanner.state != ScanState::AfterArray {
            return Err(FrameError { offset: at, reason: "the stream ends inside its array" });
        }
        Ok(self.queue.take_rest().map(|raw_frame| Frame {
            raw: raw_frame.raw,
            event: None,
            data: None,
        }))
    }
}

impl ElementScanner {
    fn find_end(&mut self, bytes: &[u8]) -> Result<Option<usize>, SplitError> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.state {
                ScanState::Scalar => {
                    if matches!(byte, b',' | b']' | b' ' | b'\n' | b'\r' | b'\t') {
                        return Ok(Some(self.finish_element(at)));
                    }
                    at += 1;
                }
                ScanState::Escape => {
                    self.state = ScanState::String;
                    at += 1;
                }
                ScanState::String => match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                    None => break,
                    Some(length) => {
                        at += length + 1;
                        if bytes[at - 1] == b'\\' {
                            self.state = ScanState::Escape;
                        } else if self.depth > 0 {
                            self.state = ScanState::Nested;
                        } else {
                            return Ok(Some(self.finish_element(at)));
                        }
                    }
                },
                ScanState::Nested => {
                    let is_end = self.scan_nested(byte, at)?;
                    at += 1;
                    if is_end {
                        return Ok(Some(self.finish_element(at)));
                    }
                }
                _ if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') => at += 1,
                _ => {
                    let is_end = self.scan_outside(byte, at)?;
                    at += 1;
                    if is_end {
                        return Ok(Some(at));
                    }
                }
            }
        }
        self.scanned += bytes.len();
        Ok(None)
    }

    /// Handles a byte inside an array or object; returns whether it ends the element.
    fn scan_nested(&mut self, byte: u8, at: usize) -> Result<bool, SplitError> {
        match byte {
            b'"' => self.state = ScanState::String,
            b'{' | b'[' => self.enter_container(at)?,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        Ok(self.depth == 0)
    }

    /// Handles a byte between elements; returns whether it ends the array.
    fn scan_outside(&mut self, byte: u8, at: usize) -> Result<bool, SplitError> {
        let fail = |reason| Err(SplitError { offset: at, reason });
        match (self.state, byte) {
            (ScanState::BeforeArray, b'[') => self.state = ScanState::FirstElement,
            (ScanState::BeforeArray, b'{') => {
                self.is_single_object = true;
                self.begin_element(byte, at)?;
            }
            (ScanState::BeforeArray, _) => return fail("not a JSON array"),
            (ScanState::FirstElement | ScanState::AfterElement, b']') => {
                self.state = ScanState::AfterArray;
                return Ok(true);
            }
            (ScanState::FirstElement | ScanState::NextElement, b',' | b']' | b'}' | b':') => {
                return fail("an element is missing in the array");
            }
            (ScanState::FirstElement | ScanState::NextElement, _) => {
                self.begin_element(byte, at)?;
            }
            (ScanState::AfterElement, b',') => self.state = ScanState::NextElement,
            (ScanState::AfterElement, _) => {
                return fail("no comma between the elements of the array");
            }
            _ => return fail("the stream continues after its array"),
        }
        Ok(false)
    }

    fn begin_element(&mut self, byte: u8, at: usize) -> Result<(), SplitError> {
        self.element_start = Some(self.scanned + at);
        match byte {
            b'{' | b'[' => self.enter_container(at)?,
            b'"' => self.state = ScanState::String,
            _ => self.state = ScanState::Scalar,
        }
        Ok(())
    }

    fn enter_container(&mut self, at: usize) -> Result<(), SplitError> {
        self.state = ScanState::Nested;
        self.depth += 1;
        if self.depth > JsonLimits::MAX_DEPTH {
            return Err(SplitError {
                offset: at,
                reason: "an element of the array is nested too deeply",
            });
        }
        Ok(())
    }

    /// Leaves the element, which ends at `at`.
    fn finish_element(&mut self, at: usize) -> usize {
        self.state =
            if self.is_single_object { ScanState::AfterArray } else { ScanState::AfterElement };
        at
    }
}

/// Writes one element. The text around it is written by [`write_separator`] and [`write_end`].
pub(super) fn write_element(data: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(data.as_bytes());
}

/// Writes the opening bracket, or the comma before a further element.
pub(super) fn write_separator(first: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if first { b"[" } else { b",\r\n" });
}

pub(super) fn write_end(empty: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if empty { b"[]" } else { b"]" });
}
