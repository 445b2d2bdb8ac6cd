//! Converts sessions and turns to and from database rows, for SQLite and PostgreSQL.

use std::ops::Range;

use super::{
    NewSession, NewSessionId, NumberedTurn, RowCipher, SessionContents, SessionDetails, SessionId,
    SessionInfo, StoredTurn, TurnState,
};
use crate::encryption::EncryptionKey;
use crate::error::StoreError;
use crate::health::HealthTracker;

/// A row of the table of sessions.
#[derive(Clone, Debug)]
pub(crate) struct SessionRow {
    pub(crate) id: SessionId,
    pub(crate) owner_index: Vec<u8>,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) turn_count: i64,
    pub(crate) bytes: i64,
    pub(crate) key_id: Vec<u8>,
    pub(crate) encrypted_details: Vec<u8>,
    pub(crate) encrypted_model: Vec<u8>,
}

/// A row of the table of turns.
#[derive(Clone, Debug)]
pub(crate) struct TurnRow {
    pub(crate) number: i64,
    pub(crate) written_at: i64,
    pub(crate) state: i64,
    /// Empty if the turn was damaged when it was copied.
    pub(crate) payload: Vec<u8>,
}

impl SessionRow {
    /// The rows of a new session.
    pub(crate) fn create(
        row_cipher: RowCipher<'_>,
        &NewSessionId { id, created: now }: &NewSessionId,
        owner: &str,
        draft: &NewSession,
    ) -> Result<(Self, Vec<TurnRow>), StoreError> {
        let details = SessionDetails {
            owner: owner.to_owned(),
            title: draft.title.clone(),
            metadata: draft.metadata.clone(),
            parent: None,
        };
        let turns = TurnRow::encrypt_all(row_cipher, id, 0, now, &draft.turns)?;
        let row = Self::new(row_cipher, id, now, &details, &draft.model, &turns)?;
        Ok((row, turns))
    }

    /// The rows of a fork of a session that was read.
    pub(crate) fn fork(
        row_cipher: RowCipher<'_>,
        &NewSessionId { id, created: now }: &NewSessionId,
        owner: &str,
        contents: &SessionContents,
    ) -> Result<(Self, Vec<TurnRow>), StoreError> {
        let mut turns = Vec::with_capacity(contents.turns.len());
        for numbered_turn in &contents.turns {
            turns.push(TurnRow::encrypt(row_cipher, id, numbered_turn)?);
        }
        turns
            .extend(contents.damaged_turns.iter().map(|number| TurnRow::placeholder(*number, now)));
        let details = SessionDetails {
            owner: owner.to_owned(),
            title: contents.info.title.clone(),
            metadata: contents.info.metadata.clone(),
            parent: Some((contents.info.id, turns.len() as u64)),
        };
        let row = Self::new(row_cipher, id, now, &details, &contents.info.model, &turns)?;
        Ok((row, turns))
    }

    /// The rows of the same session under another key.
    pub(crate) fn reencrypt(
        row_cipher: RowCipher<'_>,
        owner: &str,
        contents: &SessionContents,
    ) -> Result<(Self, Vec<TurnRow>), StoreError> {
        let SessionInfo { id, title, metadata, parent, model, .. } = contents.info.clone();
        let mut turns = Vec::with_capacity(contents.turns.len());
        for numbered_turn in &contents.turns {
            turns.push(TurnRow::encrypt(row_cipher, id, numbered_turn)?);
        }
        turns.extend(contents.damaged_turns.iter().map(|number| TurnRow::placeholder(*number, 0)));
        let details = SessionDetails { owner: owner.to_owned(), title, metadata, parent };
        let mut row = Self::new(row_cipher, id, contents.info.created, &details, &model, &turns)?;
        row.updated = contents.info.updated;
        Ok((row, turns))
    }

    fn new(
        row_cipher: RowCipher<'_>,
        id: SessionId,
        now: i64,
        details: &SessionDetails,
        model: &str,
        turns: &[TurnRow],
    ) -> Result<Self, StoreError> {
        Ok(Self {
            id,
            owner_index: row_cipher.owner_index(&details.owner).to_vec(),
            created: now,
            updated: now,
            turn_count: to_i64(turns.len()),
            bytes: TurnRow::total_bytes(turns),
            key_id: row_cipher.key_id().to_vec(),
            encrypted_details: row_cipher.encrypt_details(id, details)?,
            encrypted_model: row_cipher.encrypt_model(id, model)?,
        })
    }

    /// Decrypts the row: its cipher, its owner if readable, and its info. `None` if it is encrypted
    /// with another key, or does not belong to `owner`; no `owner` matches all.
    pub(crate) fn decrypt<'s>(
        &self,
        owner: Option<&str>,
        secret: Option<&'s EncryptionKey>,
        health_tracker: &HealthTracker,
    ) -> Option<(RowCipher<'s>, Option<String>, SessionInfo)> {
        let row_cipher = RowCipher::by_key_id(&self.key_id, secret)?;
        if owner.is_some_and(|owner| row_cipher.owner_index(owner) != *self.owner_index) {
            return None;
        }
        let details = row_cipher.decrypt_details(self.id, &self.encrypted_details);
        let model = row_cipher.decrypt_model(self.id, &self.encrypted_model);
        let is_damaged = details.is_none() || model.is_none();
        if is_damaged {
            health_tracker.count_damaged_turn(&self.id, None);
        }
        let owner = details.as_ref().map(|details| details.owner.clone());
        let details = details.unwrap_or_default();
        let session = SessionInfo {
            id: self.id,
            title: details.title,
            metadata: details.metadata,
            model: model.unwrap_or_default(),
            created: self.created,
            updated: self.updated,
            turn_count: u64::try_from(self.turn_count).unwrap_or(0).min(MAX_TURNS),
            bytes: u64::try_from(self.bytes).unwrap_or(0),
            parent: details.parent,
            is_damaged,
        };
        Some((row_cipher, owner, session))
    }
}

impl TurnRow {
    /// Encrypts new turns, numbered from `first`.
    pub(crate) fn encrypt_all(
        row_cipher: RowCipher<'_>,
        id: SessionId,
        first: u64,
        written_at: i64,
        turns: &[StoredTurn],
    ) -> Result<Vec<Self>, StoreError> {
        let row = |(number, turn): (u64, &StoredTurn)| {
            Self::encrypt(row_cipher, id, &NumberedTurn { number, written_at, turn: turn.clone() })
        };
        (first..).zip(turns).map(row).collect()
    }

    pub(crate) fn total_bytes(turns: &[Self]) -> i64 {
        turns.iter().map(|turn| to_i64(turn.payload.len())).sum()
    }

    fn encrypt(
        row_cipher: RowCipher<'_>,
        id: SessionId,
        numbered_turn: &NumberedTurn,
    ) -> Result<Self, StoreError> {
        let NumberedTurn { number, written_at, turn } = numbered_turn;
        Ok(Self {
            number: i64::try_from(*number).unwrap_or(i64::MAX),
            written_at: *written_at,
            state: i64::from(turn.state.db_code()),
            payload: row_cipher.encrypt_turn(id, *number, *written_at, turn)?,
        })
    }

    /// A row for a damaged turn, which keeps its number.
    fn placeholder(number: u64, written_at: i64) -> Self {
        let number = i64::try_from(number).unwrap_or(i64::MAX);
        let state = i64::from(TurnState::Aborted.db_code());
        Self { number, written_at, state, payload: Vec::new() }
    }
}

impl SessionContents {
    /// Prepares for rows that come in the order of their numbers.
    pub(crate) fn new(info: SessionInfo, numbers: &Range<u64>) -> Self {
        let count = numbers.end.min(info.turn_count).saturating_sub(numbers.start);
        let turns = Vec::with_capacity(usize::try_from(count.min(4096)).unwrap_or(0));
        Self { info, turns, damaged_turns: Vec::new() }
    }

    pub(crate) fn push_row(&mut self, row_cipher: RowCipher<'_>, row: &TurnRow) {
        let Ok(number) = u64::try_from(row.number) else { return };
        let id = self.info.id;
        self.turns.extend(row_cipher.decrypt_turn(
            id,
            number,
            row.written_at,
            row.state,
            &row.payload,
        ));
    }

    /// Adds the turns that are missing from the rows to `damaged`.
    pub(crate) fn note_missing(
        mut self,
        numbers: &Range<u64>,
        health_tracker: &HealthTracker,
    ) -> Self {
        let mut numbers_read = self.turns.iter().map(|turn| turn.number).peekable();
        for number in numbers.start..numbers.end.min(self.info.turn_count) {
            if numbers_read.next_if_eq(&number).is_none() {
                health_tracker.count_damaged_turn(&self.info.id, Some(number));
                self.damaged_turns.push(number);
            }
        }
        drop(numbers_read);
        self
    }
}

fn to_i64(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Maximum number of turns; a larger count in a row is damaged.
const MAX_TURNS: u64 = 1 << 20;
