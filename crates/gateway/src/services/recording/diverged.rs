//! Replies that are stored beside a session, because it has other turns in their place.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use interlingua::{JsonString, RawJson};
use interlingua_store::{Record, RecordKind, SessionError, SessionId, Store};
use interlingua_wire::json::ObjectWriter;

/// The record of a reply to the first `seen` turns of a session.
pub(crate) fn record(owner: &str, id: SessionId, seen: u64, model: &str, turn: &Bytes) -> Record {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let body = RawJson::object(|o| {
        o.number("seen", seen);
        o.number("at", u64::try_from(now.as_micros()).unwrap_or(u64::MAX));
        o.json_string("model", &JsonString::new(model));
        o.json("turn", &parse(turn));
    });
    Record {
        kind: RecordKind::DivergedReply,
        owner: owner.to_owned(),
        keys: vec![id.to_string()],
        body: body.to_bytes(),
    }
}

/// The replies beside a session, oldest first.
pub(crate) async fn read(
    store: &dyn Store,
    owner: &str,
    id: SessionId,
) -> Result<Vec<RawJson>, SessionError> {
    if store.is_known_empty(RecordKind::DivergedReply) {
        return Ok(Vec::new());
    }
    let hits = store.try_find(RecordKind::DivergedReply, owner, &[&id.to_string()]).await?;
    Ok(hits.iter().rev().map(|hit| parse(&hit.body)).collect())
}

/// Removes them with their session.
pub(crate) async fn remove(
    store: &dyn Store,
    owner: &str,
    id: SessionId,
) -> Result<(), SessionError> {
    if !store.is_known_empty(RecordKind::DivergedReply) {
        let id = id.to_string();
        store.remove(RecordKind::DivergedReply, Some(owner), Some(&id)).await?;
    }
    Ok(())
}

pub(crate) fn write(diverged: &[RawJson], o: &mut ObjectWriter<'_>) {
    if !diverged.is_empty() {
        o.array("beside", |a| diverged.iter().for_each(|reply| a.item().json(reply)));
    }
}

fn parse(body: &Bytes) -> RawJson {
    RawJson::parse(String::from_utf8_lossy(body).into_owned()).unwrap_or(RawJson::NULL)
}
