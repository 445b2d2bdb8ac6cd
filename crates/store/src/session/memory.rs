//! Sessions in memory.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::{
    AppendTurns, Cursor, NewSession, NewSessionId, NumberedTurn, SessionClock, SessionContents,
    SessionError, SessionId, SessionInfo, SessionPage, StoredTurn, clamp_page_size,
};
use crate::retention::RetentionLimits;

type SessionResult<T> = std::result::Result<T, SessionError>;

/// Sessions within the retention limits.
#[derive(Debug)]
pub(crate) struct MemorySessions {
    inner: Mutex<Inner>,
    clock: SessionClock,
    limits: RetentionLimits,
}

#[derive(Debug, Default)]
struct Inner {
    sessions: HashMap<SessionId, SessionEntry>,
    /// Owner, time of the last change and id, in this order; and the same for all owners.
    by_owner: BTreeSet<(String, i64, SessionId)>,
    by_time: BTreeSet<(i64, SessionId)>,
    bytes: u64,
}

#[derive(Debug)]
struct SessionEntry {
    owner: String,
    info: SessionInfo,
    turns: Vec<NumberedTurn>,
}

impl MemorySessions {
    pub(crate) fn new(limits: RetentionLimits) -> Self {
        Self { inner: Mutex::default(), clock: SessionClock::default(), limits }
    }

    pub(crate) fn create(&self, owner: &str, draft: NewSession) -> SessionResult<SessionInfo> {
        StoredTurn::check_sizes(&draft.turns)?;
        let NewSessionId { id, created: now } = self.clock.new_session()?;
        let info = SessionInfo {
            id,
            title: draft.title,
            metadata: detached_copy(&draft.metadata),
            model: draft.model,
            created: now,
            updated: now,
            turn_count: 0,
            bytes: 0,
            parent: None,
            is_damaged: false,
        };
        Ok(self.insert(owner, info, draft.turns))
    }

    pub(crate) fn list(&self, owner: &str, after: Option<Cursor>, limit: usize) -> SessionPage {
        let inner = &mut *self.lock();
        inner.prune(self.limits, self.clock.next());
        let (limit, owner) = (clamp_page_size(limit), owner.to_owned());
        let start = (owner.clone(), i64::MIN, SessionId([0; 16]));
        let end = match after {
            Some(cursor) => (owner, cursor.updated, cursor.id),
            None => (owner, i64::MAX, SessionId([0xff; 16])),
        };
        let entries = inner.by_owner.range(start..end).rev().take(limit + 1);
        let entries = entries.filter_map(|(_, _, id)| inner.sessions.get(id));
        SessionPage::from_rows(entries.map(|entry| entry.info.clone()).collect(), limit)
    }

    pub(crate) fn read(
        &self,
        owner: &str,
        id: SessionId,
        numbers: Range<u64>,
    ) -> SessionResult<SessionContents> {
        let inner = &mut *self.lock();
        inner.prune(self.limits, self.clock.next());
        let entry = inner.find(owner, id)?;
        let turns = entry.turns.iter().filter(|turn| numbers.contains(&turn.number));
        Ok(SessionContents {
            info: entry.info.clone(),
            turns: turns.cloned().collect(),
            damaged_turns: Vec::new(),
        })
    }

    pub(crate) fn append(
        &self,
        owner: &str,
        id: SessionId,
        append: AppendTurns,
    ) -> SessionResult<u64> {
        StoredTurn::check_sizes(&append.turns)?;
        let inner = &mut *self.lock();
        let entry = inner.find(owner, id)?;
        let turns = entry.info.turn_count;
        if turns != append.expected_turns {
            return Err(SessionError::Conflict { turns });
        }
        let now = self.clock.next();
        inner.update(id, now, |entry| {
            entry.push_turns(append.turns, now);
            if let Some(model) = append.model {
                entry.info.model = model;
            }
        });
        inner.prune(self.limits, now);
        inner.find(owner, id).map(|entry| entry.info.turn_count)
    }

    pub(crate) fn update_details(
        &self,
        owner: &str,
        id: SessionId,
        title: String,
        metadata: &Bytes,
    ) -> SessionResult<()> {
        let inner = &mut *self.lock();
        inner.find(owner, id)?;
        inner.update(id, self.clock.next(), |entry| {
            entry.info.title = title;
            entry.info.metadata = detached_copy(metadata);
        });
        Ok(())
    }

    pub(crate) fn fork(
        &self,
        owner: &str,
        id: SessionId,
        turns: u64,
    ) -> SessionResult<SessionInfo> {
        let (mut info, turns) = {
            let inner = &*self.lock();
            let entry = inner.find(owner, id)?;
            let turns = usize::try_from(turns).unwrap_or(usize::MAX).min(entry.turns.len());
            let turns = entry.turns[..turns].iter().map(|numbered_turn| numbered_turn.turn.clone());
            (entry.info.clone(), turns.collect::<Vec<_>>())
        };
        let new = self.clock.new_session()?;
        info.parent = Some((id, turns.len() as u64));
        (info.id, info.created, info.updated) = (new.id, new.created, new.created);
        (info.turn_count, info.bytes) = (0, 0);
        Ok(self.insert(owner, info, turns))
    }

    pub(crate) fn delete(&self, owner: &str, id: SessionId) -> SessionResult<()> {
        let inner = &mut *self.lock();
        inner.find(owner, id)?;
        inner.remove(id);
        Ok(())
    }

    pub(crate) fn delete_all(&self, owner: &str) -> u64 {
        let inner = &mut *self.lock();
        let all = inner.sessions.iter().filter(|(_, entry)| entry.owner == owner);
        let ids: Vec<SessionId> = all.map(|(id, _)| *id).collect();
        for id in &ids {
            inner.remove(*id);
        }
        ids.len() as u64
    }

    pub(crate) fn count(&self) -> u64 {
        self.lock().sessions.len() as u64
    }

    fn insert(&self, owner: &str, info: SessionInfo, turns: Vec<StoredTurn>) -> SessionInfo {
        let inner = &mut *self.lock();
        let mut entry = SessionEntry { owner: owner.to_owned(), info, turns: Vec::new() };
        let now = entry.info.created;
        entry.push_turns(turns, now);
        let info = entry.info.clone();
        inner.insert(entry);
        inner.prune(self.limits, now);
        info
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionEntry {
    fn push_turns(&mut self, turns: Vec<StoredTurn>, at: i64) {
        for turn in turns {
            let turn = StoredTurn { body: detached_copy(&turn.body), ..turn };
            self.info.bytes += turn.body.len() as u64;
            self.turns.push(NumberedTurn { number: self.info.turn_count, written_at: at, turn });
            self.info.turn_count += 1;
        }
    }
}

impl Inner {
    fn find(&self, owner: &str, id: SessionId) -> SessionResult<&SessionEntry> {
        self.sessions.get(&id).filter(|entry| entry.owner == owner).ok_or(SessionError::NotFound)
    }

    fn insert(&mut self, entry: SessionEntry) {
        let (id, updated) = (entry.info.id, entry.info.updated);
        self.by_owner.insert((entry.owner.clone(), updated, id));
        self.by_time.insert((updated, id));
        self.bytes += entry.info.bytes;
        self.sessions.insert(id, entry);
    }

    fn remove(&mut self, id: SessionId) -> Option<SessionEntry> {
        let entry = self.sessions.remove(&id)?;
        self.by_owner.remove(&(entry.owner.clone(), entry.info.updated, id));
        self.by_time.remove(&(entry.info.updated, id));
        self.bytes -= entry.info.bytes;
        Some(entry)
    }

    fn update(&mut self, id: SessionId, now: i64, change: impl FnOnce(&mut SessionEntry)) {
        let Some(mut entry) = self.remove(id) else { return };
        change(&mut entry);
        entry.info.updated = now;
        self.insert(entry);
    }

    /// Removes sessions that are too old, and the oldest while there are too many bytes; the newest
    /// one stays.
    fn prune(&mut self, limits: RetentionLimits, now: i64) {
        let age = i64::try_from(limits.max_age.as_micros()).unwrap_or(i64::MAX);
        while let Some((updated, id)) = self.by_time.first().copied() {
            let is_expired = now.saturating_sub(updated) > age;
            if !is_expired && (self.bytes <= limits.max_bytes || self.by_time.len() == 1) {
                return;
            }
            self.remove(id);
        }
    }
}

/// Copies the bytes: they may be a slice of a much larger buffer.
fn detached_copy(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes)
}
