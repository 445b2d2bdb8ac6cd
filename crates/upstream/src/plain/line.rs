//! One connection: a request goes out, and an answer comes in.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, BytesMut};
use interlingua::Spliced;
use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWrite as _, ReadBuf};
use tokio::net::TcpStream;

use super::head::{self, Head};
use crate::error::Trouble;

/// A connection, and what was read from it that nobody has taken.
#[derive(Debug)]
pub(super) struct Line {
    stream: TcpStream,
    pub(super) read: BytesMut,
    /// How much is read at once: more, where the last time brought as much as there was room for, and
    /// the least again where it brought little.
    room: usize,
}

impl Line {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, read: BytesMut::new(), room: LEAST }
    }

    /// Sends a request and reads the head of its answer; and whether all of the request was sent. One
    /// who has answered need not hear the rest of the question.
    pub(super) async fn exchange(
        &mut self,
        mut head: &[u8],
        mut body: Spliced,
    ) -> Result<(Head, bool), Trouble> {
        let mut takes = true;
        poll_fn(|context| {
            while takes && head.len() + body.len() > 0 {
                let mut parts = [IoSlice::new(head); 4];
                let count = body.chunks_vectored(&mut parts[1..]);
                let parts = &parts[..=count];
                match Pin::new(&mut self.stream).poll_write_vectored(context, parts) {
                    Poll::Ready(Ok(sent)) if sent > 0 => {
                        let of_head = sent.min(head.len());
                        head.advance(of_head);
                        body.advance(sent - of_head);
                    }
                    // It may have said why before it closed.
                    Poll::Ready(_) => takes = false,
                    Poll::Pending => break,
                }
            }
            loop {
                if let Some(answer) = head::read(&mut self.read)? {
                    return Poll::Ready(Ok((answer, head.len() + body.len() == 0)));
                }
                match ready!(self.poll_fill(context)) {
                    Ok(0) | Err(_) => return Poll::Ready(Err(Trouble::Reset)),
                    Ok(_) => {}
                }
            }
        })
        .await
    }

    /// Reads more; 0 bytes are the end.
    pub(super) fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.room == LEAST {
            // Who only waits holds little memory, and what came holds hardly more than it needs.
            let mut table = [MaybeUninit::uninit(); LEAST];
            let mut heard = ReadBuf::uninit(&mut table);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut heard))?;
            let count = heard.filled().len();
            self.read.reserve(count.max(SHORT));
            self.read.extend_from_slice(heard.filled());
            if count == LEAST {
                self.room = 2 * LEAST;
            }
            return Poll::Ready(Ok(count));
        }
        self.read.reserve(self.room);
        let room = self.read.capacity() - self.read.len();
        let count = ready!(pin!(self.stream.read_buf(&mut self.read)).poll(context))?;
        if count == room {
            self.room = (2 * self.room).min(MOST);
        } else if count < LEAST {
            self.room = LEAST;
        }
        Poll::Ready(Ok(count))
    }

    /// Whether it is open and silent, as one is that nobody has asked anything.
    pub(super) fn is_quiet(&self) -> bool {
        let heard = self.stream.try_read(&mut [0]);
        heard.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Ready for the next one who asks.
    pub(super) fn rest(&mut self) {
        self.read = BytesMut::new();
        self.room = LEAST;
    }
}

/// Room for the head and the body of a short answer, or for some events.
const LEAST: usize = 8 * 1024;
/// Room for one event: what it was in serves for the next.
const SHORT: usize = 1024;
const MOST: usize = 128 * 1024;
