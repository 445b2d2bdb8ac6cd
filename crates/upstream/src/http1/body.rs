//! The body of an HTTP/1 response, read from its connection when it is polled.

use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::body_decoder::{BodyDecoder, DecodeStep};
use super::connection::Connection;
use super::pool::PoolHandle;
use crate::error::UpstreamError;

/// A response body. Dropped before its end, it closes its connection.
pub(crate) struct Http1Body {
    /// The connection, until the body ends.
    connection: Option<Connection>,
    decoder: BodyDecoder,
    /// Where the connection is returned to, if it is reusable.
    return_to: Option<PoolHandle>,
}

impl Http1Body {
    pub(super) fn new(
        connection: Connection,
        body_decoder: BodyDecoder,
        return_to: Option<PoolHandle>,
    ) -> Self {
        let mut body = Self { connection: Some(connection), decoder: body_decoder, return_to };
        body.release_if_done();
        body
    }

    /// Returns the next bytes; `None` at the end.
    pub(crate) fn poll_data(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, UpstreamError>>> {
        loop {
            let Some(connection) = &mut self.connection else { return Poll::Ready(None) };
            match self.decoder.decode(&mut connection.read_buf) {
                Ok(DecodeStep::Data(data)) => {
                    self.release_if_done();
                    return Poll::Ready(Some(Ok(data)));
                }
                Ok(DecodeStep::NeedMore) => {}
                Ok(DecodeStep::End) => self.release_if_done(),
                Err(error) => return self.fail(error),
            }
            let Some(connection) = &mut self.connection else { return Poll::Ready(None) };
            match ready!(connection.poll_fill_buf(context)) {
                Ok(0) if self.decoder == BodyDecoder::UntilClose => self.connection = None,
                Ok(0) | Err(_) => return self.fail(UpstreamError::IncompleteBody),
                Ok(_) => {}
            }
        }
    }

    pub(crate) fn is_end(&self) -> bool {
        self.connection.is_none()
    }

    /// Whether the read buffer has no undelivered bytes.
    pub(crate) fn is_buffer_empty(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.read_buf.is_empty())
    }

    /// Remaining length, if the response has a content length.
    pub(crate) fn remaining_len(&self) -> Option<u64> {
        match self.decoder {
            BodyDecoder::Length(left) => Some(left),
            BodyDecoder::Done => Some(0),
            BodyDecoder::Chunked(_) | BodyDecoder::UntilClose => None,
        }
    }

    fn fail(&mut self, error: UpstreamError) -> Poll<Option<Result<Bytes, UpstreamError>>> {
        self.connection = None;
        Poll::Ready(Some(Err(error)))
    }

    /// At the end of the body, returns the connection to the pool. A connection with excess bytes
    /// is closed.
    fn release_if_done(&mut self) {
        if self.decoder == BodyDecoder::Done
            && let Some(connection) = self.connection.take()
            && let Some((idle_pool, authority)) = self.return_to.take()
            && connection.read_buf.is_empty()
        {
            idle_pool.put(authority, connection);
        }
    }
}
