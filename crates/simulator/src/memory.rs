//! What the providers keep of their conversations, for requests that go on from a reply.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use interlingua_strict::anthropic::thread_fingerprint;
use interlingua_strict::{Kept, Known, Next};
use serde_json::{Value, json};

use crate::api::Api;
use crate::route::Route;

/// All that is kept, by provider and id.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    kept: Mutex<Replies>,
}

#[derive(Debug, Default)]
struct Replies {
    by_id: BTreeMap<String, Reply>,
    /// The oldest first.
    order: VecDeque<String>,
}

/// What was said between a reply and the one before it.
#[derive(Debug)]
struct Reply {
    previous: Option<String>,
    said: Vec<Value>,
    kept: Kept,
    /// How long the reply that goes on from it is on its way.
    busy: Option<Instant>,
}

impl Memory {
    /// What the provider knows of the reply from which this request goes on.
    pub(crate) fn known(&self, route: &Route, body: &Value) -> Known {
        let mut known = Known::default();
        let id = previous(route.api, body).unwrap_or_default();
        if let Some(reply) = self.lock().by_id.get(&key(route, id)) {
            let mut kept = reply.kept.clone();
            if reply.busy.is_some_and(|until| Instant::now() < until) {
                kept.next = Next::Coming;
            }
            known.keep(id, kept);
        }
        known
    }

    /// The request with the whole conversation in it; none if it does not go on from a reply.
    pub(crate) fn recalled(&self, route: &Route, body: &Value) -> Option<Value> {
        let id = previous(route.api, body)?;
        let replies = self.lock();
        let mut parts = Vec::new();
        let mut next = Some(key(route, id));
        while let Some(reply) = next.as_ref().and_then(|id| replies.by_id.get(id)) {
            parts.push(&reply.said);
            next.clone_from(&reply.previous);
        }
        let earlier = parts.into_iter().rev().flatten().cloned();
        let (list, gone) = match route.api {
            Api::Responses => ("input", "previous_response_id"),
            _ => ("messages", "thread"),
        };
        let mut whole = body.as_object()?.clone();
        whole.shift_remove(gone);
        whole.insert(list.to_owned(), earlier.chain(said(route.api, body)).collect());
        Some(whole.into())
    }

    /// Keeps a reply that takes so long to arrive, if the request wants that.
    pub(crate) fn keep(
        &self,
        route: &Route,
        body: &Value,
        (id, reply): (&str, Vec<Value>),
        takes: Duration,
    ) {
        if !is_kept(route.api, body) {
            return;
        }
        let previous = previous(route.api, body).map(|id| key(route, id));
        let mut said = said(route.api, body);
        said.extend(reply);
        let mut replies = self.lock();
        if let Some(before) = previous.as_ref().and_then(|id| replies.by_id.get_mut(id)) {
            before.kept.next = Next::Taken;
            before.busy = Instant::now().checked_add(takes);
        }
        let fingerprint = match route.api {
            Api::Anthropic => thread_fingerprint(body),
            _ => String::new(),
        };
        let kept = Kept { fingerprint, next: Next::Open };
        let id = key(route, id);
        if replies.by_id.insert(id.clone(), Reply { previous, said, kept, busy: None }).is_none() {
            replies.order.push_back(id);
        }
        if replies.order.len() > MOST
            && let Some(oldest) = replies.order.pop_front()
        {
            replies.by_id.remove(&oldest);
        }
    }

    pub(crate) fn clear(&self) {
        *self.lock() = Replies::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Replies> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one provider keeps another does not know.
fn key(route: &Route, id: &str) -> String {
    format!("{}/{id}", route.flavor)
}

/// The reply from which a request goes on.
fn previous(api: Api, body: &Value) -> Option<&str> {
    let id = match api {
        Api::Responses => body.get("previous_response_id"),
        Api::Anthropic => body.pointer("/thread/previous_message_id"),
        _ => None,
    };
    id.and_then(Value::as_str)
}

fn is_kept(api: Api, body: &Value) -> bool {
    match api {
        Api::Responses => body.get("store") != Some(&Value::Bool(false)),
        Api::Anthropic => body.get("thread").is_some_and(Value::is_object),
        _ => false,
    }
}

/// What the request itself says, as a list.
fn said(api: Api, body: &Value) -> Vec<Value> {
    let list = if api == Api::Responses { "input" } else { "messages" };
    match body.get(list) {
        Some(Value::Array(list)) => list.clone(),
        Some(text @ Value::String(_)) => vec![json!({"role": "user", "content": text})],
        _ => Vec::new(),
    }
}

/// Older replies are forgotten.
const MOST: usize = 10_000;
