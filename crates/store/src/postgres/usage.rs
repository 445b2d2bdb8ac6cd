//! Implements [`UsageStore`] for PostgreSQL: the writer flushes usage once a second; load is shared
//! through two tables.

use std::ops::RangeInclusive;

use super::pool::{Attempt, Purpose};
use super::{PostgresStore, usage_queries};
use crate::box_future::BoxFuture;
use crate::error::StoreError;
use crate::session::SessionError;
use crate::usage::{DailyUsage, Day, LocalLoad, RemoteLoad, UsageStore, UsageTotals};

impl UsageStore for PostgresStore {
    fn add_usage(&self, day: Day, owner: &str, model: &str, totals: &UsageTotals) {
        self.shared.usage.add(day, owner, model, totals);
    }

    fn usage(
        &self,
        days: RangeInclusive<Day>,
        owner: Option<&str>,
    ) -> BoxFuture<'_, Result<Vec<DailyUsage>, SessionError>> {
        let (owner, flushed) = (owner.map(str::to_owned), self.shared.flush_usage(None));
        Box::pin(async move {
            flushed.await?;
            self.run((days, owner), |shared, request, _| async move {
                let (days, owner) = &*request;
                let mut lease = shared.pool.get(Purpose::Session).await?;
                let result =
                    usage_queries::query_usage(&mut lease, &shared, days, owner.as_deref()).await;
                lease.release(result)
            })
            .await
        })
    }

    fn tokens_used(&self, day: Day, owner: &str) -> u64 {
        self.shared.usage.tokens_used(day, owner)
    }

    fn sync_load(
        &self,
        local_load: Vec<LocalLoad>,
    ) -> BoxFuture<'_, Result<Vec<RemoteLoad>, SessionError>> {
        let flushed = self.shared.flush_usage(Some(&local_load));
        Box::pin(async move {
            flushed.await?;
            if local_load.is_empty() {
                return Ok(Vec::new());
            }
            self.run(local_load, |shared, local_load, attempt| async move {
                if attempt == Attempt::Retry {
                    // The load may have been counted already; the caller reports it again.
                    return Err(StoreError("the connection was lost".into()).into());
                }
                let mut lease = shared.pool.get(Purpose::Background).await?;
                let result = usage_queries::sync_load(&mut lease, &shared, &local_load).await;
                lease.release(result)
            })
            .await
        })
    }
}
