//! Sessions that lie in a store.

use std::sync::Arc;

use bytes::Bytes;
use interlingua::{Json, Ledger};
use interlingua_store::{Append, Draft, SessionError, SessionId, Sessions, Turn};

use crate::{BoxFuture, Imported, Keeper, Session};

/// Keeps a session in a store.
#[derive(Clone, Debug)]
pub struct Stored {
    store: Arc<dyn Sessions>,
    owner: String,
    id: SessionId,
    /// How many turns it has there.
    turns: u64,
}

/// A session that was found in a store.
#[derive(Debug)]
pub struct Found {
    pub session: Session,
    pub id: SessionId,
    pub title: String,
    /// The model that was last used, if that is known.
    pub model: String,
    /// What was odd about its turns, and what could not be read and was left out.
    pub ledger: Ledger,
    /// Turns that the disk did not keep as they were.
    pub damaged: Vec<u64>,
}

impl Stored {
    /// Begins to keep a session, with all that was said in it.
    pub async fn begin(
        store: Arc<dyn Sessions>,
        owner: &str,
        title: &str,
        model: &str,
        session: &mut Session,
    ) -> Result<SessionId, SessionError> {
        let turns: Vec<Turn> = session.written().iter().map(turn).collect();
        let count = turns.len() as u64;
        let (title, model) = (title.to_owned(), model.to_owned());
        let draft = Draft { title, model, metadata: Bytes::new(), turns };
        let id = store.create(owner, draft).await?.id;
        let stored = Self { store, owner: owner.to_owned(), id, turns: count };
        session.kept_by(Box::new(stored));
        Ok(id)
    }

    /// A session that is there, to go on with.
    pub async fn open(
        store: Arc<dyn Sessions>,
        owner: &str,
        id: SessionId,
    ) -> Result<Found, SessionError> {
        let reading = store.read(owner, id, 0..u64::MAX).await?;
        let turns: Vec<Json> = reading
            .turns
            .into_iter()
            .filter_map(|written| {
                Json::parse(String::from_utf8(written.turn.body.into()).ok()?).ok()
            })
            .collect();
        let owner = owner.to_owned();
        let stored = Self { store, owner, id, turns: reading.session.turns };
        let Imported { session, ledger, .. } = Session::kept(&turns, Box::new(stored));
        let (title, model) = (reading.session.title, reading.session.model);
        Ok(Found { session, id, title, model, ledger, damaged: reading.damaged })
    }
}

impl Keeper for Stored {
    fn keep<'a>(
        &'a mut self,
        turns: &'a [Json],
        model: &'a str,
    ) -> BoxFuture<'a, Result<(), String>> {
        let append = Append {
            seen: self.turns,
            turns: turns.iter().map(turn).collect(),
            model: Some(model.to_owned()).filter(|model| !model.is_empty()),
        };
        Box::pin(async move {
            let kept = self.store.append(&self.owner, self.id, append).await;
            self.turns = kept.map_err(|error| error.to_string())?;
            Ok(())
        })
    }
}

fn turn(json: &Json) -> Turn {
    Turn::whole(json.to_bytes())
}
