//! Stores replies, for requests that continue a conversation by the id of its last reply.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use interlingua_strict::anthropic::thread_fingerprint;
use interlingua_strict::{ContinuationState, StoredReplies, StoredReply};
use serde_json::{Value, json};

use crate::route::{Api, Route};

/// Stored replies by provider and id.
#[derive(Debug, Default)]
pub(crate) struct ReplyStore {
    replies: Mutex<ReplyMap>,
}

#[derive(Debug, Default)]
struct ReplyMap {
    by_id: BTreeMap<String, ReplyRecord>,
    /// The oldest first.
    order: VecDeque<String>,
}

/// The messages between the previous reply and this one, with this one.
#[derive(Debug)]
struct ReplyRecord {
    previous_key: Option<String>,
    messages: Vec<Value>,
    stored: StoredReply,
    /// When the delivery of the reply that continues this one ends.
    in_flight_until: Option<Instant>,
}

impl ReplyStore {
    /// What the provider has stored of the reply that this request continues.
    pub(crate) fn stored_replies(&self, route: &Route, body: &Value) -> StoredReplies {
        let mut stored_replies = StoredReplies::default();
        let id = previous_reply_id(route.api, body).unwrap_or_default();
        if let Some(reply) = self.lock().by_id.get(&store_key(route, id)) {
            let mut stored_reply = reply.stored.clone();
            if reply.in_flight_until.is_some_and(|until| Instant::now() < until) {
                stored_reply.continuation = ContinuationState::InFlight;
            }
            stored_replies.insert(id, stored_reply);
        }
        stored_replies
    }

    /// The request with the whole conversation in it; `None` if it continues no stored reply.
    pub(crate) fn full_body(&self, route: &Route, body: &Value) -> Option<Value> {
        let id = previous_reply_id(route.api, body)?;
        let replies = self.lock();
        let mut parts = Vec::new();
        let mut next = Some(store_key(route, id));
        while let Some(reply) = next.as_ref().and_then(|id| replies.by_id.get(id)) {
            parts.push(&reply.messages);
            next.clone_from(&reply.previous_key);
        }
        let earlier = parts.into_iter().rev().flatten().cloned();
        let (list, previous_field) = match route.api {
            Api::Responses => ("input", "previous_response_id"),
            _ => ("messages", "thread"),
        };
        let mut full_body = body.as_object()?.clone();
        full_body.shift_remove(previous_field);
        full_body
            .insert(list.to_owned(), earlier.chain(request_messages(route.api, body)).collect());
        Some(full_body.into())
    }

    /// Stores a reply if the request wants that; `delay` is how long its delivery takes.
    pub(crate) fn insert(
        &self,
        route: &Route,
        body: &Value,
        (id, reply): (&str, Vec<Value>),
        delay: Duration,
    ) {
        if !wants_storing(route.api, body) {
            return;
        }
        let previous = previous_reply_id(route.api, body).map(|id| store_key(route, id));
        let mut messages = request_messages(route.api, body);
        messages.extend(reply);
        let mut replies = self.lock();
        if let Some(before) = previous.as_ref().and_then(|id| replies.by_id.get_mut(id)) {
            before.stored.continuation = ContinuationState::Done;
            before.in_flight_until = Instant::now().checked_add(delay);
        }
        let fingerprint = match route.api {
            Api::Anthropic => thread_fingerprint(body),
            _ => String::new(),
        };
        let stored_reply = StoredReply { fingerprint, continuation: ContinuationState::NotYet };
        let id = store_key(route, id);
        if replies
            .by_id
            .insert(
                id.clone(),
                ReplyRecord {
                    previous_key: previous,
                    messages,
                    stored: stored_reply,
                    in_flight_until: None,
                },
            )
            .is_none()
        {
            replies.order.push_back(id);
        }
        if replies.order.len() > MAX_REPLIES
            && let Some(oldest) = replies.order.pop_front()
        {
            replies.by_id.remove(&oldest);
        }
    }

    pub(crate) fn clear(&self) {
        *self.lock() = ReplyMap::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ReplyMap> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ids are valid only at the provider that issued them.
fn store_key(route: &Route, id: &str) -> String {
    format!("{}/{id}", route.flavor)
}

/// The id of the reply that a request continues.
fn previous_reply_id(api: Api, body: &Value) -> Option<&str> {
    let id = match api {
        Api::Responses => body.get("previous_response_id"),
        Api::Anthropic => body.pointer("/thread/previous_message_id"),
        _ => None,
    };
    id.and_then(Value::as_str)
}

fn wants_storing(api: Api, body: &Value) -> bool {
    match api {
        Api::Responses => body.get("store") != Some(&Value::Bool(false)),
        Api::Anthropic => body.get("thread").is_some_and(Value::is_object),
        _ => false,
    }
}

/// The messages of the request itself.
fn request_messages(api: Api, body: &Value) -> Vec<Value> {
    let list = if api == Api::Responses { "input" } else { "messages" };
    match body.get(list) {
        Some(Value::Array(list)) => list.clone(),
        Some(text @ Value::String(_)) => vec![json!({"role": "user", "content": text})],
        _ => Vec::new(),
    }
}

/// The oldest reply is dropped at this number.
const MAX_REPLIES: usize = 10_000;
