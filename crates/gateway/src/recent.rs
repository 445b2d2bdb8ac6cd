//! The turns of late, in short: `/api/turns` lists them, and `/api/events` tells of them as they begin and end.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body::Frame;
use interlingua_upstream::Idle;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use uuid::Uuid;

/// What is shared by all who tell and all who listen.
#[derive(Default)]
pub(crate) struct Recent(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The oldest first, each with its owner.
    turns: VecDeque<(String, Short)>,
    listeners: Vec<Listener>,
    closed: bool,
}

struct Listener {
    owner: String,
    line: mpsc::Sender<Bytes>,
}

/// A turn that is over, in short.
pub(crate) struct Short {
    pub(crate) turn: Uuid,
    pub(crate) conversation: u64,
    pub(crate) at: u64,
    pub(crate) dialect: &'static str,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) outcome: &'static str,
    pub(crate) status: u16,
    pub(crate) tries: u32,
    pub(crate) streamed: bool,
    pub(crate) first: Option<Duration>,
    pub(crate) took: Duration,
    pub(crate) tokens: [(&'static str, u64); 5],
    /// Each rule once.
    pub(crate) repairs: Vec<&'static str>,
    pub(crate) guard: Vec<&'static str>,
}

/// Where one turn is told of.
pub(crate) struct Telling {
    recent: Arc<Recent>,
    owner: String,
    /// It is also kept in the list.
    listed: bool,
}

impl Recent {
    /// A turn begins.
    pub(crate) fn begins(
        self: &Arc<Self>,
        owner: &str,
        listed: bool,
        turn: Uuid,
        dialect: &str,
    ) -> Telling {
        let mut inner = self.inner();
        if inner.is_heard(owner) {
            let begun = json!({"turn": turn.to_string(), "at": now(), "dialect": dialect});
            inner.tell(owner, "turn.begun", &begun);
        }
        Telling { recent: Arc::clone(self), owner: owner.to_owned(), listed }
    }

    /// The turns of an owner, the newest first.
    pub(crate) fn turns(&self, owner: &str) -> Vec<Value> {
        let inner = self.inner();
        let own = inner.turns.iter().rev().filter(|(of, _)| of == owner);
        own.map(|(_, short)| short.to_json()).collect()
    }

    /// One turn of an owner.
    pub(crate) fn turn(&self, owner: &str, turn: &str) -> Option<Value> {
        let turn = Uuid::try_parse(turn).ok()?;
        let inner = self.inner();
        let found = inner.turns.iter().find(|(of, short)| of == owner && short.turn == turn);
        found.map(|(_, short)| short.to_json())
    }

    /// Everything that is told of an owner's turns from now on; nothing where nobody is told any longer.
    pub(crate) fn listen(&self, owner: &str, heartbeat: Duration) -> Events {
        let (line, told) = mpsc::channel(BEHIND);
        let mut inner = self.inner();
        inner.listeners.retain(|listener| !listener.line.is_closed());
        if !inner.closed {
            inner.listeners.push(Listener { owner: owner.to_owned(), line });
        }
        Events { told, hello: true, quiet: Idle::new(heartbeat) }
    }

    /// Whoever listens is let go: nobody is to wait for them.
    pub(crate) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        inner.listeners.clear();
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn is_heard(&self, owner: &str) -> bool {
        self.listeners.iter().any(|listener| listener.owner == owner)
    }

    fn list(&mut self, owner: String, mut short: Short) {
        if self.turns.len() == LISTED {
            self.turns.pop_front();
        }
        short.bound();
        self.turns.push_back((owner, short));
    }

    /// Who does not keep up is let go, and knows by that; the list has what was missed.
    fn tell(&mut self, owner: &str, event: &str, what: &Value) {
        let text = Bytes::from(format!("event: {event}\ndata: {what}\n\n"));
        self.listeners.retain(|listener| {
            listener.owner != owner || listener.line.try_send(text.clone()).is_ok()
        });
    }
}

impl Telling {
    /// The turn is over.
    pub(crate) fn ends(self, short: Short) {
        let mut inner = self.recent.inner();
        if inner.is_heard(&self.owner) {
            inner.tell(&self.owner, "turn.ended", &short.to_json());
        }
        if self.listed {
            inner.list(self.owner, short);
        }
    }

    /// It is over, and stands among the turns of late; who listens is told by [`Telling::tell`].
    pub(crate) fn list(&self, short: Short) {
        if self.listed {
            self.recent.inner().list(self.owner.clone(), short);
        }
    }

    pub(crate) fn tell(self, summary: &Value) {
        self.recent.inner().tell(&self.owner, "turn.ended", summary);
    }
}

impl Short {
    pub(crate) fn to_json(&self) -> Value {
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let used = self.tokens.iter().filter(|(_, tokens)| *tokens > 0);
        json!({
            "turn": self.turn.to_string(),
            "conversation": format!("{:016x}", self.conversation),
            "at": self.at,
            "dialect": self.dialect,
            "provider": self.provider,
            "model": self.model,
            "outcome": self.outcome,
            "status": self.status,
            "tries": self.tries,
            "streamed": self.streamed,
            "first_ms": self.first.map(millis),
            "ms": millis(self.took),
            "usage": used.map(|(name, tokens)| ((*name).to_owned(), (*tokens).into())).collect::<Map<_, _>>(),
            "repairs": self.repairs,
            "guard": self.guard,
        })
    }

    /// Clients may give a model any name; the list is not to grow by that.
    fn bound(&mut self) {
        if let Some((at, _)) = self.model.char_indices().nth(NAME) {
            self.model.truncate(at);
            self.model.shrink_to_fit();
        }
    }
}

/// As [`seconds`], of this moment.
pub(crate) fn now() -> u64 {
    seconds(SystemTime::now())
}

/// Seconds since 1970.
pub(crate) fn seconds(at: SystemTime) -> u64 {
    at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// What one listener is told, as a body.
pub(crate) struct Events {
    told: mpsc::Receiver<Bytes>,
    /// The head goes out at once with this, and the listener knows that it hears everything from here on.
    hello: bool,
    quiet: Idle,
}

impl Events {
    pub(crate) fn poll_frame(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if std::mem::take(&mut self.hello) {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(SIGN_OF_LIFE)))));
        }
        match Pin::new(&mut self.told).poll_recv(context) {
            Poll::Ready(Some(text)) => {
                self.quiet.heard();
                Poll::Ready(Some(Ok(Frame::data(text))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(self.quiet.poll(context));
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(SIGN_OF_LIFE)))))
            }
        }
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recent").finish_non_exhaustive()
    }
}

const SIGN_OF_LIFE: &[u8] = b": listening\n\n";
/// So many turns are listed, of all owners together.
const LISTED: usize = 256;
/// So many events a listener may be behind.
const BEHIND: usize = 256;
/// So many characters of a model's name are kept.
const NAME: usize = 200;
