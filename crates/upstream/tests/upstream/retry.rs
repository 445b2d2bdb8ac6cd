//! Tests of `retry-after`, backoff and retry budget.

use std::time::{Duration, Instant, SystemTime};

use http::{HeaderMap, HeaderName, HeaderValue};
use interlingua_upstream::retry::{
    Backoff, MAX_RETRY_AFTER, RetryBudget, random_u64, retry_after_at,
};

fn parse_retry_after(pairs: &[(&'static str, &str)]) -> Option<Duration> {
    let header = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
    };
    let headers: HeaderMap = pairs.iter().map(header).collect();
    retry_after_at(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777))
}

#[test]
fn retry_after_is_parsed() {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(parse_retry_after(&[]), None);
    assert_eq!(parse_retry_after(&[("retry-after", "7")]), seconds(7));
    assert_eq!(parse_retry_after(&[("retry-after", " 0 ")]), seconds(0));
    assert_eq!(parse_retry_after(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
    assert_eq!(parse_retry_after(&[("retry-after-ms", "250")]), Some(Duration::from_millis(250)));
    let both = [("retry-after", "9"), ("retry-after-ms", "250")];
    assert_eq!(parse_retry_after(&both), Some(Duration::from_millis(250)), "the finer one counts");
    let unread = [("retry-after", "9"), ("retry-after-ms", "soon")];
    assert_eq!(parse_retry_after(&unread), seconds(9));
    assert_eq!(parse_retry_after(&[("retry-after", "Sun, 06 Nov 1994 08:49:57 GMT")]), seconds(20));
    assert_eq!(
        parse_retry_after(&[("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")]),
        seconds(0),
        "passed"
    );
}

#[test]
fn absurd_waits_are_limited() {
    for absurd in ["99999999999", "1e300", "inf", "Sat, 06 Nov 2094 08:49:37 GMT"] {
        assert_eq!(
            parse_retry_after(&[("retry-after", absurd)]),
            Some(MAX_RETRY_AFTER),
            "{absurd}"
        );
    }
    for unread in ["-1", "NaN", "soon", ""] {
        assert_eq!(parse_retry_after(&[("retry-after", unread)]), None, "{unread}");
    }
}

#[test]
fn waits_grow_with_jitter() {
    let backoff = Backoff::default();
    let longest = |attempt| (0..10_000_000).step_by(997).map(|c| backoff.delay(attempt, c)).max();
    let near = |attempt, limit: Duration| {
        let longest = longest(attempt).unwrap();
        assert!(longest <= limit && longest > limit * 9 / 10, "{attempt}: {longest:?}");
    };
    near(0, backoff.initial);
    near(1, backoff.initial * 2);
    near(2, backoff.initial * 4);
    near(60, backoff.max);
    assert_eq!(backoff.delay(3, 0), Duration::ZERO);
    assert_ne!(random_u64(), random_u64());
}

#[test]
fn a_tenth_of_the_requests_may_be_retries() {
    let budget = RetryBudget::default();
    let now = Instant::now();
    let spent = |now| (0..1000).filter(|_| budget.withdraw(now)).count();
    assert_eq!(spent(now), 10, "the reserve");
    for _ in 0..1000 {
        budget.deposit();
    }
    assert_eq!(spent(now), 100, "a tenth");
    assert_eq!(spent(now + Duration::from_secs(4)), 0);
    assert_eq!(spent(now + Duration::from_secs(11)), 2, "the reserve comes back with time");
    assert_eq!(spent(now + Duration::from_secs(9999)), 10, "and not more than it was");
    for _ in 0..100_000 {
        budget.deposit();
    }
    assert_eq!(spent(now), 100, "a long peace does not pay for a storm");
}
