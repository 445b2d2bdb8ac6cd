use bytes::Bytes;

use super::{Frame, FrameError};

#[derive(Debug)]
pub(super) struct Cutter;

impl Cutter {
    pub(super) fn new(_limit: usize) -> Self {
        Self
    }
    pub(super) fn push(&mut self, _chunk: &Bytes) {}
    pub(super) fn next(&mut self) -> Result<Option<Frame>, FrameError> {
        Ok(None)
    }
    pub(super) fn finish(&mut self) -> Result<Option<Frame>, FrameError> {
        Ok(None)
    }
}
pub(super) fn write(_event: Option<&str>, _data: &str, _out: &mut Vec<u8>) {}
