//! A reply on its way into a session.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use interlingua::model::Reply;
use interlingua::native;
use interlingua_store::{Append, Keeper, SessionId, Turn};
use tokio::sync::OwnedMutexGuard;

/// Who has the floor in sessions that are being answered.
#[derive(Debug, Default)]
pub(crate) struct Floors(Mutex<HashMap<SessionId, Arc<Talk>>>);

#[derive(Debug, Default)]
struct Talk {
    /// Held while a model answers: one at a time.
    answer: Arc<tokio::sync::Mutex<()>>,
    /// Held while the answer is written down: whoever looks then sees it.
    pen: Arc<tokio::sync::Mutex<()>>,
}

/// The right to answer a session; nobody else has it.
#[derive(Debug)]
pub(crate) struct Floor {
    talk: Arc<Talk>,
    _alone: OwnedMutexGuard<()>,
}

impl Floors {
    /// The right to answer; waits until nobody else has it.
    pub(crate) async fn floor(&self, id: SessionId) -> Floor {
        let talk = {
            let mut talks = self.talks();
            // Those that nobody holds are over.
            talks.retain(|_, talk| Arc::strong_count(talk) > 1);
            Arc::clone(talks.entry(id).or_default())
        };
        let alone = Arc::clone(&talk.answer).lock_owned().await;
        Floor { talk, _alone: alone }
    }

    /// Waits until what was answered is written down.
    pub(crate) async fn settled(&self, id: SessionId) {
        let talk = self.talks().get(&id).map(Arc::clone);
        if let Some(talk) = talk {
            drop(talk.pen.lock().await);
        }
    }

    /// As [`Floors::settled`], for all.
    pub(crate) async fn all_settled(&self) {
        let talks: Vec<Arc<Talk>> = self.talks().values().map(Arc::clone).collect();
        for talk in talks {
            drop(talk.pen.lock().await);
        }
    }

    fn talks(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Talk>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the reply goes when it is whole.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) store: Arc<dyn Keeper>,
    pub(crate) owner: String,
    pub(crate) id: SessionId,
    /// How many turns there are before it.
    pub(crate) seen: u64,
    /// The model, as the client names it.
    pub(crate) model: String,
    pub(crate) floor: Floor,
}

impl Recording {
    /// The reply is whole. One that says nothing is not kept: sent again, it would be refused.
    pub(crate) fn keep(self, reply: &Reply) {
        if reply.turn.is_silent() {
            return;
        }
        let turn = native::write_turn(&reply.turn.clone().into());
        let turns = vec![Turn::whole(turn.to_bytes())];
        let append = Append { seen: self.seen, turns, model: Some(self.model.clone()) };
        // Only who has the floor writes, so the pen is free, but for a moment of somebody who looks.
        let pen = Arc::clone(&self.floor.talk.pen).try_lock_owned();
        // Nobody who waits for the end of the reply waits for a disk.
        tokio::spawn(async move {
            let kept = self.store.append(&self.owner, self.id, append).await;
            if let Err(error) = kept {
                tracing::error!(session = %self.id, "a reply is not in its session: {error}");
            }
            drop((pen, self.floor));
        });
    }
}
