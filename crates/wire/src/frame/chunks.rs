//! The chunks of a stream on their way into frames.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use super::FrameError;

/// Chunks that came but are not cut yet. A frame within one chunk is a slice of it; only a frame
/// that spans several is copied together, once.
#[derive(Debug)]
pub(super) struct Chunks {
    /// The beginning of a frame, from chunks that are used up.
    held: BytesMut,
    queue: VecDeque<Bytes>,
    /// Where the frame being cut begins in the stream.
    start: u64,
    limit: usize,
}

/// The bytes of one frame.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) raw: Bytes,
    /// Where they begin in the stream.
    pub(super) start: u64,
}

/// Something wrong in the bytes that were looked at, `at` bytes into them.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

impl Chunks {
    pub(super) fn new(limit: usize) -> Self {
        Self { held: BytesMut::new(), queue: VecDeque::new(), start: 0, limit }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        if !chunk.is_empty() {
            self.queue.push_back(chunk.clone());
        }
    }

    /// Cuts the next frame. `end` sees every byte once, in order, and says where the frame ends in
    /// the bytes it is given, or `None` if it needs more; it must not look again at what it saw.
    pub(super) fn cut(
        &mut self,
        mut end: impl FnMut(&[u8]) -> Result<Option<usize>, Wrong>,
    ) -> Result<Option<Piece>, FrameError> {
        while let Some(chunk) = self.queue.front() {
            let held = self.held.len();
            // One byte more than fits: some frames end only where the next byte shows it.
            let seen = chunk.len().min(self.limit.saturating_add(1) - held);
            let end = end(&chunk[..seen]).map_err(|wrong| FrameError {
                at: self.start + (held + wrong.at) as u64,
                why: wrong.why,
            })?;
            if held + end.unwrap_or(seen) > self.limit {
                return Err(FrameError { at: self.start + self.limit as u64, why: TOO_LARGE });
            }
            match end {
                Some(end) => return Ok(Some(self.take(end))),
                None => self.hold(),
            }
        }
        Ok(None)
    }

    /// What is left at the end of the stream.
    pub(super) fn rest(&mut self) -> Option<Piece> {
        let raw = self.held.split().freeze();
        (!raw.is_empty()).then(|| self.piece(raw))
    }

    /// How far the stream has come.
    pub(super) fn position(&self) -> u64 {
        self.start + self.held.len() as u64
    }

    fn hold(&mut self) {
        if let Some(chunk) = self.queue.pop_front() {
            self.held.extend_from_slice(&chunk);
        }
    }

    fn take(&mut self, end: usize) -> Piece {
        let mut raw = Bytes::new();
        if let Some(chunk) = self.queue.front_mut() {
            raw = chunk.split_to(end);
            if chunk.is_empty() {
                self.queue.pop_front();
            }
        }
        if !self.held.is_empty() {
            self.held.extend_from_slice(&raw);
            raw = self.held.split().freeze();
        }
        self.piece(raw)
    }

    fn piece(&mut self, raw: Bytes) -> Piece {
        let start = self.start;
        self.start += raw.len() as u64;
        Piece { raw, start }
    }
}

pub(super) const TOO_LARGE: &str = "the frame is larger than the limit";
