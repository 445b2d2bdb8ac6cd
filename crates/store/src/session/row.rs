//! Conversations as the rows of a database, whichever it is.

use std::ops::Range;

use super::{About, Draft, Lock, Reading, Session, SessionId, State, Turn, Written};
use crate::health::{Pulse, Trouble};
use crate::secret::Secret;

/// A conversation.
#[derive(Clone, Debug)]
pub(crate) struct SessionRow {
    pub(crate) id: SessionId,
    pub(crate) owner: Vec<u8>,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) turns: i64,
    pub(crate) bytes: i64,
    pub(crate) lock: Vec<u8>,
    pub(crate) about: Vec<u8>,
    pub(crate) model: Vec<u8>,
}

/// One of its turns.
#[derive(Clone, Debug)]
pub(crate) struct TurnRow {
    pub(crate) number: i64,
    pub(crate) at: i64,
    pub(crate) state: i64,
    /// Nothing if it was lost.
    pub(crate) payload: Vec<u8>,
}

impl SessionRow {
    /// One that begins, and its turns.
    pub(crate) fn begin(
        lock: Lock<'_>,
        now: i64,
        owner: &str,
        draft: &Draft,
    ) -> Result<(Self, Vec<TurnRow>), Trouble> {
        let id = SessionId::at(now)?;
        let about = About {
            owner: owner.to_owned(),
            title: draft.title.clone(),
            metadata: draft.metadata.clone(),
            parent: None,
        };
        let turns = TurnRow::close(lock, id, 0, now, &draft.turns)?;
        let row = Self::new(lock, id, now, &about, &draft.model, &turns)?;
        Ok((row, turns))
    }

    /// One that begins with what was read of another.
    pub(crate) fn fork(
        lock: Lock<'_>,
        now: i64,
        owner: &str,
        read: &Reading,
    ) -> Result<(Self, Vec<TurnRow>), Trouble> {
        let id = SessionId::at(now)?;
        let mut turns = Vec::with_capacity(read.turns.len());
        for written in &read.turns {
            turns.push(TurnRow::of(lock, id, written)?);
        }
        turns.extend(read.damaged.iter().map(|number| TurnRow::lost(*number, now)));
        let about = About {
            owner: owner.to_owned(),
            title: read.session.title.clone(),
            metadata: read.session.metadata.clone(),
            parent: Some((read.session.id, turns.len() as u64)),
        };
        let row = Self::new(lock, id, now, &about, &read.session.model, &turns)?;
        Ok((row, turns))
    }

    /// The same under another lock.
    pub(crate) fn reseal(
        lock: Lock<'_>,
        owner: &str,
        read: &Reading,
    ) -> Result<(Self, Vec<TurnRow>), Trouble> {
        let Session { id, title, metadata, parent, model, .. } = read.session.clone();
        let mut turns = Vec::with_capacity(read.turns.len());
        for written in &read.turns {
            turns.push(TurnRow::of(lock, id, written)?);
        }
        turns.extend(read.damaged.iter().map(|number| TurnRow::lost(*number, 0)));
        let about = About { owner: owner.to_owned(), title, metadata, parent };
        let mut row = Self::new(lock, id, read.session.created, &about, &model, &turns)?;
        row.updated = read.session.updated;
        Ok((row, turns))
    }

    fn new(
        lock: Lock<'_>,
        id: SessionId,
        now: i64,
        about: &About,
        model: &str,
        turns: &[TurnRow],
    ) -> Result<Self, Trouble> {
        Ok(Self {
            id,
            owner: lock.owner(&about.owner).to_vec(),
            created: now,
            updated: now,
            turns: signed(turns.len()),
            bytes: TurnRow::bytes(turns),
            lock: lock.name().to_vec(),
            about: lock.close_about(id, about)?,
            model: lock.close_model(id, model)?,
        })
    }

    /// Its lock, its owner if that can be read, and what it is, if it is under a lock of ours and belongs
    /// to this owner; to whomever, if nobody is named.
    pub(crate) fn open<'s>(
        &self,
        owner: Option<&str>,
        secret: Option<&'s Secret>,
        pulse: &Pulse,
    ) -> Option<(Lock<'s>, Option<String>, Session)> {
        let lock = Lock::named(&self.lock, secret)?;
        if owner.is_some_and(|owner| lock.owner(owner) != *self.owner) {
            return None;
        }
        let about = lock.open_about(self.id, &self.about);
        let model = lock.open_model(self.id, &self.model);
        let is_damaged = about.is_none() || model.is_none();
        if is_damaged {
            pulse.tore(self.id, None);
        }
        let owner = about.as_ref().map(|about| about.owner.clone());
        let about = about.unwrap_or_default();
        let session = Session {
            id: self.id,
            title: about.title,
            metadata: about.metadata,
            model: model.unwrap_or_default(),
            created: self.created,
            updated: self.updated,
            turns: u64::try_from(self.turns).unwrap_or(0).min(MOST_TURNS),
            bytes: u64::try_from(self.bytes).unwrap_or(0),
            parent: about.parent,
            is_damaged,
        };
        Some((lock, owner, session))
    }
}

impl TurnRow {
    /// New turns, the first of this number.
    pub(crate) fn close(
        lock: Lock<'_>,
        id: SessionId,
        first: u64,
        at: i64,
        turns: &[Turn],
    ) -> Result<Vec<Self>, Trouble> {
        let row = |(number, turn): (u64, &Turn)| {
            Self::of(lock, id, &Written { number, at, turn: turn.clone() })
        };
        (first..).zip(turns).map(row).collect()
    }

    pub(crate) fn bytes(turns: &[Self]) -> i64 {
        turns.iter().map(|turn| signed(turn.payload.len())).sum()
    }

    fn of(lock: Lock<'_>, id: SessionId, written: &Written) -> Result<Self, Trouble> {
        let Written { number, at, turn } = written;
        Ok(Self {
            number: i64::try_from(*number).unwrap_or(i64::MAX),
            at: *at,
            state: i64::from(turn.state.number()),
            payload: lock.close_turn(id, *number, *at, turn)?,
        })
    }

    /// A turn of which only its place is left.
    fn lost(number: u64, at: i64) -> Self {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let state = i64::from(State::Aborted.number());
        Self { number, at, state, payload: Vec::new() }
    }
}

impl Reading {
    /// What these rows hold of the turns of these numbers; they come in their order.
    pub(crate) fn new(session: Session, numbers: &Range<u64>) -> Self {
        let count = numbers.end.min(session.turns).saturating_sub(numbers.start);
        let turns = Vec::with_capacity(usize::try_from(count.min(4096)).unwrap_or(0));
        Self { session, turns, damaged: Vec::new() }
    }

    pub(crate) fn take(&mut self, lock: Lock<'_>, row: &TurnRow) {
        let Ok(number) = u64::try_from(row.number) else { return };
        let id = self.session.id;
        self.turns.extend(lock.open_turn(id, number, row.at, row.state, &row.payload));
    }

    /// Notes which turns are not there.
    pub(crate) fn finish(mut self, numbers: &Range<u64>, pulse: &Pulse) -> Self {
        let mut there = self.turns.iter().map(|turn| turn.number).peekable();
        for number in numbers.start..numbers.end.min(self.session.turns) {
            if there.next_if_eq(&number).is_none() {
                pulse.tore(self.session.id, Some(number));
                self.damaged.push(number);
            }
        }
        drop(there);
        self
    }
}

/// As databases count.
fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// No conversation has more: a count beyond it is damaged.
const MOST_TURNS: u64 = 1 << 20;
