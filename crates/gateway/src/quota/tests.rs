//! Buckets and keys, by a clock of the test's own.

use super::*;

fn key() -> Key {
    let (requests_per_minute, concurrent, tokens_per_day) = (None, None, None);
    Key { name: "k".into(), sha256: [0; 32], requests_per_minute, concurrent, tokens_per_day }
}

#[test]
fn a_bucket_gives_a_burst_and_then_a_rate() {
    let start = Instant::now();
    let mut bucket = Bucket::default();
    let taken = (0..10).filter(|_| bucket.take(3, 60, start).is_ok()).count();
    assert_eq!(taken, 3);
    assert_eq!(bucket.take(3, 60, start), Err(Duration::from_secs(1)));
    assert!(bucket.take(3, 60, start + Duration::from_secs(1)).is_ok());
    assert!(bucket.take(3, 60, start + Duration::from_secs(1)).is_err());
    let later = start + Duration::from_mins(5);
    let taken = (0..10).filter(|_| bucket.take(3, 60, later).is_ok()).count();
    assert_eq!(taken, 3, "what was not used is not saved up");
}

#[test]
fn a_key_has_so_many_at_once() {
    let key = Key { concurrent: Some(2), ..key() };
    let (quotas, now) = (Quotas::default(), Instant::now());
    let first = quotas.enter(&key, now).ok();
    let second = quotas.enter(&key, now).ok();
    assert!(first.is_some() && second.is_some());
    assert!(quotas.enter(&key, now).is_err());
    drop(first);
    assert!(quotas.enter(&key, now).is_ok());
}

#[test]
fn what_happens_elsewhere_counts_as_if_it_were_here() {
    let key = Key { concurrent: Some(3), requests_per_minute: Some(6), ..key() };
    let (quotas, now) = (Quotas::default(), Instant::now());
    let running: Vec<_> = (0..2).filter_map(|_| quotas.enter(&key, now).ok()).collect();
    let told = quotas.shares(std::iter::once(&key));
    assert_eq!((told[0].running, told[0].asked, told[0].is_busy), (2, 2, true));
    let elsewhere = |running, ahead| {
        let ahead = Duration::from_secs(ahead);
        vec![Elsewhere { owner: "k".into(), running, ahead }]
    };
    quotas.heard(&told, &elsewhere(1, 50), now);
    assert!(quotas.enter(&key, now).is_err(), "three are running");
    drop(running);
    // Five of six were asked by all together; the sixth may be.
    assert!(quotas.enter(&key, now).is_ok());
    assert!(quotas.enter(&key, now).is_err());
    let told = quotas.shares(std::iter::once(&key));
    assert_eq!((told[0].running, told[0].asked), (0, 1));
    quotas.unheard(&told);
    assert_eq!(quotas.shares(std::iter::once(&key))[0].asked, 1, "it is told again");
    // Who is silent for long does not count.
    quotas.heard(&told, &elsewhere(3, 0), now);
    assert!(quotas.enter(&key, now + SILENT / 2).is_err());
    assert!(quotas.enter(&key, now + SILENT).is_ok());
}

#[test]
fn a_budget_is_of_a_day() {
    let key = Key { tokens_per_day: Some(100), ..key() };
    let store = interlingua_store::Memory::default();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(20_772 * 86_400 + 86_390);
    let sums = interlingua_store::Sums { input: 60, ..Default::default() };
    for fine in [true, true, false] {
        assert_eq!(affords(&key, &store, now).is_ok(), fine);
        store.add(Day::of(now), "k", "p/m", &sums);
    }
    let refused = affords(&key, &store, now).unwrap_err();
    assert_eq!((refused.status, refused.retry), (429, Retry::AfterMillis(10_000)));
    let words = refused.message.to_string();
    assert!(words.contains("100 tokens a day and has used 180"), "{words}");
    assert!(words.contains("2026-11-16"), "{words}");
    assert!(affords(&key, &store, now + Duration::from_secs(10)).is_ok());
}
