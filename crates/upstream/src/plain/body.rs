//! The body of an answer, read from its connection when somebody wants more of it.

use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::Home;
use super::framing::{Framing, Taken};
use super::line::Line;
use crate::error::Trouble;

/// Dropped before its end, it closes its connection.
pub(crate) struct PlainBody {
    /// Until the body is over.
    line: Option<Line>,
    framing: Framing,
    /// Where the connection goes then, if it can serve again.
    home: Option<Home>,
}

impl PlainBody {
    pub(super) fn new(line: Line, framing: Framing, home: Option<Home>) -> Self {
        let mut body = Self { line: Some(line), framing, home };
        body.leave_if_over();
        body
    }

    /// More of it; nothing at its end.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Trouble>>> {
        loop {
            let Some(line) = &mut self.line else { return Poll::Ready(None) };
            match self.framing.take(&mut line.read) {
                Ok(Taken::Content(piece)) => {
                    self.leave_if_over();
                    return Poll::Ready(Some(Ok(piece)));
                }
                Ok(Taken::Nothing) => {}
                Ok(Taken::End) => self.leave_if_over(),
                Err(trouble) => return self.broken(trouble),
            }
            let Some(line) = &mut self.line else { return Poll::Ready(None) };
            match ready!(line.poll_fill(context)) {
                Ok(0) if self.framing == Framing::ToTheEnd => self.line = None,
                Ok(0) | Err(_) => return self.broken(Trouble::CutShort),
                Ok(_) => {}
            }
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.line.is_none()
    }

    /// Whether nothing was read that was not given.
    pub(crate) fn is_drained(&self) -> bool {
        self.line.as_ref().is_some_and(|line| line.read.is_empty())
    }

    /// How much is still to come, where that was said.
    pub(crate) fn left(&self) -> Option<u64> {
        match self.framing {
            Framing::Length(left) => Some(left),
            Framing::Over => Some(0),
            Framing::Pieces(_) | Framing::ToTheEnd => None,
        }
    }

    fn broken(&mut self, trouble: Trouble) -> Poll<Option<Result<Bytes, Trouble>>> {
        self.line = None;
        Poll::Ready(Some(Err(trouble)))
    }

    /// At the end of the body its connection is free; one that says more than it was asked is not used again.
    fn leave_if_over(&mut self) {
        if self.framing == Framing::Over
            && let Some(line) = self.line.take()
            && let Some((kept, at)) = self.home.take()
            && line.read.is_empty()
        {
            kept.put(at, line);
        }
    }
}
