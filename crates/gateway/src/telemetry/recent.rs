//! Recent turns in memory: listed by `/api/turns`, published over `/api/events` as they begin and
//! end.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body::{Body, Frame};
use interlingua_upstream::IdleTimer;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use uuid::Uuid;

/// Recent turns and event subscribers, shared by all threads.
#[derive(Default)]
pub(crate) struct RecentTurns(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// Oldest first, each with its owner.
    turns: VecDeque<(String, TurnSummary)>,
    subscribers: Vec<EventSubscriber>,
    closed: bool,
}

struct EventSubscriber {
    owner: String,
    sender: mpsc::Sender<Bytes>,
}

/// A finished turn.
pub(crate) struct TurnSummary {
    pub(crate) turn: Uuid,
    pub(crate) conversation: u64,
    pub(crate) ended_at: u64,
    pub(crate) dialect: &'static str,
    pub(crate) provider: String,
    pub(crate) model: String,
    pub(crate) outcome: &'static str,
    pub(crate) status: u16,
    pub(crate) attempts: u32,
    pub(crate) streamed: bool,
    pub(crate) time_to_first_token: Option<Duration>,
    pub(crate) duration: Duration,
    pub(crate) tokens: [(&'static str, u64); 5],
    /// Distinct rules that changed the request.
    pub(crate) repairs: Vec<&'static str>,
    /// Distinct rules that changed the reply.
    pub(crate) reply_repairs: Vec<&'static str>,
    pub(crate) guard_findings: Vec<&'static str>,
}

/// Publishes the end of one turn.
pub(crate) struct TurnPublisher {
    recent: Arc<RecentTurns>,
    owner: String,
    /// The turn is also added to the list.
    is_listed: bool,
}

impl RecentTurns {
    /// Publishes the begin of a turn.
    pub(crate) fn begin_turn(
        self: &Arc<Self>,
        owner: &str,
        is_listed: bool,
        turn: Uuid,
        dialect: &str,
    ) -> TurnPublisher {
        let mut inner = self.inner();
        if inner.has_subscriber(owner) {
            let event_data =
                json!({"turn": turn.to_string(), "at": unix_now(), "dialect": dialect});
            inner.publish(owner, "turn.begun", &event_data);
        }
        TurnPublisher { recent: Arc::clone(self), owner: owner.to_owned(), is_listed }
    }

    /// The turns of an owner, newest first.
    pub(crate) fn turns(&self, owner: &str) -> Vec<Value> {
        let inner = self.inner();
        let summaries = inner.turns.iter().rev().filter(|(of, _)| of == owner);
        summaries.map(|(_, summary)| summary.to_json()).collect()
    }

    pub(crate) fn turn(&self, owner: &str, turn: &str) -> Option<Value> {
        let turn = Uuid::try_parse(turn).ok()?;
        let inner = self.inner();
        let entry = inner.turns.iter().find(|(of, summary)| of == owner && summary.turn == turn);
        entry.map(|(_, summary)| summary.to_json())
    }

    /// Subscribes to the events of an owner's turns. After [`Self::close`] the stream ends
    /// immediately.
    pub(crate) fn subscribe(&self, owner: &str, heartbeat: Duration) -> TurnEventStream {
        let (sender, receiver) = mpsc::channel(SUBSCRIBER_QUEUE);
        let mut inner = self.inner();
        inner.subscribers.retain(|subscriber| !subscriber.sender.is_closed());
        if !inner.closed {
            inner.subscribers.push(EventSubscriber { owner: owner.to_owned(), sender });
        }
        TurnEventStream {
            receiver,
            needs_opening: true,
            heartbeat_timer: IdleTimer::new(heartbeat),
        }
    }

    /// Disconnects all subscribers, so that shutdown does not wait for them.
    pub(crate) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        inner.subscribers.clear();
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn has_subscriber(&self, owner: &str) -> bool {
        self.subscribers.iter().any(|subscriber| subscriber.owner == owner)
    }

    fn push(&mut self, owner: String, mut summary: TurnSummary) {
        if self.turns.len() == MAX_LISTED_TURNS {
            self.turns.pop_front();
        }
        summary.truncate_model();
        self.turns.push_back((owner, summary));
    }

    /// A subscriber that falls behind is disconnected; the list has what it missed.
    fn publish(&mut self, owner: &str, event: &str, data: &Value) {
        let text = Bytes::from(format!("event: {event}\ndata: {data}\n\n"));
        self.subscribers.retain(|subscriber| {
            subscriber.owner != owner || subscriber.sender.try_send(text.clone()).is_ok()
        });
    }
}

impl TurnPublisher {
    /// Publishes the end of the turn and adds it to the list.
    pub(crate) fn finish(self, summary: TurnSummary) {
        let mut inner = self.recent.inner();
        if inner.has_subscriber(&self.owner) {
            inner.publish(&self.owner, "turn.ended", &summary.to_json());
        }
        if self.is_listed {
            inner.push(self.owner, summary);
        }
    }

    /// Adds the turn to the list; its end is published separately by [`Self::publish`].
    pub(crate) fn add_to_list(&self, summary: TurnSummary) {
        if self.is_listed {
            self.recent.inner().push(self.owner.clone(), summary);
        }
    }

    pub(crate) fn publish(self, summary: &Value) {
        self.recent.inner().publish(&self.owner, "turn.ended", summary);
    }
}

/// Milliseconds for people, with microseconds as the smallest unit.
#[expect(clippy::cast_precision_loss, reason = "2^53 microseconds are 285 years")]
pub(crate) fn rounded_millis(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

impl TurnSummary {
    pub(crate) fn to_json(&self) -> Value {
        let nonzero = self.tokens.iter().filter(|(_, tokens)| *tokens > 0);
        json!({
            "turn": self.turn.to_string(),
            "conversation": format!("{:016x}", self.conversation),
            "at": self.ended_at,
            "dialect": self.dialect,
            "provider": self.provider,
            "model": self.model,
            "outcome": self.outcome,
            "status": self.status,
            "tries": self.attempts,
            "streamed": self.streamed,
            "first_ms": self.time_to_first_token.map(rounded_millis),
            "ms": rounded_millis(self.duration),
            "usage": nonzero.map(|(name, tokens)| ((*name).to_owned(), (*tokens).into())).collect::<Map<_, _>>(),
            "repairs": self.repairs,
            "reply_repairs": self.reply_repairs,
            "guard": self.guard_findings,
        })
    }

    /// Clients may send model names of any length.
    fn truncate_model(&mut self) {
        if let Some((at, _)) = self.model.char_indices().nth(MAX_MODEL_NAME_CHARS) {
            self.model.truncate(at);
            self.model.shrink_to_fit();
        }
    }
}

/// Current Unix time in seconds.
pub(crate) fn unix_now() -> u64 {
    unix_seconds(SystemTime::now())
}

/// Unix seconds.
pub(crate) fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The events of one subscriber as a body.
pub(crate) struct TurnEventStream {
    receiver: mpsc::Receiver<Bytes>,
    /// A first comment sends the head immediately; the subscriber sees all events from then on.
    needs_opening: bool,
    heartbeat_timer: IdleTimer,
}

impl Body for TurnEventStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        if std::mem::take(&mut this.needs_opening) {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(HEARTBEAT)))));
        }
        match Pin::new(&mut this.receiver).poll_recv(cx) {
            Poll::Ready(Some(text)) => {
                this.heartbeat_timer.record_activity();
                Poll::Ready(Some(Ok(Frame::data(text))))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(this.heartbeat_timer.poll_elapsed(cx));
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(HEARTBEAT)))))
            }
        }
    }
}

impl fmt::Debug for RecentTurns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recent").finish_non_exhaustive()
    }
}

const HEARTBEAT: &[u8] = b": listening\n\n";
/// Of all owners together.
const MAX_LISTED_TURNS: usize = 256;
/// Events that a subscriber may fall behind.
const SUBSCRIBER_QUEUE: usize = 256;
const MAX_MODEL_NAME_CHARS: usize = 200;
