//! Connections without TLS: HTTP/1.1, written and read by whoever asks.
//!
//! Nobody shares such a connection, so nothing stands between a provider and the one who waits for
//! it: what the provider says wakes that one, and no other task before.

mod body;
mod framing;
mod head;
mod kept;
mod line;

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use http::uri::Authority;
use interlingua::Spliced;
use tokio::time::timeout;
use tower_service::Service as _;

pub(crate) use self::body::PlainBody;
pub(crate) use self::head::{Head, written};
use self::kept::Kept;
use self::line::Line;
use crate::connect::{Dial, Proxies};
use crate::error::{Trouble, of_connecting};
use crate::ready::Heading;

/// Asks over connections of its own, and keeps those that can serve again.
pub(crate) struct Plain {
    connect: Duration,
    dial: Dial,
    kept: Arc<Kept>,
}

/// Why there is no answer, and whether the connection had answered somebody before.
#[derive(Debug)]
pub(crate) struct Unanswered {
    pub(crate) trouble: Trouble,
    pub(crate) kept: bool,
}

impl Plain {
    pub(crate) fn new(connect: Duration, proxies: &Arc<Proxies>) -> Self {
        Self { connect, dial: Dial::new(Arc::clone(proxies)), kept: Arc::default() }
    }

    /// Sends a request and waits for the head of its answer; with a connection that was kept, if
    /// there is one and it may be. What is sent is not held any longer.
    pub(crate) async fn ask(
        &self,
        heading: &Heading,
        body: Spliced,
        may_be_kept: bool,
    ) -> Result<(Head, PlainBody), Unanswered> {
        let uri = heading.request.uri();
        let Some(to) = uri.authority() else {
            return Err(Unanswered { trouble: Trouble::Address, kept: false });
        };
        let found = if may_be_kept { self.kept.take(to) } else { None };
        let kept = found.is_some();
        let unanswered = |trouble| Unanswered { trouble, kept };
        let mut line = match found {
            Some(line) => line,
            None => self.dial(uri).await.map_err(unanswered)?,
        };
        let home = (Arc::clone(&self.kept), to.clone());
        let sent = head::ended(heading.text(), heading.request.method(), body.len());
        let (head, whole) = line.exchange(&sent, body).await.map_err(unanswered)?;
        let home = (whole && head.may_stay).then_some(home);
        let body = PlainBody::new(line, head.framing, home);
        Ok((head, body))
    }

    async fn dial(&self, to: &Uri) -> Result<Line, Trouble> {
        let dialling = self.dial.clone().call(to.clone());
        match timeout(self.connect, dialling).await {
            Ok(Ok(wire)) => Ok(Line::new(wire.into_stream())),
            Ok(Err(error)) => Err(of_connecting(error.as_ref(), false)),
            Err(_) => Err(Trouble::Connect(self.connect)),
        }
    }
}

/// Where a connection is put when its answer was read.
type Home = (Arc<Kept>, Authority);
