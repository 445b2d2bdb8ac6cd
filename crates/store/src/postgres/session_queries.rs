//! SQL statements for sessions.

use std::cmp::Reverse;
use std::ops::Range;

use bytes::Bytes;
use deadpool_postgres::Transaction;
use tokio_postgres::{Error, IsolationLevel, Row};

use super::delete_range::{DeleteRange, DeletedRows};
use super::pool::{Attempt, PooledConnection};
use super::query_error::QueryError;
use super::shared_state::SharedState;
use crate::error::StoreError;
use crate::session::{
    AppendTurns, Cursor, NewSessionId, RowCipher, SessionContents, SessionDetails, SessionError,
    SessionId, SessionInfo, SessionPage, SessionRow, TurnRow, clamp_page_size,
};

pub(super) async fn create(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    (row, turns): &(SessionRow, Vec<TurnRow>),
) -> Result<SessionInfo, QueryError> {
    let transaction = lease.transaction().await?;
    let session = insert_once(&transaction, shared, owner, row, turns).await?;
    transaction.commit().await?;
    Ok(session)
}

pub(super) async fn list(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    after: Option<Cursor>,
    page_size: usize,
) -> Result<SessionPage, QueryError> {
    let page_size = clamp_page_size(page_size);
    let after = after.unwrap_or(Cursor { updated: i64::MAX, id: SessionId([0xff; 16]) });
    let row_limit = i64::try_from(page_size).unwrap_or(i64::MAX - 1) + 1;
    let select = lease
        .prepare_cached(
            "SELECT id, owner, created, updated, turns, bytes, lock, about, model \
             FROM interlingua_sessions WHERE owner = $1 AND (updated, id) < ($2, $3) \
             ORDER BY updated DESC, id DESC LIMIT $4",
        )
        .await?;
    let secret = shared.options.encryption_key.as_ref();
    let mut sessions = Vec::new();
    for row_cipher in RowCipher::candidates(secret) {
        let (index, id) = (row_cipher.owner_index(owner), after.id.0);
        let rows =
            lease.query(&select, &[&&index[..], &after.updated, &&id[..], &row_limit]).await?;
        for row in rows {
            let session = parse_row(&row)?.and_then(|row| {
                let (_, _, session) = row.decrypt(Some(owner), secret, &shared.health_tracker)?;
                Some(session)
            });
            sessions.extend(session);
        }
    }
    sessions.sort_by_key(|session: &SessionInfo| Reverse((session.updated, session.id)));
    Ok(SessionPage::from_rows(sessions, page_size))
}

pub(super) async fn read(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    numbers: &Range<u64>,
) -> Result<SessionContents, QueryError> {
    // Session and turns are read from one snapshot.
    let builder = lease.build_transaction().isolation_level(IsolationLevel::RepeatableRead);
    let transaction = builder.read_only(true).start().await?;
    let (row_cipher, session) = find(&transaction, shared, owner, id, "").await?;
    let contents = read_turns(&transaction, shared, row_cipher, session, numbers).await?;
    transaction.commit().await?;
    Ok(contents)
}

pub(super) async fn append(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    append: &AppendTurns,
    (now, attempt): (i64, Attempt),
) -> Result<u64, QueryError> {
    let transaction = lease.transaction().await?;
    let (row_cipher, session) = find(&transaction, shared, owner, id, " FOR UPDATE").await?;
    let turns = session.turn_count;
    if turns != append.expected_turns {
        let end = append.expected_turns.saturating_add(append.turns.len() as u64);
        if attempt == Attempt::Retry && turns >= end {
            let numbers = append.expected_turns..end;
            let stored = read_turns(&transaction, shared, row_cipher, session, &numbers).await?;
            if is_same_append(&stored, append, now) {
                return Ok(end);
            }
        }
        return Err(SessionError::Conflict { turns }.into());
    }
    let rows = TurnRow::encrypt_all(row_cipher, id, session.turn_count, now, &append.turns)?;
    let count = session.turn_count + rows.len() as u64;
    insert_turns(&transaction, id, &rows).await?;
    let model =
        append.model.as_ref().map(|model| row_cipher.encrypt_model(id, model)).transpose()?;
    let update = transaction
        .prepare_cached(
            "UPDATE interlingua_sessions SET turns = $1, bytes = bytes + $2, \
             updated = greatest(updated + 1, $3), model = coalesce($4, model) WHERE id = $5",
        )
        .await?;
    let turns = i64::try_from(count).unwrap_or(i64::MAX);
    let bytes = TurnRow::total_bytes(&rows);
    transaction.execute(&update, &[&turns, &bytes, &now, &model, &&id.0[..]]).await?;
    transaction.commit().await?;
    Ok(count)
}

/// Whether an append without a reply has stored these turns.
fn is_same_append(stored: &SessionContents, append: &AppendTurns, now: i64) -> bool {
    let stored = stored.turns.iter();
    let stored = stored.map(|numbered| (numbered.written_at, &numbered.turn));
    stored.eq(append.turns.iter().map(|turn| (now, turn)))
}

pub(super) async fn update_details(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    title: &str,
    metadata: &Bytes,
) -> Result<(), QueryError> {
    let transaction = lease.transaction().await?;
    let (row_cipher, session) = find(&transaction, shared, owner, id, " FOR UPDATE").await?;
    let (owner, title) = (owner.to_owned(), title.to_owned());
    let details =
        SessionDetails { owner, title, metadata: metadata.clone(), parent: session.parent };
    let about = row_cipher.encrypt_details(id, &details)?;
    let update = "UPDATE interlingua_sessions SET about = $1, updated = greatest(updated + 1, $2) \
                  WHERE id = $3";
    let now = shared.clock.next();
    transaction.execute(update, &[&about, &now, &&id.0[..]]).await?;
    transaction.commit().await?;
    Ok(())
}

pub(super) async fn fork(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
    count: u64,
    new: &NewSessionId,
) -> Result<SessionInfo, QueryError> {
    let transaction = lease.transaction().await?;
    // Writers of the session wait, so that its turns are those of its row.
    let (row_cipher, session) = find(&transaction, shared, owner, id, " FOR SHARE").await?;
    let contents = read_turns(&transaction, shared, row_cipher, session, &(0..count)).await?;
    let row_cipher = RowCipher(shared.options.encryption_key.as_ref());
    let (row, turns) = SessionRow::fork(row_cipher, new, owner, &contents)?;
    let session = insert_once(&transaction, shared, owner, &row, &turns).await?;
    transaction.commit().await?;
    Ok(session)
}

pub(super) async fn delete(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
    id: SessionId,
) -> Result<(), QueryError> {
    let transaction = lease.transaction().await?;
    find(&transaction, shared, owner, id, " FOR UPDATE").await?;
    let delete = "DELETE FROM interlingua_sessions WHERE id = $1";
    transaction.execute(delete, &[&&id.0[..]]).await?;
    transaction.commit().await?;
    Ok(())
}

pub(super) async fn delete_all(
    lease: &mut PooledConnection<'_>,
    shared: &SharedState,
    owner: &str,
) -> Result<u64, QueryError> {
    let ciphers = RowCipher::candidates(shared.options.encryption_key.as_ref());
    let owners: Vec<Vec<u8>> =
        ciphers.map(|row_cipher| row_cipher.owner_index(owner).to_vec()).collect();
    let delete = "DELETE FROM interlingua_sessions WHERE owner = ANY($1)";
    let deleted = lease.execute(delete, &[&owners]).await?;
    Ok(deleted)
}

/// Deletes a batch of the sessions that were not changed for longest. The newest one stays.
pub(super) async fn delete_oldest(
    transaction: &Transaction<'_>,
    range: DeleteRange,
    max_rows: i64,
) -> Result<DeletedRows, QueryError> {
    let delete = transaction
        .prepare_cached(
            "WITH deleted AS (DELETE FROM interlingua_sessions WHERE id = ANY(ARRAY(\
             SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY updated, id) - bytes AS before \
             FROM (SELECT id, updated, bytes FROM interlingua_sessions \
             WHERE updated >= $1 AND updated < $2 AND ($2 < $5 OR \
             updated < (SELECT max(updated) FROM interlingua_sessions)) \
             ORDER BY updated LIMIT $3 FOR UPDATE SKIP LOCKED) AS oldest) AS summed \
             WHERE before < $4::bigint)) RETURNING updated, bytes) \
             SELECT count(*), coalesce(sum(bytes), 0)::bigint, coalesce(max(updated), 0) \
             FROM deleted",
        )
        .await?;
    let DeleteRange { from, before, max_bytes } = range;
    let row =
        transaction.query_one(&delete, &[&from, &before, &max_rows, &max_bytes, &i64::MAX]).await?;
    Ok(DeletedRows { rows: row.try_get(0)?, bytes: row.try_get(1)?, last_use: row.try_get(2)? })
}

/// Encrypts the unencrypted sessions among the next ones after `cursor`, and advances it; returns
/// whether there may be more.
pub(super) async fn encrypt_plaintext(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    cursor: &mut Vec<u8>,
) -> Result<bool, QueryError> {
    let secret = shared.options.encryption_key.as_ref();
    let select = "SELECT id, owner, created, updated, turns, bytes, lock, about, model \
                  FROM interlingua_sessions WHERE id > $1 ORDER BY id LIMIT $2 FOR UPDATE";
    let page = transaction.query(select, &[&*cursor, &ENCRYPT_BATCH]).await?;
    let has_more = i64::try_from(page.len()).is_ok_and(|rows| rows == ENCRYPT_BATCH);
    for row in &page {
        *cursor = row.try_get(0)?;
        let Some(row) = parse_row(row)?.filter(|row| row.key_id.is_empty()) else { continue };
        // Without its owner the new index value is unknown: the row stays as it is.
        let decrypted = row.decrypt(None, secret, &shared.health_tracker);
        let Some((row_cipher, Some(owner), session)) = decrypted else { continue };
        let contents = read_turns(transaction, shared, row_cipher, session, &(0..u64::MAX)).await?;
        let delete = "DELETE FROM interlingua_sessions WHERE id = $1";
        transaction.execute(delete, &[&&row.id.0[..]]).await?;
        let (row, turns) = SessionRow::reencrypt(RowCipher(secret), &owner, &contents)?;
        if !insert(transaction, &row, &turns).await? {
            return Err(
                StoreError(format!("session {} was inserted by another node", row.id)).into()
            );
        }
    }
    Ok(has_more)
}

async fn find<'s>(
    transaction: &Transaction<'_>,
    shared: &'s SharedState,
    owner: &str,
    id: SessionId,
    suffix: &str,
) -> Result<(RowCipher<'s>, SessionInfo), QueryError> {
    let select = format!(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model \
         FROM interlingua_sessions WHERE id = $1{suffix}"
    );
    let select = transaction.prepare_cached(&select).await?;
    let row = transaction.query_opt(&select, &[&&id.0[..]]).await?;
    let row = row.as_ref().map(parse_row).transpose()?.flatten();
    decrypt_session(shared, owner, &row.ok_or(SessionError::NotFound)?)
}

fn decrypt_session<'s>(
    shared: &'s SharedState,
    owner: &str,
    row: &SessionRow,
) -> Result<(RowCipher<'s>, SessionInfo), QueryError> {
    let decrypted =
        row.decrypt(Some(owner), shared.options.encryption_key.as_ref(), &shared.health_tracker);
    let decrypted = decrypted.map(|(row_cipher, _, session)| (row_cipher, session));
    decrypted.ok_or(QueryError::Session(SessionError::NotFound))
}

async fn read_turns(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    row_cipher: RowCipher<'_>,
    session: SessionInfo,
    numbers: &Range<u64>,
) -> Result<SessionContents, Error> {
    let select = transaction
        .prepare_cached(
            "SELECT number, at, state, payload FROM interlingua_turns \
             WHERE session = $1 AND number >= $2 AND number < $3 ORDER BY number",
        )
        .await?;
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let (start, end) = (bound(numbers.start), bound(numbers.end));
    let id = session.id.0;
    let mut contents = SessionContents::new(session, numbers);
    for row in transaction.query(&select, &[&&id[..], &start, &end]).await? {
        let (number, at) = (row.try_get(0)?, row.try_get(1)?);
        let (state, payload) = (row.try_get(2)?, row.try_get(3)?);
        contents.push_row(row_cipher, &TurnRow { number, written_at: at, state, payload });
    }
    Ok(contents.note_missing(numbers, &shared.health_tracker))
}

/// Inserts a new session, unless an earlier attempt of the same request has: its id is the primary
/// key. Returns the stored session.
async fn insert_once(
    transaction: &Transaction<'_>,
    shared: &SharedState,
    owner: &str,
    row: &SessionRow,
    turns: &[TurnRow],
) -> Result<SessionInfo, QueryError> {
    if !insert(transaction, row, turns).await? {
        return find(transaction, shared, owner, row.id, "").await.map(|(_, session)| session);
    }
    decrypt_session(shared, owner, row).map(|(_, session)| session)
}

/// Returns false if the session exists; then nothing is inserted.
async fn insert(
    transaction: &Transaction<'_>,
    row: &SessionRow,
    turns: &[TurnRow],
) -> Result<bool, Error> {
    let insert = transaction
        .prepare_cached(
            "INSERT INTO interlingua_sessions \
             (id, owner, created, updated, turns, bytes, lock, about, model) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING",
        )
        .await?;
    let SessionRow {
        id,
        owner_index: owner,
        created,
        updated,
        turn_count: count,
        bytes,
        key_id: lock,
        encrypted_details: about,
        encrypted_model: model,
    } = row;
    let inserted = transaction
        .execute(&insert, &[&&id.0[..], owner, created, updated, count, bytes, lock, about, model])
        .await?;
    if inserted > 0 {
        insert_turns(transaction, row.id, turns).await?;
    }
    Ok(inserted > 0)
}

async fn insert_turns(
    transaction: &Transaction<'_>,
    id: SessionId,
    turns: &[TurnRow],
) -> Result<(), Error> {
    if turns.is_empty() {
        return Ok(());
    }
    let insert = transaction
        .prepare_cached(
            "INSERT INTO interlingua_turns (session, number, at, state, payload) \
             SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[])",
        )
        .await?;
    let numbers: Vec<i64> = turns.iter().map(|turn| turn.number).collect();
    let at: Vec<i64> = turns.iter().map(|turn| turn.written_at).collect();
    let states: Vec<i64> = turns.iter().map(|turn| turn.state).collect();
    let payloads: Vec<&[u8]> = turns.iter().map(|turn| &*turn.payload).collect();
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
        [&&id.0[..], &numbers, &at, &states, &payloads];
    transaction.execute(&insert, &values).await.map(drop)
}

/// `None` if the id is not a session id.
fn parse_row(row: &Row) -> Result<Option<SessionRow>, Error> {
    let Ok(id) = row.try_get::<_, &[u8]>(0)?.try_into() else { return Ok(None) };
    Ok(Some(SessionRow {
        id: SessionId(id),
        owner_index: row.try_get(1)?,
        created: row.try_get(2)?,
        updated: row.try_get(3)?,
        turn_count: row.try_get(4)?,
        bytes: row.try_get(5)?,
        key_id: row.try_get(6)?,
        encrypted_details: row.try_get(7)?,
        encrypted_model: row.try_get(8)?,
    }))
}

/// Sessions searched, and encrypted, per commit.
const ENCRYPT_BATCH: i64 = 16;
