//! SQL statements for sessions.

use std::ops::Range;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::record_queries::SESSION_KIND_CODE;
use super::shared_state::SharedState;
use crate::error::StoreError;
use crate::retention::RetentionLimits;
use crate::session::{
    AppendTurns, Cursor, NewSession, RowCipher, SessionContents, SessionDetails, SessionError,
    SessionId, SessionInfo, SessionPage, SessionRow, TurnRow, clamp_page_size,
};

type SqlResult<T> = rusqlite::Result<T>;
type SessionResult<T> = std::result::Result<T, SessionError>;

pub(super) fn create(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    draft: &NewSession,
) -> SqlResult<SessionResult<SessionInfo>> {
    let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
    let new = shared.clock.new_session().map_err(to_sql_error)?;
    let (row, turns) = SessionRow::create(row_cipher, &new, owner, draft).map_err(to_sql_error)?;
    insert(connection, shared, owner, &row, &turns)
}

pub(super) fn list(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    after: Option<Cursor>,
    page_size: usize,
) -> SqlResult<SessionPage> {
    let page_size = clamp_page_size(page_size);
    let after = after.unwrap_or(Cursor { updated: i64::MAX, id: SessionId([0xff; 16]) });
    let mut select = connection.prepare_cached(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
         WHERE owner = ? AND (updated, id) < (?, ?) ORDER BY updated DESC, id DESC LIMIT ?",
    )?;
    let secret = shared.options.encryption_key.as_ref();
    let mut sessions = Vec::new();
    for row_cipher in RowCipher::candidates(secret) {
        let row_limit = page_size as u32 + 1;
        let params = params![row_cipher.owner_index(owner), after.updated, after.id.0, row_limit];
        for row in select.query_map(params, parse_row)? {
            let decrypted = row?.decrypt(Some(owner), secret, &shared.health_tracker);
            sessions.extend(decrypted.map(|(_, _, session)| session));
        }
    }
    sessions.sort_by_key(|session| std::cmp::Reverse((session.updated, session.id)));
    Ok(SessionPage::from_rows(sessions, page_size))
}

pub(super) fn read(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    numbers: &Range<u64>,
) -> SqlResult<SessionResult<SessionContents>> {
    let Some((row_cipher, session)) = find(connection, shared, owner, id)? else {
        return Ok(Err(SessionError::NotFound));
    };
    read_turns(connection, shared, row_cipher, session, numbers).map(Ok)
}

pub(super) fn append(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    append: &AppendTurns,
) -> SqlResult<SessionResult<u64>> {
    let Some((row_cipher, session)) = find(connection, shared, owner, id)? else {
        return Ok(Err(SessionError::NotFound));
    };
    if session.turn_count != append.expected_turns {
        return Ok(Err(SessionError::Conflict { turns: session.turn_count }));
    }
    let now = shared.clock.next();
    let rows = TurnRow::encrypt_all(row_cipher, id, session.turn_count, now, &append.turns)
        .map_err(to_sql_error)?;
    let count = session.turn_count + rows.len() as u64;
    insert_turns(connection, id, &rows)?;
    let mut update = connection.prepare_cached(
        "UPDATE sessions SET turns = ?, bytes = bytes + ?, updated = max(updated + 1, ?), \
         model = ifnull(?, model) WHERE id = ?",
    )?;
    let turns = i64::try_from(count).unwrap_or(i64::MAX);
    let model = append.model.as_ref().map(|model| row_cipher.encrypt_model(id, model)).transpose();
    let model = model.map_err(to_sql_error)?;
    update.execute(params![turns, TurnRow::total_bytes(&rows), now, model, id.0])?;
    Ok(Ok(count))
}

pub(super) fn update_details(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    title: &str,
    metadata: &Bytes,
) -> SqlResult<SessionResult<()>> {
    let Some((row_cipher, session)) = find(connection, shared, owner, id)? else {
        return Ok(Err(SessionError::NotFound));
    };
    let (owner, title) = (owner.to_owned(), title.to_owned());
    let details =
        SessionDetails { owner, title, metadata: metadata.clone(), parent: session.parent };
    let mut update = connection.prepare_cached(
        "UPDATE sessions SET about = ?, updated = max(updated + 1, ?) WHERE id = ?",
    )?;
    let about = row_cipher.encrypt_details(id, &details).map_err(to_sql_error)?;
    update.execute(params![about, shared.clock.next(), id.0])?;
    Ok(Ok(()))
}

pub(super) fn fork(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    count: u64,
) -> SqlResult<SessionResult<SessionInfo>> {
    let contents = match read(connection, shared, owner, id, &(0..count))? {
        Ok(contents) => contents,
        Err(error) => return Ok(Err(error)),
    };
    let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
    let new = shared.clock.new_session().map_err(to_sql_error)?;
    let (row, turns) =
        SessionRow::fork(row_cipher, &new, owner, &contents).map_err(to_sql_error)?;
    insert(connection, shared, owner, &row, &turns)
}

pub(super) fn delete(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
) -> SqlResult<SessionResult<()>> {
    if find(connection, shared, owner, id)?.is_none() {
        return Ok(Err(SessionError::NotFound));
    }
    connection.prepare_cached("DELETE FROM sessions WHERE id = ?")?.execute([id.0])?;
    Ok(Ok(()))
}

pub(super) fn delete_all(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
) -> SqlResult<u64> {
    let mut delete = connection.prepare_cached("DELETE FROM sessions WHERE owner = ?")?;
    let mut deleted = 0;
    for row_cipher in RowCipher::candidates(shared.options.encryption_key.as_ref()) {
        deleted += delete.execute([row_cipher.owner_index(owner)])?;
    }
    Ok(deleted as u64)
}

/// Deletes a batch of sessions that are too old or beyond the size limit; returns their number.
pub(super) fn prune(
    connection: &Connection,
    limits: RetentionLimits,
    now: i64,
) -> SqlResult<usize> {
    let age = i64::try_from(limits.max_age.as_micros()).unwrap_or(i64::MAX);
    let mut delete_expired = connection.prepare_cached(
        "DELETE FROM sessions WHERE id IN \
         (SELECT id FROM sessions WHERE updated < ? ORDER BY updated LIMIT ?)",
    )?;
    let deleted = delete_expired.execute(params![now.saturating_sub(age), PRUNE_BATCH])?;
    let mut sum =
        connection.prepare_cached("SELECT ifnull(sum(bytes), 0) FROM totals WHERE kind = ?")?;
    let bytes: i64 = sum.query_row([SESSION_KIND_CODE], |row| row.get(0))?;
    let max_bytes = i64::try_from(limits.max_bytes).unwrap_or(i64::MAX);
    if bytes <= max_bytes {
        return Ok(deleted);
    }
    // The newest session stays, however large it is.
    let mut select = connection.prepare_cached(
        "SELECT id, bytes FROM sessions WHERE updated < (SELECT max(updated) FROM sessions) \
         ORDER BY updated LIMIT ?",
    )?;
    let oldest = select
        .query_map([PRUNE_BATCH], |row| Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, i64>(1)?)))?
        .collect::<SqlResult<Vec<_>>>()?;
    let mut delete = connection.prepare_cached("DELETE FROM sessions WHERE id = ?")?;
    // Frees 1/16 more than needed, so that pruning is not due again immediately.
    let mut excess = bytes - (max_bytes - max_bytes / 16);
    let mut pruned = 0;
    for (id, size) in oldest {
        if excess <= 0 {
            break;
        }
        pruned += delete.execute([id])?;
        excess -= size;
    }
    Ok(deleted + pruned)
}

/// Encrypts a batch of unencrypted sessions; returns their number.
pub(super) fn encrypt_plaintext(connection: &Connection, shared: &SharedState) -> SqlResult<usize> {
    let secret = shared.options.encryption_key.as_ref();
    let mut select = connection.prepare_cached(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
         WHERE lock = x'' LIMIT ?",
    )?;
    let rows = select.query_map([ENCRYPT_BATCH], parse_row)?.collect::<SqlResult<Vec<_>>>()?;
    let mut encrypted = 0;
    for row in &rows {
        // Without its owner the new index value is unknown: the row stays as it is.
        let decrypted = row.decrypt(None, secret, &shared.health_tracker);
        let Some((row_cipher, Some(owner), session)) = decrypted else { continue };
        let contents = read_turns(connection, shared, row_cipher, session, &(0..u64::MAX))?;
        connection.prepare_cached("DELETE FROM sessions WHERE id = ?")?.execute([row.id.0])?;
        let (row, turns) =
            SessionRow::reencrypt(RowCipher(secret), &owner, &contents).map_err(to_sql_error)?;
        insert_rows(connection, &row, &turns)?;
        encrypted += 1;
    }
    Ok(encrypted)
}

fn find<'s>(
    connection: &Connection,
    shared: &'s SharedState,
    owner: &str,
    id: SessionId,
) -> SqlResult<Option<(RowCipher<'s>, SessionInfo)>> {
    let mut select = connection.prepare_cached(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
         WHERE id = ?",
    )?;
    let row = select.query_row([id.0], parse_row).optional()?;
    let secret = shared.options.encryption_key.as_ref();
    let decrypted = row.and_then(|row| row.decrypt(Some(owner), secret, &shared.health_tracker));
    Ok(decrypted.map(|(row_cipher, _, session)| (row_cipher, session)))
}

fn read_turns(
    connection: &Connection,
    shared: &SharedState,
    row_cipher: RowCipher<'_>,
    session: SessionInfo,
    numbers: &Range<u64>,
) -> SqlResult<SessionContents> {
    let mut select = connection.prepare_cached(
        "SELECT number, at, state, payload FROM turns \
         WHERE session = ? AND number >= ? AND number < ? ORDER BY number",
    )?;
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let params = params![session.id.0, bound(numbers.start), bound(numbers.end)];
    let mut rows = select.query(params)?;
    let mut contents = SessionContents::new(session, numbers);
    while let Some(row) = rows.next()? {
        let columns = (row.get(0), row.get(1), row.get(2), row.get(3));
        // A column of another type means a damaged row.
        if let (Ok(number), Ok(written_at), Ok(state), Ok(payload)) = columns {
            contents.push_row(row_cipher, &TurnRow { number, written_at, state, payload });
        }
    }
    Ok(contents.note_missing(numbers, &shared.health_tracker))
}

fn insert(
    connection: &Connection,
    shared: &SharedState,
    owner: &str,
    row: &SessionRow,
    turns: &[TurnRow],
) -> SqlResult<SessionResult<SessionInfo>> {
    insert_rows(connection, row, turns)?;
    let decrypted =
        row.decrypt(Some(owner), shared.options.encryption_key.as_ref(), &shared.health_tracker);
    Ok(decrypted.map(|(_, _, session)| session).ok_or(SessionError::NotFound))
}

fn insert_rows(connection: &Connection, row: &SessionRow, turns: &[TurnRow]) -> SqlResult<()> {
    match insert_session(connection, row)? {
        0 => Err(rusqlite::Error::StatementChangedRows(0)),
        _ => insert_turns(connection, row.id, turns),
    }
}

/// Returns the number of inserted rows: 0 if the session exists.
pub(super) fn insert_session(connection: &Connection, row: &SessionRow) -> SqlResult<usize> {
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO sessions (id, owner, created, updated, turns, bytes, lock, about, model) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    insert.execute(params![
        row.id.0,
        row.owner_index,
        row.created,
        row.updated,
        row.turn_count,
        row.bytes,
        row.key_id,
        row.encrypted_details,
        row.encrypted_model
    ])
}

fn insert_turns(connection: &Connection, id: SessionId, turns: &[TurnRow]) -> SqlResult<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO turns (session, number, at, state, payload) VALUES (?, ?, ?, ?, ?)",
    )?;
    for turn in turns {
        insert.execute(params![id.0, turn.number, turn.written_at, turn.state, turn.payload])?;
    }
    Ok(())
}

pub(super) fn parse_row(row: &Row<'_>) -> SqlResult<SessionRow> {
    Ok(SessionRow {
        id: SessionId(row.get(0)?),
        owner_index: row.get(1)?,
        created: row.get(2)?,
        updated: row.get(3)?,
        turn_count: row.get(4)?,
        bytes: row.get(5)?,
        key_id: row.get(6)?,
        encrypted_details: row.get(7)?,
        encrypted_model: row.get(8)?,
    })
}

fn to_sql_error(error: StoreError) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(error.into())
}

/// Sessions deleted, and encrypted, per commit.
const PRUNE_BATCH: i64 = 64;
const ENCRYPT_BATCH: i64 = 16;
