//! Tests of rate limits and quotas, with explicit times.

use super::*;

fn key() -> ApiKey {
    let (requests_per_minute, concurrent, tokens_per_day) = (None, None, None);
    ApiKey { name: "k".into(), sha256: [0; 32], requests_per_minute, concurrent, tokens_per_day }
}

#[test]
fn a_rate_limiter_allows_a_burst_and_then_a_rate() {
    let start = Instant::now();
    let mut bucket = RateLimiter::default();
    let taken = (0..10).filter(|_| bucket.try_acquire(3, 60, start).is_ok()).count();
    assert_eq!(taken, 3);
    assert_eq!(bucket.try_acquire(3, 60, start), Err(Duration::from_secs(1)));
    assert!(bucket.try_acquire(3, 60, start + Duration::from_secs(1)).is_ok());
    assert!(bucket.try_acquire(3, 60, start + Duration::from_secs(1)).is_err());
    let later = start + Duration::from_mins(5);
    let taken = (0..10).filter(|_| bucket.try_acquire(3, 60, later).is_ok()).count();
    assert_eq!(taken, 3, "unused requests do not accumulate");
}

#[test]
fn the_addresses_of_an_ipv6_network_guess_as_one() {
    let mut config = Config::from_env(&|_| None);
    config.limits.wrong_keys_burst = 2;
    let (quotas, now) = (Quotas::default(), Instant::now());
    let guess = |from: &str| quotas.record_wrong_key(from.parse().unwrap(), &config, now).is_ok();
    let network = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:a::3", "2001:db8:0:1::1"];
    assert_eq!(network.map(guess), [true, true, false, true]);
    assert!(guess("192.0.2.1") && guess("::ffff:192.0.2.1") && !guess("192.0.2.1"));
}

#[test]
fn concurrent_requests_of_a_key_are_limited() {
    let key = ApiKey { concurrent: Some(2), ..key() };
    let (quotas, now) = (Quotas::default(), Instant::now());
    let first = quotas.acquire(&key, now).ok();
    let second = quotas.acquire(&key, now).ok();
    assert!(first.is_some() && second.is_some());
    assert!(quotas.acquire(&key, now).is_err());
    drop(first);
    assert!(quotas.acquire(&key, now).is_ok());
}

#[test]
fn remote_usage_counts_like_local_usage() {
    let key = ApiKey { concurrent: Some(3), requests_per_minute: Some(6), ..key() };
    let (quotas, now) = (Quotas::default(), Instant::now());
    let running: Vec<_> = (0..2).filter_map(|_| quotas.acquire(&key, now).ok()).collect();
    let reported = quotas.take_local_usage(std::iter::once(&key));
    assert_eq!(
        (reported[0].running_requests, reported[0].new_requests, reported[0].is_active),
        (2, 2, true)
    );
    let remote = |running, rate_debt| {
        let rate_debt = Duration::from_secs(rate_debt);
        vec![RemoteLoad { owner: "k".into(), running_requests: running, rate_debt }]
    };
    quotas.apply_remote_usage(&reported, &remote(1, 50), now);
    assert!(quotas.acquire(&key, now).is_err(), "three are running");
    drop(running);
    // All nodes together have sent five of six requests.
    assert!(quotas.acquire(&key, now).is_ok());
    assert!(quotas.acquire(&key, now).is_err());
    let reported = quotas.take_local_usage(std::iter::once(&key));
    assert_eq!((reported[0].running_requests, reported[0].new_requests), (0, 1));
    quotas.restore_local_usage(&reported);
    assert_eq!(
        quotas.take_local_usage(std::iter::once(&key))[0].new_requests,
        1,
        "it is reported again"
    );
    // Reports of other nodes expire.
    quotas.apply_remote_usage(&reported, &remote(3, 0), now);
    assert!(quotas.acquire(&key, now + REMOTE_USAGE_TTL / 2).is_err());
    assert!(quotas.acquire(&key, now + REMOTE_USAGE_TTL).is_ok());
}

#[test]
fn a_token_budget_is_per_day() {
    let key = ApiKey { tokens_per_day: Some(100), ..key() };
    let store = interlingua_store::MemoryStore::default();
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(20_772 * 86_400 + 86_390);
    let totals = interlingua_store::UsageTotals { input: 60, ..Default::default() };
    for is_allowed in [true, true, false] {
        assert_eq!(check_token_budget(&key, &store, now).is_ok(), is_allowed);
        store.add_usage(Day::from_time(now), "k", "p/m", &totals);
    }
    let error = check_token_budget(&key, &store, now).unwrap_err();
    assert_eq!((error.status, error.retry), (429, RetryAdvice::AfterMillis(10_000)));
    let message = error.message.to_string();
    assert!(message.contains("100 tokens a day and has used 180"), "{message}");
    assert!(message.contains("2026-11-16"), "{message}");
    assert!(check_token_budget(&key, &store, now + Duration::from_secs(10)).is_ok());
}
