//! Tests on millions of records: `cargo xtask postgres large`. `INTERLINGUA_TEST_ROWS` sets how many.

use std::time::{Duration, Instant};

use interlingua_store::StoreOptions;

use crate::postgres::TestSchema;
use crate::postgres::cleaning::{assert_exact, cleaning_options, insert_old_records, keep_turns};

/// Cleaning makes turns wait at most twice as long, and is faster than turns are stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes long: cargo xtask postgres large"]
#[expect(clippy::cast_precision_loss, reason = "counts of rows are exact enough")]
async fn cleaning_millions_of_records_does_not_delay_turns() {
    let rows =
        std::env::var("INTERLINGUA_TEST_ROWS").map_or(10_000_000, |rows| rows.parse().unwrap());
    let test_schema = TestSchema::new().await;
    drop(test_schema.open(StoreOptions::default()));
    let start = Instant::now();
    insert_old_records(&test_schema, rows).await;
    println!("{rows} records inserted in {:.0?}", start.elapsed());
    let store = test_schema.open(StoreOptions::default());
    keep_turns(&store, "warm", Duration::from_secs(2)).await;
    let before = keep_turns(&store, "before", Duration::from_secs(20)).await;
    drop(store);
    let store = test_schema.open(cleaning_options());
    // Rows are counted by their own query: the health report is refreshed after cleaning.
    let left = async || {
        let select =
            "SELECT coalesce(sum(records), 0)::bigint FROM interlingua_sums WHERE kind = 1";
        test_schema.admin.query_one(select, &[]).await.unwrap().get::<_, i64>(0)
    };
    let (start, at_start) = (Instant::now(), left().await);
    let mut during = Vec::new();
    let mut seconds = 0;
    // At most five minutes: the rate and the delay show within them.
    while seconds < 300
        && left().await - i64::try_from(during.len()).unwrap() > i64::try_from(rows / 50).unwrap()
    {
        during
            .extend(keep_turns(&store, &format!("during {seconds}"), Duration::from_secs(5)).await);
        seconds += 5;
    }
    let removed = at_start + i64::try_from(during.len()).unwrap() - left().await;
    let rate = removed as f64 / start.elapsed().as_secs_f64();
    during.sort();
    let p99 = |times: &[Duration]| times[times.len() * 99 / 100];
    println!(
        "{removed} removed, {rate:.0} a second; p99 of a turn {:.1?} before, {:.1?} during ({} turns)",
        p99(&before),
        p99(&during),
        during.len()
    );
    assert!(rate >= 1500.0, "{rate} a second");
    // Below a few milliseconds the scheduler decides.
    let allowed = 2 * p99(&before).max(Duration::from_millis(5));
    assert!(p99(&during) <= allowed, "{:?} > {allowed:?}", p99(&during));
    if left().await == i64::try_from(before.len() + during.len()).unwrap() {
        assert_exact(&store, &test_schema).await;
    }
}
