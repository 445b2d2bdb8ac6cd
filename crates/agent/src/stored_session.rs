//! Stores an agent's session in an `interlingua_store::SessionStore`.

use std::sync::Arc;

use bytes::Bytes;
use interlingua::{Ledger, RawJson};
use interlingua_store::{
    AppendTurns, NewSession, SessionError, SessionId, SessionStore, StoredTurn,
};

use crate::{BoxFuture, ImportedSession, Session, TurnLog};

/// Appends a session's turns to a store.
#[derive(Clone, Debug)]
pub struct StoredTurnLog {
    store: Arc<dyn SessionStore>,
    owner: String,
    id: SessionId,
    /// Number of stored turns.
    turn_count: u64,
}

/// A session opened from a store.
#[derive(Debug)]
pub struct OpenedSession {
    pub session: Session,
    pub id: SessionId,
    pub title: String,
    /// The last used model, or empty.
    pub model: String,
    /// Irregularities of its turns, and content that could not be read.
    pub ledger: Ledger,
    /// Numbers of damaged turns.
    pub damaged_turns: Vec<u64>,
}

impl StoredTurnLog {
    /// Stores a session with all its turns, and its new turns from now on.
    pub async fn create(
        store: Arc<dyn SessionStore>,
        owner: &str,
        title: &str,
        model: &str,
        session: &mut Session,
    ) -> Result<SessionId, SessionError> {
        let turns: Vec<StoredTurn> = session.encoded_turns().iter().map(encode_turn).collect();
        let count = turns.len() as u64;
        let (title, model) = (title.to_owned(), model.to_owned());
        let draft = NewSession { title, model, metadata: Bytes::new(), turns };
        let id = store.create(owner, draft).await?.id;
        let log = Self { store, owner: owner.to_owned(), id, turn_count: count };
        session.attach_log(Box::new(log));
        Ok(id)
    }

    /// Opens a stored session to continue it.
    pub async fn open(
        store: Arc<dyn SessionStore>,
        owner: &str,
        id: SessionId,
    ) -> Result<OpenedSession, SessionError> {
        let contents = store.read(owner, id, 0..u64::MAX).await?;
        let turns: Vec<RawJson> = contents
            .turns
            .into_iter()
            .filter_map(|numbered_turn| {
                RawJson::parse(String::from_utf8(numbered_turn.turn.body.into()).ok()?).ok()
            })
            .collect();
        let owner = owner.to_owned();
        let log = Self { store, owner, id, turn_count: contents.info.turn_count };
        let ImportedSession { session, ledger, .. } = Session::load(&turns, Box::new(log));
        let (title, model) = (contents.info.title, contents.info.model);
        Ok(OpenedSession {
            session,
            id,
            title,
            model,
            ledger,
            damaged_turns: contents.damaged_turns,
        })
    }
}

impl TurnLog for StoredTurnLog {
    fn append<'a>(
        &'a mut self,
        turns: &'a [RawJson],
        model: &'a str,
    ) -> BoxFuture<'a, Result<(), String>> {
        let append = AppendTurns {
            expected_turns: self.turn_count,
            turns: turns.iter().map(encode_turn).collect(),
            model: Some(model.to_owned()).filter(|model| !model.is_empty()),
        };
        Box::pin(async move {
            let result = self.store.append(&self.owner, self.id, append).await;
            self.turn_count = result.map_err(|error| error.to_string())?;
            Ok(())
        })
    }
}

fn encode_turn(json: &RawJson) -> StoredTurn {
    StoredTurn::complete(json.to_bytes())
}
