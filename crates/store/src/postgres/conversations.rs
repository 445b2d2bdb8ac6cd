//! The statements for conversations.

use std::cmp::Reverse;
use std::ops::Range;

use bytes::Bytes;
use deadpool_postgres::Transaction;
use tokio_postgres::{Error, IsolationLevel, Row};

use super::Shared;
use super::link::{Fault, Lease};
use crate::retention::Keep;
use crate::session::{
    About, Append, Cursor, Draft, Lock, Page, Reading, Session, SessionError, SessionId,
    SessionRow, TurnRow, page,
};

pub(super) async fn create(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    draft: &Draft,
) -> Result<Session, Fault> {
    let lock = Lock(shared.options.secret.as_ref());
    let (row, turns) = SessionRow::begin(lock, shared.moments.next(), owner, draft)?;
    let transaction = lease.transaction().await?;
    insert(&transaction, &row, &turns).await?;
    transaction.commit().await?;
    opened(shared, owner, &row).map(|(_, session)| session)
}

pub(super) async fn list(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    after: Option<Cursor>,
    most: usize,
) -> Result<Page, Fault> {
    let most = page(most);
    let after = after.unwrap_or(Cursor { updated: i64::MAX, id: SessionId([0xff; 16]) });
    let limit = i64::try_from(most).unwrap_or(i64::MAX - 1) + 1;
    let select = lease
        .prepare_cached(
            "SELECT id, owner, created, updated, turns, bytes, lock, about, model \
             FROM interlingua_sessions WHERE owner = $1 AND (updated, id) < ($2, $3) \
             ORDER BY updated DESC, id DESC LIMIT $4",
        )
        .await?;
    let secret = shared.options.secret.as_ref();
    let mut found = Vec::new();
    for lock in Lock::all(secret) {
        let (place, id) = (lock.owner(owner), after.id.0);
        let asked = lease.query(&select, &[&&place[..], &after.updated, &&id[..], &limit]).await?;
        for row in asked {
            let opened = session_row(&row)?.and_then(|row| {
                let (_, _, session) = row.open(Some(owner), secret, &shared.pulse)?;
                Some(session)
            });
            found.extend(opened);
        }
    }
    found.sort_by_key(|session: &Session| Reverse((session.updated, session.id)));
    Ok(Page::of(found, most))
}

pub(super) async fn read(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    numbers: &Range<u64>,
) -> Result<Reading, Fault> {
    // All of it as it is at one moment.
    let moment = lease.build_transaction().isolation_level(IsolationLevel::RepeatableRead);
    let transaction = moment.read_only(true).start().await?;
    let (lock, session) = find(&transaction, shared, owner, id, "").await?;
    let read = turns(&transaction, shared, lock, session, numbers).await?;
    transaction.commit().await?;
    Ok(read)
}

pub(super) async fn append(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    append: &Append,
) -> Result<u64, Fault> {
    let transaction = lease.transaction().await?;
    let (lock, session) = find(&transaction, shared, owner, id, " FOR UPDATE").await?;
    if session.turns != append.seen {
        return Err(SessionError::Conflict { turns: session.turns }.into());
    }
    let now = shared.moments.next();
    let added = TurnRow::close(lock, id, session.turns, now, &append.turns)?;
    let count = session.turns + added.len() as u64;
    insert_turns(&transaction, id, &added).await?;
    let model = append.model.as_ref().map(|model| lock.close_model(id, model)).transpose()?;
    let update = transaction
        .prepare_cached(
            "UPDATE interlingua_sessions SET turns = $1, bytes = bytes + $2, \
             updated = greatest(updated + 1, $3), model = coalesce($4, model) WHERE id = $5",
        )
        .await?;
    let turns = i64::try_from(count).unwrap_or(i64::MAX);
    let bytes = TurnRow::bytes(&added);
    transaction.execute(&update, &[&turns, &bytes, &now, &model, &&id.0[..]]).await?;
    transaction.commit().await?;
    Ok(count)
}

pub(super) async fn describe(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    title: &str,
    metadata: &Bytes,
) -> Result<(), Fault> {
    let transaction = lease.transaction().await?;
    let (lock, session) = find(&transaction, shared, owner, id, " FOR UPDATE").await?;
    let (owner, title) = (owner.to_owned(), title.to_owned());
    let about = About { owner, title, metadata: metadata.clone(), parent: session.parent };
    let about = lock.close_about(id, &about)?;
    let update = "UPDATE interlingua_sessions SET about = $1, updated = greatest(updated + 1, $2) \
                  WHERE id = $3";
    let now = shared.moments.next();
    transaction.execute(update, &[&about, &now, &&id.0[..]]).await?;
    transaction.commit().await?;
    Ok(())
}

pub(super) async fn fork(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    id: SessionId,
    count: u64,
) -> Result<Session, Fault> {
    let read = read(lease, shared, owner, id, &(0..count)).await?;
    let lock = Lock(shared.options.secret.as_ref());
    let (row, turns) = SessionRow::fork(lock, shared.moments.next(), owner, &read)?;
    let transaction = lease.transaction().await?;
    insert(&transaction, &row, &turns).await?;
    transaction.commit().await?;
    opened(shared, owner, &row).map(|(_, session)| session)
}

pub(super) async fn delete(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
    id: SessionId,
) -> Result<(), Fault> {
    let transaction = lease.transaction().await?;
    find(&transaction, shared, owner, id, " FOR UPDATE").await?;
    let delete = "DELETE FROM interlingua_sessions WHERE id = $1";
    transaction.execute(delete, &[&&id.0[..]]).await?;
    transaction.commit().await?;
    Ok(())
}

pub(super) async fn delete_all(
    lease: &mut Lease,
    shared: &Shared,
    owner: &str,
) -> Result<u64, Fault> {
    let locks = Lock::all(shared.options.secret.as_ref());
    let owners: Vec<Vec<u8>> = locks.map(|lock| lock.owner(owner).to_vec()).collect();
    let delete = "DELETE FROM interlingua_sessions WHERE owner = ANY($1)";
    let gone = lease.execute(delete, &[&owners]).await?;
    Ok(gone)
}

/// One small step: some of what is too old, or too much. Says how many went.
pub(super) async fn tidy(
    transaction: &Transaction<'_>,
    keep: Keep,
    now: i64,
) -> Result<u64, Fault> {
    let age = i64::try_from(keep.age.as_micros()).unwrap_or(i64::MAX);
    let old = "DELETE FROM interlingua_sessions WHERE id IN (SELECT id FROM interlingua_sessions \
               WHERE updated < $1 ORDER BY updated LIMIT $2 FOR UPDATE SKIP LOCKED)";
    let gone = transaction.execute(old, &[&now.saturating_sub(age), &STEP]).await?;
    let sum = "SELECT coalesce(sum(bytes), 0)::bigint FROM interlingua_sessions";
    let bytes: i64 = transaction.query_one(sum, &[]).await?.try_get(0)?;
    let most = i64::try_from(keep.bytes).unwrap_or(i64::MAX);
    if bytes <= most {
        return Ok(gone);
    }
    // Some more than needed, so that it is not needed again at once; the last one stays.
    let excess = bytes - (most - most / 16);
    let much = "DELETE FROM interlingua_sessions WHERE id IN (SELECT id FROM (SELECT id, \
                sum(bytes) OVER (ORDER BY updated, id) - bytes AS before FROM (SELECT id, updated, \
                bytes FROM interlingua_sessions WHERE updated < (SELECT max(updated) \
                FROM interlingua_sessions) ORDER BY updated, id LIMIT $1) AS oldest) AS summed \
                WHERE before < $2::bigint)";
    Ok(gone + transaction.execute(much, &[&STEP, &excess]).await?)
}

/// Seals some of the conversations that are not. Says how many.
pub(super) async fn seal_plain(
    transaction: &Transaction<'_>,
    shared: &Shared,
) -> Result<usize, Fault> {
    let secret = shared.options.secret.as_ref();
    let select = "SELECT id, owner, created, updated, turns, bytes, lock, about, model \
                  FROM interlingua_sessions WHERE lock = '' LIMIT $1 FOR UPDATE SKIP LOCKED";
    let mut sealed = 0;
    for row in transaction.query(select, &[&SEALED]).await? {
        let Some(row) = session_row(&row)? else { continue };
        // Where it belongs under the key is not known if its owner cannot be read: it stays as it is.
        let opened = row.open(None, secret, &shared.pulse);
        let Some((lock, Some(owner), session)) = opened else { continue };
        let read = turns(transaction, shared, lock, session, &(0..u64::MAX)).await?;
        let delete = "DELETE FROM interlingua_sessions WHERE id = $1";
        transaction.execute(delete, &[&&row.id.0[..]]).await?;
        let (row, turns) = SessionRow::reseal(Lock(secret), &owner, &read)?;
        insert(transaction, &row, &turns).await?;
        sealed += 1;
    }
    Ok(sealed)
}

async fn find<'s>(
    transaction: &Transaction<'_>,
    shared: &'s Shared,
    owner: &str,
    id: SessionId,
    how: &str,
) -> Result<(Lock<'s>, Session), Fault> {
    let select = format!(
        "SELECT id, owner, created, updated, turns, bytes, lock, about, model \
         FROM interlingua_sessions WHERE id = $1{how}"
    );
    let select = transaction.prepare_cached(&select).await?;
    let row = transaction.query_opt(&select, &[&&id.0[..]]).await?;
    let row = row.as_ref().map(session_row).transpose()?.flatten();
    opened(shared, owner, &row.ok_or(SessionError::Missing)?)
}

fn opened<'s>(
    shared: &'s Shared,
    owner: &str,
    row: &SessionRow,
) -> Result<(Lock<'s>, Session), Fault> {
    let opened = row.open(Some(owner), shared.options.secret.as_ref(), &shared.pulse);
    let opened = opened.map(|(lock, _, session)| (lock, session));
    opened.ok_or(Fault::Said(SessionError::Missing))
}

async fn turns(
    transaction: &Transaction<'_>,
    shared: &Shared,
    lock: Lock<'_>,
    session: Session,
    numbers: &Range<u64>,
) -> Result<Reading, Error> {
    let select = transaction
        .prepare_cached(
            "SELECT number, at, state, payload FROM interlingua_turns \
             WHERE session = $1 AND number >= $2 AND number < $3 ORDER BY number",
        )
        .await?;
    let bound = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let (start, end) = (bound(numbers.start), bound(numbers.end));
    let id = session.id.0;
    let mut reading = Reading::new(session, numbers);
    for row in transaction.query(&select, &[&&id[..], &start, &end]).await? {
        let (number, at) = (row.try_get(0)?, row.try_get(1)?);
        let (state, payload) = (row.try_get(2)?, row.try_get(3)?);
        reading.take(lock, &TurnRow { number, at, state, payload });
    }
    Ok(reading.finish(numbers, &shared.pulse))
}

async fn insert(
    transaction: &Transaction<'_>,
    row: &SessionRow,
    turns: &[TurnRow],
) -> Result<(), Error> {
    let insert = transaction
        .prepare_cached(
            "INSERT INTO interlingua_sessions \
             (id, owner, created, updated, turns, bytes, lock, about, model) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .await?;
    let SessionRow { id, owner, created, updated, turns: count, bytes, lock, about, model } = row;
    transaction
        .execute(&insert, &[&&id.0[..], owner, created, updated, count, bytes, lock, about, model])
        .await?;
    insert_turns(transaction, row.id, turns).await
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
    let at: Vec<i64> = turns.iter().map(|turn| turn.at).collect();
    let states: Vec<i64> = turns.iter().map(|turn| turn.state).collect();
    let payloads: Vec<&[u8]> = turns.iter().map(|turn| &*turn.payload).collect();
    let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
        [&&id.0[..], &numbers, &at, &states, &payloads];
    transaction.execute(&insert, &values).await.map(drop)
}

/// Nothing for an id that is none of ours.
fn session_row(row: &Row) -> Result<Option<SessionRow>, Error> {
    let Ok(id) = row.try_get::<_, &[u8]>(0)?.try_into() else { return Ok(None) };
    Ok(Some(SessionRow {
        id: SessionId(id),
        owner: row.try_get(1)?,
        created: row.try_get(2)?,
        updated: row.try_get(3)?,
        turns: row.try_get(4)?,
        bytes: row.try_get(5)?,
        lock: row.try_get(6)?,
        about: row.try_get(7)?,
        model: row.try_get(8)?,
    }))
}

/// Conversations that are forgotten, and that are sealed, in one commit.
const STEP: i64 = 64;
const SEALED: i64 = 16;
