//! One HTTP/1 connection: writes a request and reads the response.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BytesMut};
use interlingua::SegmentedBytes;
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, ReadBuf};
use tokio::net::TcpStream;

use super::head::{self, ResponseHead};
use crate::error::UpstreamError;

/// A connection and its read buffer.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    pub(super) read_buf: BytesMut,
    /// Bytes per read: doubles when a read fills the buffer, and falls back to the minimum after a
    /// small one.
    read_size: usize,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, read_buf: BytesMut::new(), read_size: MIN_READ_BYTES }
    }

    /// Sends a request and reads the head of its response; also returns whether the whole request
    /// was sent. A server may respond before it has read the body.
    pub(super) async fn send_request(
        &mut self,
        mut head: &[u8],
        mut body: SegmentedBytes,
    ) -> Result<(ResponseHead, bool), UpstreamError> {
        let mut is_writable = true;
        poll_fn(|context| {
            while is_writable && head.len() + body.len() > 0 {
                let mut parts = [IoSlice::new(head); 4];
                let count = body.chunks_vectored(&mut parts[1..]);
                let parts = &parts[..=count];
                match Pin::new(&mut self.stream).poll_write_vectored(context, parts) {
                    Poll::Ready(Ok(sent)) if sent > 0 => {
                        let head_count = sent.min(head.len());
                        head.advance(head_count);
                        body.advance(sent - head_count);
                    }
                    // The server may have sent a response before it closed.
                    Poll::Ready(_) => is_writable = false,
                    Poll::Pending => break,
                }
            }
            loop {
                if let Some(response) = head::take_response_head(&mut self.read_buf)? {
                    return Poll::Ready(Ok((response, head.len() + body.len() == 0)));
                }
                match ready!(self.poll_fill_buf(context)) {
                    Ok(0) | Err(_) => return Poll::Ready(Err(UpstreamError::ClosedBeforeResponse)),
                    Ok(_) => {}
                }
            }
        })
        .await
    }

    /// Reads more bytes; 0 is the end of the stream.
    pub(super) fn poll_fill_buf(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.read_size == MIN_READ_BYTES {
            // Reads into the stack first: an idle stream then holds no buffer, and received data is
            // stored in a buffer of about its size.
            let mut stack_buf = [MaybeUninit::uninit(); MIN_READ_BYTES];
            let mut received = ReadBuf::uninit(&mut stack_buf);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut received))?;
            let count = received.filled().len();
            self.read_buf.reserve(count.max(MIN_BUFFER_BYTES));
            self.read_buf.extend_from_slice(received.filled());
            if count == MIN_READ_BYTES {
                self.read_size = 2 * MIN_READ_BYTES;
            }
            return Poll::Ready(Ok(count));
        }
        self.read_buf.reserve(self.read_size);
        let spare = self.read_buf.capacity() - self.read_buf.len();
        let count = ready!(pin!(self.stream.read_buf(&mut self.read_buf)).poll(context))?;
        if count == spare {
            self.read_size = (2 * self.read_size).min(MAX_READ_BYTES);
        } else if count < MIN_READ_BYTES {
            self.read_size = MIN_READ_BYTES;
        }
        Poll::Ready(Ok(count))
    }

    /// Whether the connection is open and has no unread bytes.
    pub(super) fn is_reusable(&self) -> bool {
        let result = self.stream.try_read(&mut [0]);
        result.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Resets the buffer for the next request.
    pub(super) fn reset_buffer(&mut self) {
        self.read_buf = BytesMut::new();
        self.read_size = MIN_READ_BYTES;
    }
}

/// Read size for the head and body of a short response, or for some events.
const MIN_READ_BYTES: usize = 8 * 1024;
/// Minimum capacity of the read buffer: about one event, so that the allocation is reused.
const MIN_BUFFER_BYTES: usize = 1024;
const MAX_READ_BYTES: usize = 128 * 1024;
