//! Implements [`UsageStore`] for SQLite: the writer flushes usage once a second, and queries go to
//! a reader thread.

use std::ops::RangeInclusive;

use super::{SqliteStore, usage_queries};
use crate::box_future::BoxFuture;
use crate::session::SessionError;
use crate::usage::{DailyUsage, Day, LocalLoad, RemoteLoad, UsageStore, UsageTotals};

impl UsageStore for SqliteStore {
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
            // Usage that cannot be written now is missing from the result; the health report has
            // the error.
            let _ = flushed.await;
            self.query(move |connection, shared| {
                usage_queries::query_usage(connection, shared, &days, owner.as_deref()).map(Ok)
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
        Box::pin(async move { flushed.await.map(|()| Vec::new()) })
    }
}
