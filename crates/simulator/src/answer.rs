//! What goes back to the client.

use std::time::Duration;

use bytes::Bytes;
use serde_json::Value;

use crate::delivery::Step;
use crate::speak::head::Headers;

/// An answer, as the network is to play it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    pub headers: Headers,
    /// What happens before the headers are sent.
    pub before: Vec<Step>,
    pub steps: Vec<Step>,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("content-length".to_owned(), body.len().to_string()),
        ];
        Self { status, headers, before: Vec::new(), steps: vec![Step::Send(body.into())] }
    }

    /// With these headers; they replace those of the same name.
    pub(crate) fn with(mut self, headers: Headers) -> Self {
        self.headers.retain(|(name, _)| headers.iter().all(|(other, _)| name != other));
        self.headers.extend(headers);
        self
    }

    /// How long it waits on its way.
    pub(crate) fn takes(&self) -> Duration {
        let waits = self.before.iter().chain(&self.steps).map(|step| match step {
            Step::Wait(time) => *time,
            _ => Duration::ZERO,
        });
        waits.sum()
    }

    /// Everything that would be sent, joined. Waiting and breaking off leave no trace here.
    pub fn bytes(&self) -> Bytes {
        let sent = self.steps.iter().filter_map(|step| match step {
            Step::Send(bytes) => Some(&bytes[..]),
            _ => None,
        });
        sent.collect::<Vec<_>>().concat().into()
    }
}
