//! Buckets and keys, by a clock of the test's own.

use super::*;

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
    let key =
        Key { name: "k".into(), sha256: [0; 32], requests_per_minute: None, concurrent: Some(2) };
    let (quotas, now) = (Quotas::default(), Instant::now());
    let first = quotas.enter(Some(&key), now).ok();
    let second = quotas.enter(Some(&key), now).ok();
    assert!(first.is_some() && second.is_some());
    assert!(quotas.enter(Some(&key), now).is_err());
    drop(first);
    assert!(quotas.enter(Some(&key), now).is_ok());
}
