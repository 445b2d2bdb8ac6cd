//! Queue of received chunks from which frames are split.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use super::FrameError;

/// Chunks that were received and not yet split. A frame within one chunk is a slice of it; only a
/// frame that spans several is copied, once.
#[derive(Debug)]
pub(super) struct ChunkQueue {
    /// Beginning of the current frame, copied from consumed chunks.
    partial: BytesMut,
    queue: VecDeque<Bytes>,
    /// Stream offset at which the current frame begins.
    frame_offset: u64,
    max_frame_bytes: usize,
}

/// The bytes of one frame.
#[derive(Debug)]
pub(super) struct RawFrame {
    pub(super) raw: Bytes,
    /// Stream offset of the frame.
    pub(super) offset: u64,
}

/// An error at an offset within the scanned bytes.
#[derive(Debug)]
pub(super) struct SplitError {
    pub(super) offset: usize,
    pub(super) reason: &'static str,
}

impl ChunkQueue {
    pub(super) fn new(max_frame_bytes: usize) -> Self {
        Self { partial: BytesMut::new(), queue: VecDeque::new(), frame_offset: 0, max_frame_bytes }
    }

    pub(super) fn push(&mut self, chunk: &Bytes) {
        if !chunk.is_empty() {
            self.queue.push_back(chunk.clone());
        }
    }

    /// Splits off the next frame. The callback `end` gets every byte once, in order, and returns
    /// where the frame ends in its input, or `None` if it needs more.
    pub(super) fn next_frame(
        &mut self,
        mut end: impl FnMut(&[u8]) -> Result<Option<usize>, SplitError>,
    ) -> Result<Option<RawFrame>, FrameError> {
        while let Some(chunk) = self.queue.front() {
            let partial_len = self.partial.len();
            // One byte beyond the limit: some frames end only where the next byte shows it.
            let scanned = chunk.len().min(self.max_frame_bytes.saturating_add(1) - partial_len);
            let end = end(&chunk[..scanned]).map_err(|split_error| FrameError {
                offset: self.frame_offset + (partial_len + split_error.offset) as u64,
                reason: split_error.reason,
            })?;
            if partial_len + end.unwrap_or(scanned) > self.max_frame_bytes {
                return Err(FrameError {
                    offset: self.frame_offset + self.max_frame_bytes as u64,
                    reason: TOO_LARGE,
                });
            }
            match end {
                Some(end) => return Ok(Some(self.take_frame(end))),
                None => self.buffer_front(),
            }
        }
        Ok(None)
    }

    /// Returns what is left at the end of the stream.
    pub(super) fn take_rest(&mut self) -> Option<RawFrame> {
        let raw = self.partial.split().freeze();
        (!raw.is_empty()).then(|| self.finish_frame(raw))
    }

    /// Number of stream bytes consumed.
    pub(super) fn position(&self) -> u64 {
        self.frame_offset + self.partial.len() as u64
    }

    fn buffer_front(&mut self) {
        if let Some(chunk) = self.queue.pop_front() {
            self.partial.extend_from_slice(&chunk);
        }
    }

    fn take_frame(&mut self, end: usize) -> RawFrame {
        let mut raw = Bytes::new();
        if let Some(chunk) = self.queue.front_mut() {
            raw = chunk.split_to(end);
            if chunk.is_empty() {
                self.queue.pop_front();
            }
        }
        if !self.partial.is_empty() {
            self.partial.extend_from_slice(&raw);
            raw = self.partial.split().freeze();
        }
        self.finish_frame(raw)
    }

    fn finish_frame(&mut self, raw: Bytes) -> RawFrame {
        let start = self.frame_offset;
        self.frame_offset += raw.len() as u64;
        RawFrame { raw, offset: start }
    }
}

pub(super) const TOO_LARGE: &str = "the frame is larger than the limit";
