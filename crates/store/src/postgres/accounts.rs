//! What was used, in a database: the writer adds it up once a second. What happens at other nodes is asked beside.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use deadpool_postgres::Transaction;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::link::{Fault, Lease};
use super::{Postgres, Shared};
use crate::BoxFuture;
use crate::account::{
    Accounts, Batch, COLUMNS, Day, Elsewhere, Line, Share, Sums, UsageRow, Used, gathered, line,
};
use crate::id;
use crate::session::{Lock, SessionError};

impl Accounts for Postgres {
    fn add(&self, day: Day, owner: &str, model: &str, sums: &Sums) {
        self.shared.tally.add(day, owner, model, sums);
    }

    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<Used>, SessionError>> {
        let (owner, added) = (owner.map(str::to_owned), self.shared.account(None));
        Box::pin(async move {
            added.await?;
            self.ask(move |shared| async move {
                let mut lease = shared.link.lease().await?;
                let done = usage(&mut lease, &shared, &days, owner.as_deref()).await;
                lease.settle(done)
            })
            .await
        })
    }

    fn spent(&self, day: Day, owner: &str) -> u64 {
        self.shared.tally.spent(day, owner)
    }

    fn exchange(&self, here: Vec<Share>) -> BoxFuture<'_, Result<Vec<Elsewhere>, SessionError>> {
        let added = self.shared.account(Some(&here));
        Box::pin(async move {
            added.await?;
            if here.is_empty() {
                return Ok(Vec::new());
            }
            self.change(move |shared| async move {
                let mut lease = shared.link.lease().await?;
                let done = exchange(&mut lease, &shared, &here).await;
                lease.settle(done)
            })
            .await
        })
    }
}

/// Adds a batch to what is there, unless that was done, and gives what these owners have used on a day, whoever
/// added it: of one moment.
pub(super) async fn add(
    lease: &mut Lease,
    shared: &Shared,
    batch: Option<&Batch>,
    day: Day,
    owners: &[String],
) -> Result<HashMap<String, u64>, Fault> {
    let transaction = lease.transaction().await?;
    if let Some(batch) = batch {
        let once = transaction
            .prepare_cached(
                "INSERT INTO interlingua_batches AS b (writer, number, at) VALUES ($1, $2, $3) \
                 ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at \
                 WHERE b.number < excluded.number",
            )
            .await?;
        let writer = &shared.tally.writer[..];
        if transaction.execute(&once, &[&writer, &batch.number, &id::now()]).await? > 0 {
            let lock = Lock(shared.options.secret.as_ref());
            insert(&transaction, lock, &UsageRow::of(lock, batch)?).await?;
        }
    }
    let totals = totals(&transaction, shared, day, owners).await?;
    transaction.commit().await?;
    Ok(totals)
}

async fn insert(
    transaction: &Transaction<'_>,
    lock: Lock<'_>,
    rows: &[UsageRow],
) -> Result<(), Fault> {
    let sums = COLUMNS.map(|name| format!("{name} = u.{name} + excluded.{name}")).join(", ");
    let columns = COLUMNS.join(", ");
    let statement = transaction
        .prepare_cached(&format!(
            "INSERT INTO interlingua_usage AS u (day, owner, model, lock, label, {columns}) \
             SELECT day, owner, model, $1::bytea, label, {columns} FROM unnest($2::integer[], \
             $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[], \
             $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[]) \
             AS r (day, owner, model, label, {columns}) \
             ON CONFLICT (day, owner, model) DO UPDATE SET {sums}"
        ))
        .await?;
    let days: Vec<i32> = rows.iter().map(|row| row.day.0).collect();
    let owners: Vec<&[u8]> = rows.iter().map(|row| &row.owner[..]).collect();
    let models: Vec<&[u8]> = rows.iter().map(|row| &row.model[..]).collect();
    let labels: Vec<&[u8]> = rows.iter().map(|row| &row.label[..]).collect();
    let sums: [Vec<i64>; COLUMNS.len()] =
        std::array::from_fn(|nth| rows.iter().map(|row| row.sums.numbers()[nth]).collect());
    let name = lock.name();
    let mut values: Vec<&(dyn ToSql + Sync)> = vec![&name, &days, &owners, &models, &labels];
    values.extend(sums.iter().map(|sum| sum as &(dyn ToSql + Sync)));
    transaction.execute(&statement, &values).await?;
    Ok(())
}

async fn totals(
    transaction: &Transaction<'_>,
    shared: &Shared,
    day: Day,
    owners: &[String],
) -> Result<HashMap<String, u64>, Fault> {
    let mut totals: HashMap<String, u64> = owners.iter().map(|owner| (owner.clone(), 0)).collect();
    if owners.is_empty() {
        return Ok(totals);
    }
    let names = places(shared, owners.iter().map(String::as_str));
    let places: Vec<&[u8]> = names.keys().map(|place| &place[..]).collect();
    let select = transaction
        .prepare_cached(
            "SELECT owner, sum(input + cache_read + cache_write + output + reasoning)::bigint \
             FROM interlingua_usage WHERE day = $1 AND owner = ANY($2) GROUP BY owner",
        )
        .await?;
    for row in transaction.query(&select, &[&day.0, &places]).await? {
        let sum = u64::try_from(row.try_get::<_, i64>(1)?).unwrap_or_default();
        if let Some(total) =
            names.get(row.try_get::<_, &[u8]>(0)?).and_then(|owner| totals.get_mut(*owner))
        {
            *total += sum;
        }
    }
    Ok(totals)
}

/// How the database knows each of these owners, now and before there was a key.
fn places<'n>(shared: &Shared, owners: impl Iterator<Item = &'n str>) -> HashMap<Vec<u8>, &'n str> {
    let secret = shared.options.secret.as_ref();
    let of =
        |owner: &'n str| Lock::all(secret).map(move |lock| (lock.owner(owner).to_vec(), owner));
    owners.flat_map(of).collect()
}

async fn usage(
    lease: &mut Lease,
    shared: &Shared,
    days: &RangeInclusive<Day>,
    owner: Option<&str>,
) -> Result<Vec<Used>, Fault> {
    let whose = owner.map(|owner| places(shared, std::iter::once(owner)).into_keys().collect());
    let whose: Option<Vec<Vec<u8>>> = whose;
    let select = format!(
        "SELECT day, owner, model, lock, label, {} FROM interlingua_usage \
         WHERE day BETWEEN $1 AND $2 AND ($3::bytea[] IS NULL OR owner = ANY($3))",
        COLUMNS.join(", ")
    );
    let mut found = Vec::new();
    for row in lease.query(&select, &[&days.start().0, &days.end().0, &whose]).await? {
        found.extend(read(&row, shared)?);
    }
    Ok(gathered(found))
}

/// A row, if it can be read.
fn read(row: &Row, shared: &Shared) -> Result<Option<(Line, Sums)>, Error> {
    let place = (Day(row.try_get(0)?), row.try_get(1)?, row.try_get(2)?);
    let label = (row.try_get(3)?, row.try_get(4)?);
    let mut numbers = [0; COLUMNS.len()];
    for (nth, number) in numbers.iter_mut().enumerate() {
        *number = row.try_get(5 + nth)?;
    }
    let line = line(place, label, shared.options.secret.as_ref(), &shared.pulse);
    Ok(line.map(|line| (line, Sums::of(numbers))))
}

/// Says what happens here, and hears what happens elsewhere. Times are those of the database's clock.
async fn exchange(
    lease: &mut Lease,
    shared: &Shared,
    here: &[Share],
) -> Result<Vec<Elsewhere>, Fault> {
    let (lock, node) = (Lock(shared.options.secret.as_ref()), &shared.tally.writer[..]);
    let mut known: Vec<_> = here.iter().map(|share| (lock.owner(&share.owner), share)).collect();
    // All nodes in one order, so that none waits for another that waits for it.
    known.sort_by_key(|(place, _)| *place);
    let told: Vec<_> = known.iter().filter(|(_, share)| share.is_busy).collect();
    if !told.is_empty() {
        let owners: Vec<&[u8]> = told.iter().map(|(place, _)| &place[..]).collect();
        let running: Vec<i64> = told.iter().map(|(_, share)| i64::from(share.running)).collect();
        let used: Vec<i64> =
            told.iter().map(|(_, share)| micros(share.each * share.asked)).collect();
        let tell = lease.prepare_cached(TELL).await?;
        lease.execute(&tell, &[&node, &owners, &running, &used]).await?;
    }
    let names: HashMap<&[u8], &str> =
        known.iter().map(|(place, share)| (&place[..], &*share.owner)).collect();
    let hear = lease.prepare_cached(HEAR).await?;
    let mut elsewhere = Vec::new();
    for row in lease.query(&hear, &[&node, &SILENT]).await? {
        let Some(owner) = names.get(row.try_get::<_, &[u8]>(0)?) else { continue };
        let running = u32::try_from(row.try_get::<_, i64>(1)?).unwrap_or(u32::MAX);
        let ahead = u64::try_from(row.try_get::<_, i64>(2)?).unwrap_or_default();
        let ahead = Duration::from_micros(ahead);
        elsewhere.push(Elsewhere { owner: (*owner).to_owned(), running, ahead });
    }
    Ok(elsewhere)
}

fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Forgets days that are too old and nodes that are silent, and puts what is older than the key under it. Says how many rows
/// went.
pub(super) async fn tidy(transaction: &Transaction<'_>, shared: &Shared) -> Result<u64, Fault> {
    let first = shared.options.retention.first_day().0;
    let old = "DELETE FROM interlingua_usage WHERE day < $1";
    let gone = transaction.execute(old, &[&first]).await?;
    let silent = "DELETE FROM interlingua_batches WHERE at < $1";
    transaction.execute(silent, &[&(id::now() - FORGOTTEN)]).await?;
    transaction.batch_execute(CLEAN).await?;
    let lock = Lock(shared.options.secret.as_ref());
    if lock.0.is_none() {
        return Ok(gone);
    }
    let open = format!(
        "DELETE FROM interlingua_usage WHERE lock = '' \
         RETURNING day, owner, model, lock, label, {}",
        COLUMNS.join(", ")
    );
    let mut rows = Vec::new();
    for row in transaction.query(&open, &[]).await? {
        if let Some((line, sums)) = read(&row, shared)? {
            rows.push(UsageRow::new(lock, &line, &sums)?);
        }
    }
    rows.sort_by_key(|row| (row.day, row.owner, row.model));
    insert(transaction, lock, &rows).await?;
    Ok(gone + rows.len() as u64)
}

/// What a node answers now, and the time that its last requests took from what may be asked.
const TELL: &str = "
WITH clock AS MATERIALIZED
    (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now),
mine AS MATERIALIZED
    (SELECT * FROM unnest($2::bytea[], $3::bigint[], $4::bigint[]) AS m (owner, running, used)),
here AS (
    INSERT INTO interlingua_running (node, owner, running, at)
    SELECT $1::bytea, owner, running, now FROM mine, clock
    ON CONFLICT (node, owner) DO UPDATE SET running = excluded.running, at = excluded.at)
INSERT INTO interlingua_paces AS p (owner, empty)
SELECT owner, now + used FROM mine, clock WHERE used > 0
ON CONFLICT (owner) DO UPDATE
SET empty = greatest(p.empty, (SELECT now FROM clock)) + excluded.empty - (SELECT now FROM clock)";

/// What other nodes answer now, and how far all are ahead.
const HEAR: &str = "
WITH clock AS MATERIALIZED
    (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now)
SELECT owner, max(running)::bigint, max(ahead)::bigint FROM (
    SELECT owner, 0 AS running, empty - now AS ahead
    FROM interlingua_paces, clock WHERE empty > now
    UNION ALL
    SELECT owner, sum(running), 0 FROM interlingua_running, clock
    WHERE node <> $1::bytea AND at > now - $2::bigint AND running > 0 GROUP BY owner) AS all_of_it
GROUP BY owner";

/// What nobody asks for any more.
const CLEAN: &str = "
DELETE FROM interlingua_running WHERE (node, owner) IN (
    SELECT node, owner FROM interlingua_running
    WHERE at < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 60000000
    FOR UPDATE SKIP LOCKED);
DELETE FROM interlingua_paces WHERE owner IN (
    SELECT owner FROM interlingua_paces
    WHERE empty < (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
    FOR UPDATE SKIP LOCKED)";

/// Microseconds after which a node that says nothing is not counted.
const SILENT: i64 = 5_000_000;
/// Milliseconds after which nobody asks any more whether a batch was written.
const FORGOTTEN: i64 = 7 * 24 * 60 * 60 * 1000;
