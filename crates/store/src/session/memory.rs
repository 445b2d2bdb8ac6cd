//! Conversations in memory.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::{
    Append, Cursor, Draft, Moments, Page, Reading, Session, SessionError, SessionId, Turn, Written,
    page,
};
use crate::retention::Keep;

type Result<T> = std::result::Result<T, SessionError>;

/// Conversations, and no more of them than are to be kept.
#[derive(Debug)]
pub(crate) struct Held {
    inside: Mutex<Inside>,
    moments: Moments,
    keep: Keep,
}

#[derive(Debug, Default)]
struct Inside {
    sessions: HashMap<SessionId, Conversation>,
    /// The last changed at the end: of each owner, and of all.
    by_owner: BTreeSet<(String, i64, SessionId)>,
    by_time: BTreeSet<(i64, SessionId)>,
    bytes: u64,
}

#[derive(Debug)]
struct Conversation {
    owner: String,
    session: Session,
    turns: Vec<Written>,
}

impl Held {
    pub(crate) fn new(keep: Keep) -> Self {
        Self { inside: Mutex::default(), moments: Moments::default(), keep }
    }

    pub(crate) fn create(&self, owner: &str, draft: Draft) -> Result<Session> {
        Turn::check(&draft.turns)?;
        let now = self.moments.next();
        let session = Session {
            id: SessionId::at(now)?,
            title: draft.title,
            metadata: copy(&draft.metadata),
            model: draft.model,
            created: now,
            updated: now,
            turns: 0,
            bytes: 0,
            parent: None,
            is_damaged: false,
        };
        Ok(self.insert(owner, session, draft.turns))
    }

    pub(crate) fn list(&self, owner: &str, after: Option<Cursor>, most: usize) -> Page {
        let inside = &mut *self.inside();
        inside.tidy(self.keep, self.moments.next());
        let (most, owner) = (page(most), owner.to_owned());
        let first = (owner.clone(), i64::MIN, SessionId([0; 16]));
        let last = match after {
            Some(cursor) => (owner, cursor.updated, cursor.id),
            None => (owner, i64::MAX, SessionId([0xff; 16])),
        };
        let found = inside.by_owner.range(first..last).rev().take(most + 1);
        let found = found.filter_map(|(_, _, id)| inside.sessions.get(id));
        Page::of(found.map(|one| one.session.clone()).collect(), most)
    }

    pub(crate) fn read(&self, owner: &str, id: SessionId, numbers: Range<u64>) -> Result<Reading> {
        let inside = &mut *self.inside();
        inside.tidy(self.keep, self.moments.next());
        let one = inside.find(owner, id)?;
        let turns = one.turns.iter().filter(|turn| numbers.contains(&turn.number));
        Ok(Reading {
            session: one.session.clone(),
            turns: turns.cloned().collect(),
            damaged: Vec::new(),
        })
    }

    pub(crate) fn append(&self, owner: &str, id: SessionId, append: Append) -> Result<u64> {
        Turn::check(&append.turns)?;
        let inside = &mut *self.inside();
        let one = inside.find(owner, id)?;
        let turns = one.session.turns;
        if turns != append.seen {
            return Err(SessionError::Conflict { turns });
        }
        let now = self.moments.next();
        inside.change(id, now, |one| {
            one.add(append.turns, now);
            if let Some(model) = append.model {
                one.session.model = model;
            }
        });
        inside.tidy(self.keep, now);
        inside.find(owner, id).map(|one| one.session.turns)
    }

    pub(crate) fn describe(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: &Bytes,
    ) -> Result<()> {
        let inside = &mut *self.inside();
        inside.find(owner, id)?;
        inside.change(id, self.moments.next(), |one| {
            one.session.title = title;
            one.session.metadata = copy(metadata);
        });
        Ok(())
    }

    pub(crate) fn fork(&self, owner: &str, id: SessionId, turns: u64) -> Result<Session> {
        let (mut session, turns) = {
            let inside = &*self.inside();
            let one = inside.find(owner, id)?;
            let turns = usize::try_from(turns).unwrap_or(usize::MAX).min(one.turns.len());
            let turns = one.turns[..turns].iter().map(|written| written.turn.clone());
            (one.session.clone(), turns.collect::<Vec<_>>())
        };
        let now = self.moments.next();
        session.parent = Some((id, turns.len() as u64));
        (session.id, session.created, session.updated) = (SessionId::at(now)?, now, now);
        (session.turns, session.bytes) = (0, 0);
        Ok(self.insert(owner, session, turns))
    }

    pub(crate) fn delete(&self, owner: &str, id: SessionId) -> Result<()> {
        let inside = &mut *self.inside();
        inside.find(owner, id)?;
        inside.remove(id);
        Ok(())
    }

    pub(crate) fn delete_all(&self, owner: &str) -> u64 {
        let inside = &mut *self.inside();
        let all = inside.sessions.iter().filter(|(_, one)| one.owner == owner);
        let ids: Vec<SessionId> = all.map(|(id, _)| *id).collect();
        for id in &ids {
            inside.remove(*id);
        }
        ids.len() as u64
    }

    pub(crate) fn count(&self) -> u64 {
        self.inside().sessions.len() as u64
    }

    fn insert(&self, owner: &str, session: Session, turns: Vec<Turn>) -> Session {
        let inside = &mut *self.inside();
        let mut one = Conversation { owner: owner.to_owned(), session, turns: Vec::new() };
        let now = one.session.created;
        one.add(turns, now);
        let session = one.session.clone();
        inside.put(one);
        inside.tidy(self.keep, now);
        session
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Conversation {
    fn add(&mut self, turns: Vec<Turn>, at: i64) {
        for turn in turns {
            let turn = Turn { body: copy(&turn.body), ..turn };
            self.session.bytes += turn.body.len() as u64;
            self.turns.push(Written { number: self.session.turns, at, turn });
            self.session.turns += 1;
        }
    }
}

impl Inside {
    fn find(&self, owner: &str, id: SessionId) -> Result<&Conversation> {
        self.sessions.get(&id).filter(|one| one.owner == owner).ok_or(SessionError::Missing)
    }

    fn put(&mut self, one: Conversation) {
        let (id, updated) = (one.session.id, one.session.updated);
        self.by_owner.insert((one.owner.clone(), updated, id));
        self.by_time.insert((updated, id));
        self.bytes += one.session.bytes;
        self.sessions.insert(id, one);
    }

    fn remove(&mut self, id: SessionId) -> Option<Conversation> {
        let one = self.sessions.remove(&id)?;
        self.by_owner.remove(&(one.owner.clone(), one.session.updated, id));
        self.by_time.remove(&(one.session.updated, id));
        self.bytes -= one.session.bytes;
        Some(one)
    }

    fn change(&mut self, id: SessionId, now: i64, with: impl FnOnce(&mut Conversation)) {
        let Some(mut one) = self.remove(id) else { return };
        with(&mut one);
        one.session.updated = now;
        self.put(one);
    }

    /// Forgets what is too old, or too much; not the last one.
    fn tidy(&mut self, keep: Keep, now: i64) {
        let age = i64::try_from(keep.age.as_micros()).unwrap_or(i64::MAX);
        while let Some((updated, id)) = self.by_time.first().copied() {
            let old = now.saturating_sub(updated) > age;
            if !old && (self.bytes <= keep.bytes || self.by_time.len() == 1) {
                return;
            }
            self.remove(id);
        }
    }
}

/// It may be a slice of something much larger.
fn copy(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes)
}
