//! The response to the client, with its timing.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

/// A response with the timed actions of its delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedResponse {
    pub status: u16,
    pub headers: Headers,
    /// Actions before the headers are sent.
    pub before_headers: Vec<TimedAction>,
    pub body_actions: Vec<TimedAction>,
}

/// One step of a delivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedAction {
    Send(Bytes),
    Wait(Duration),
    /// The connection is closed before the end of the reply.
    Close,
    /// The connection is reset.
    Reset,
}

/// Names and values.
pub type Headers = Vec<(String, String)>;

impl SimulatedResponse {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("content-length".to_owned(), body.len().to_string()),
        ];
        Self {
            status,
            headers,
            before_headers: Vec::new(),
            body_actions: vec![TimedAction::Send(body.into())],
        }
    }

    /// Adds headers; they replace those of the same name.
    pub(crate) fn with_headers(mut self, headers: Headers) -> Self {
        self.headers.retain(|(name, _)| headers.iter().all(|(other, _)| name != other));
        self.headers.extend(headers);
        self
    }

    /// The sum of all waits.
    pub(crate) fn total_delay(&self) -> Duration {
        let waits =
            self.before_headers.iter().chain(&self.body_actions).map(|action| match action {
                TimedAction::Wait(time) => *time,
                _ => Duration::ZERO,
            });
        waits.sum()
    }

    /// All body bytes that would be sent, without waits and aborts.
    pub fn body_bytes(&self) -> Bytes {
        let sent = self.body_actions.iter().filter_map(|action| match action {
            TimedAction::Send(bytes) => Some(&bytes[..]),
            _ => None,
        });
        sent.collect::<Vec<_>>().concat().into()
    }
}
