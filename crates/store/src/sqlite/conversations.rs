//! The statements for conversations.

use std::ops::Range;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::Shared;
use super::rows::SESSIONS;
use crate::health::Trouble;
use crate::retention::Keep;
use crate::session::{
    About, Append, Cursor, Draft, Lock, Page, Reading, Session, SessionError, SessionId,
    SessionRow, TurnRow, page,
};

type Result<T> = rusqlite::Result<T>;
type Answer<T> = std::result::Result<T, SessionError>;

pub(super) fn create(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    draft: &Draft,
) -> Result<Answer<Session>> {
    let lock = Lock(shared.options.secret.as_ref());
    let (row, turns) =
        SessionRow::begin(lock, shared.moments.next(), owner, draft).map_err(refused)?;
    insert(connection, shared, owner, &row, &turns)
}

pub(super) fn list(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    after: Option<Cursor>,
    most: usize,
) -> Result<Page> {
    let most = page(most);
    let after = after.unwrap_or(Cursor { updated: i64::MAX, id: SessionId([0xff; 16]) });
    let mut select = connection.prepare_cached(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
         WHERE owner = ? AND (updated, id) < (?, ?) ORDER BY updated DESC, id DESC LIMIT ?",
    )?;
    let secret = shared.options.secret.as_ref();
    let mut found = Vec::new();
    for lock in Lock::all(secret) {
        let limit = most as u32 + 1;
        let asked = params![lock.owner(owner), after.updated, after.id.0, limit];
        for row in select.query_map(asked, row)? {
            let opened = row?.open(Some(owner), secret, &shared.pulse);
            found.extend(opened.map(|(_, _, session)| session));
        }
    }
    found.sort_by_key(|session| std::cmp::Reverse((session.updated, session.id)));
    Ok(Page::of(found, most))
}

pub(super) fn read(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    numbers: &Range<u64>,
) -> Result<Answer<Reading>> {
    let Some((lock, session)) = find(connection, shared, owner, id)? else {
        return Ok(Err(SessionError::Missing));
    };
    turns(connection, shared, lock, session, numbers).map(Ok)
}

pub(super) fn append(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    append: &Append,
) -> Result<Answer<u64>> {
    let Some((lock, session)) = find(connection, shared, owner, id)? else {
        return Ok(Err(SessionError::Missing));
    };
    if session.turns != append.seen {
        return Ok(Err(SessionError::Conflict { turns: session.turns }));
    }
    let now = shared.moments.next();
    let added = TurnRow::close(lock, id, session.turns, now, &append.turns).map_err(refused)?;
    let count = session.turns + added.len() as u64;
    insert_turns(connection, id, &added)?;
    let mut update = connection.prepare_cached(
        "UPDATE sessions SET turns = ?, bytes = bytes + ?, updated = max(updated + 1, ?), \
         model = ifnull(?, model) WHERE id = ?",
    )?;
    let turns = i64::try_from(count).unwrap_or(i64::MAX);
    let model = append.model.as_ref().map(|model| lock.close_model(id, model)).transpose();
    let model = model.map_err(refused)?;
    update.execute(params![turns, TurnRow::bytes(&added), now, model, id.0])?;
    Ok(Ok(count))
}

pub(super) fn describe(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    title: &str,
    metadata: &Bytes,
) -> Result<Answer<()>> {
    let Some((lock, session)) = find(connection, shared, owner, id)? else {
        return Ok(Err(SessionError::Missing));
    };
    let (owner, title) = (owner.to_owned(), title.to_owned());
    let about = About { owner, title, metadata: metadata.clone(), parent: session.parent };
    let mut update = connection.prepare_cached(
        "UPDATE sessions SET about = ?, updated = max(updated + 1, ?) WHERE id = ?",
    )?;
    let about = lock.close_about(id, &about).map_err(refused)?;
    update.execute(params![about, shared.moments.next(), id.0])?;
    Ok(Ok(()))
}

pub(super) fn fork(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    count: u64,
) -> Result<Answer<Session>> {
    let read = match read(connection, shared, owner, id, &(0..count))? {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    let lock = Lock(shared.options.secret.as_ref());
    let now = shared.moments.next();
    let (row, turns) = SessionRow::fork(lock, now, owner, &read).map_err(refused)?;
    insert(connection, shared, owner, &row, &turns)
}

pub(super) fn delete(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    id: SessionId,
) -> Result<Answer<()>> {
    if find(connection, shared, owner, id)?.is_none() {
        return Ok(Err(SessionError::Missing));
    }
    connection.prepare_cached("DELETE FROM sessions WHERE id = ?")?.execute([id.0])?;
    Ok(Ok(()))
}

pub(super) fn delete_all(connection: &Connection, shared: &Shared, owner: &str) -> Result<u64> {
    let mut delete = connection.prepare_cached("DELETE FROM sessions WHERE owner = ?")?;
    let mut gone = 0;
    for lock in Lock::all(shared.options.secret.as_ref()) {
        gone += delete.execute([lock.owner(owner)])?;
    }
    Ok(gone as u64)
}

/// One small step: some of what is too old, or too much. Says how many went.
pub(super) fn tidy(connection: &Connection, keep: Keep, now: i64) -> Result<usize> {
    let age = i64::try_from(keep.age.as_micros()).unwrap_or(i64::MAX);
    let mut old = connection.prepare_cached(
        "DELETE FROM sessions WHERE id IN \
         (SELECT id FROM sessions WHERE updated < ? ORDER BY updated LIMIT ?)",
    )?;
    let gone = old.execute(params![now.saturating_sub(age), STEP])?;
    let mut sum =
        connection.prepare_cached("SELECT ifnull(sum(bytes), 0) FROM totals WHERE kind = ?")?;
    let bytes: i64 = sum.query_row([SESSIONS], |row| row.get(0))?;
    let most = i64::try_from(keep.bytes).unwrap_or(i64::MAX);
    if bytes <= most {
        return Ok(gone);
    }
    // The last one stays, however large it is.
    let mut select = connection.prepare_cached(
        "SELECT id, bytes FROM sessions WHERE updated < (SELECT max(updated) FROM sessions) \
         ORDER BY updated LIMIT ?",
    )?;
    let oldest = select
        .query_map([STEP], |row| Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, i64>(1)?)))?
        .collect::<Result<Vec<_>>>()?;
    let mut delete = connection.prepare_cached("DELETE FROM sessions WHERE id = ?")?;
    // Some more than needed, so that it is not needed again at once.
    let mut excess = bytes - (most - most / 16);
    let mut more = 0;
    for (id, size) in oldest {
        if excess <= 0 {
            break;
        }
        more += delete.execute([id])?;
        excess -= size;
    }
    Ok(gone + more)
}

/// Seals some of the conversations that are not. Says how many.
pub(super) fn seal_plain(connection: &Connection, shared: &Shared) -> Result<usize> {
    let secret = shared.options.secret.as_ref();
    let mut select = connection.prepare_cached(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
         WHERE lock = x'' LIMIT ?",
    )?;
    let plain = select.query_map([SEALED], row)?.collect::<Result<Vec<_>>>()?;
    let mut sealed = 0;
    for row in &plain {
        // Where it belongs under the key is not known if its owner cannot be read: it stays as it is.
        let opened = row.open(None, secret, &shared.pulse);
        let Some((lock, Some(owner), session)) = opened else { continue };
        let read = turns(connection, shared, lock, session, &(0..u64::MAX))?;
        connection.prepare_cached("DELETE FROM sessions WHERE id = ?")?.execute([row.id.0])?;
        let (row, turns) = SessionRow::reseal(Lock(secret), &owner, &read).map_err(refused)?;
        insert_rows(connection, &row, &turns)?;
        sealed += 1;
    }
    Ok(sealed)
}

fn find<'s>(
    connection: &Connection,
    shared: &'s Shared,
    owner: &str,
    id: SessionId,
) -> Result<Option<(Lock<'s>, Session)>> {
    let mut select = connection.prepare_cached(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
         WHERE id = ?",
    )?;
    let found = select.query_row([id.0], row).optional()?;
    let secret = shared.options.secret.as_ref();
    let opened = found.and_then(|row| row.open(Some(owner), secret, &shared.pulse));
    Ok(opened.map(|(lock, _, session)| (lock, session)))
}

fn turns(
    connection: &Connection,
    shared: &Shared,
    lock: Lock<'_>,
    session: Session,
    numbers: &Range<u64>,
) -> Result<Reading> {
    let mut select = connection.prepare_cached(
        "SELECT number, at, state, payload FROM turns \
         WHERE session = ? AND number >= ? AND number < ? ORDER BY number",
    )?;
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let asked = params![session.id.0, bound(numbers.start), bound(numbers.end)];
    let mut rows = select.query(asked)?;
    let mut reading = Reading::new(session, numbers);
    while let Some(row) = rows.next()? {
        let columns = (row.get(0), row.get(1), row.get(2), row.get(3));
        // One of another type is as good as damaged.
        if let (Ok(number), Ok(at), Ok(state), Ok(payload)) = columns {
            reading.take(lock, &TurnRow { number, at, state, payload });
        }
    }
    Ok(reading.finish(numbers, &shared.pulse))
}

fn insert(
    connection: &Connection,
    shared: &Shared,
    owner: &str,
    row: &SessionRow,
    turns: &[TurnRow],
) -> Result<Answer<Session>> {
    insert_rows(connection, row, turns)?;
    let opened = row.open(Some(owner), shared.options.secret.as_ref(), &shared.pulse);
    Ok(opened.map(|(_, _, session)| session).ok_or(SessionError::Missing))
}

fn insert_rows(connection: &Connection, row: &SessionRow, turns: &[TurnRow]) -> Result<()> {
    match insert_session(connection, row)? {
        0 => Err(rusqlite::Error::StatementChangedRows(0)),
        _ => insert_turns(connection, row.id, turns),
    }
}

/// How many there are more now: none, if it is there.
pub(super) fn insert_session(connection: &Connection, row: &SessionRow) -> Result<usize> {
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO sessions (id, owner, created, updated, turns, bytes, lock, about, model) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    insert.execute(params![
        row.id.0,
        row.owner,
        row.created,
        row.updated,
        row.turns,
        row.bytes,
        row.lock,
        row.about,
        row.model
    ])
}

fn insert_turns(connection: &Connection, id: SessionId, turns: &[TurnRow]) -> Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO turns (session, number, at, state, payload) VALUES (?, ?, ?, ?, ?)",
    )?;
    for turn in turns {
        insert.execute(params![id.0, turn.number, turn.at, turn.state, turn.payload])?;
    }
    Ok(())
}

pub(super) fn row(row: &Row<'_>) -> Result<SessionRow> {
    Ok(SessionRow {
        id: SessionId(row.get(0)?),
        owner: row.get(1)?,
        created: row.get(2)?,
        updated: row.get(3)?,
        turns: row.get(4)?,
        bytes: row.get(5)?,
        lock: row.get(6)?,
        about: row.get(7)?,
        model: row.get(8)?,
    })
}

fn refused(trouble: Trouble) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(trouble.into())
}

/// Conversations that are forgotten, and that are sealed, in one commit.
const STEP: i64 = 64;
const SEALED: i64 = 16;
