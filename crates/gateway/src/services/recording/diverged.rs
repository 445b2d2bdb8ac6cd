//! Replies that are stored beside a session, because it has other turns in their place.

use std::time::{SystemTime, UNIX_EPOCH};

use interlingua::{JsonString, RawJson};
use interlingua_store::{Record, RecordKind, SessionError, SessionId, Store};
use interlingua_wire::JsonNode;

/// A reply that found other turns in its place.
#[derive(Clone, Debug)]
pub struct DivergedReply {
    /// The number of turns that it answers.
    pub seen: u64,
    /// Microseconds since 1970.
    pub at: u64,
    /// The model name that the client sent.
    pub model: String,
    /// In the dialect `native`.
    pub turn: RawJson,
}

impl DivergedReply {
    pub(crate) fn new(seen: u64, model: String, turn: RawJson) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { seen, at: u64::try_from(now.as_micros()).unwrap_or(u64::MAX), model, turn }
    }

    /// The replies beside a session, oldest first.
    pub async fn read_all(
        store: &dyn Store,
        owner: &str,
        id: SessionId,
    ) -> Result<Vec<Self>, SessionError> {
        if store.is_known_empty(RecordKind::DivergedReply) {
            return Ok(Vec::new());
        }
        let hits = store.try_find(RecordKind::DivergedReply, owner, &[&id.to_string()]).await?;
        Ok(hits.iter().rev().map(|hit| Self::decode(&hit.body)).collect())
    }

    /// Removes them with their session.
    pub async fn remove_all(
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

    pub(crate) fn to_record(&self, owner: &str, id: SessionId) -> Record {
        Record {
            kind: RecordKind::DivergedReply,
            owner: owner.to_owned(),
            keys: vec![id.to_string()],
            body: self.encode().to_bytes(),
        }
    }

    /// The form in which it is stored, and which clients get.
    pub(crate) fn encode(&self) -> RawJson {
        RawJson::object(|o| {
            o.number("seen", self.seen);
            o.number("at", self.at);
            o.json_string("model", &JsonString::new(&self.model));
            o.json("turn", &self.turn);
        })
    }

    fn decode(body: &[u8]) -> Self {
        let json = RawJson::parse(String::from_utf8_lossy(body).into_owned());
        let document = json.unwrap_or(RawJson::NULL).to_doc();
        let field = |name| document.root().get(name);
        Self {
            seen: field("seen").and_then(JsonNode::as_u64).unwrap_or_default(),
            at: field("at").and_then(JsonNode::as_u64).unwrap_or_default(),
            model: field("model").map(|name| name.str_or_empty().into_owned()).unwrap_or_default(),
            turn: field("turn").map_or(RawJson::NULL, JsonNode::json),
        }
    }
}
