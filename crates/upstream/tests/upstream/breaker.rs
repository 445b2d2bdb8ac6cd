//! A provider that fails again and again is left alone for a while.

use std::time::{Duration, Instant};

use interlingua_upstream::breaker::{Breaker, FIRST_REST, LONGEST_REST, Standing};

const SECOND: Duration = Duration::from_secs(1);

fn fail(breaker: &Breaker, now: Instant) {
    breaker.admit(now).unwrap().failed(now);
}

fn opened(now: Instant) -> Breaker {
    let breaker = Breaker::new();
    for _ in 0..5 {
        fail(&breaker, now);
    }
    assert_eq!(breaker.standing(now), Standing::Open);
    breaker
}

#[test]
fn five_failures_in_a_row_open_it() {
    let (breaker, now) = (Breaker::new(), Instant::now());
    for _ in 0..4 {
        fail(&breaker, now);
    }
    breaker.admit(now).unwrap().succeeded(now);
    for _ in 0..4 {
        fail(&breaker, now);
    }
    assert_eq!(breaker.standing(now), Standing::Closed);
    fail(&breaker, now);
    assert_eq!(breaker.standing(now), Standing::Open);
    assert_eq!(breaker.admit(now + SECOND).unwrap_err() + SECOND, FIRST_REST);
}

#[test]
fn half_of_twenty_within_half_a_minute_open_it() {
    let now = Instant::now();
    let standing = |calls: u32, apart: Duration| {
        let breaker = Breaker::new();
        for call in 0..calls {
            let now = now + apart * call;
            let Ok(pass) = breaker.admit(now) else { return Standing::Open };
            if call % 2 == 0 { pass.succeeded(now) } else { pass.failed(now) }
        }
        breaker.standing(now + apart * calls)
    };
    assert_eq!(standing(19, SECOND), Standing::Closed);
    assert_eq!(standing(20, SECOND), Standing::Open);
    assert_eq!(standing(100, SECOND * 2), Standing::Closed, "fewer than twenty in the time");
}

#[test]
fn one_call_tries_and_all_may_follow() {
    let now = Instant::now();
    let breaker = opened(now);
    let now = now + FIRST_REST;
    assert_eq!(breaker.standing(now), Standing::HalfOpen);
    let trying = breaker.admit(now).unwrap();
    assert!(breaker.admit(now).is_err(), "one tries, the others wait");
    trying.succeeded(now);
    assert_eq!(breaker.standing(now), Standing::Closed);
    fail(&breaker, now);
    assert_eq!(breaker.standing(now), Standing::Closed, "what was before is forgotten");
}

#[test]
fn who_fails_again_rests_longer() {
    let mut now = Instant::now();
    let breaker = opened(now);
    let mut rest = FIRST_REST;
    for _ in 0..10 {
        now += rest;
        fail(&breaker, now);
        rest = (rest * 2).min(LONGEST_REST);
        assert_eq!(breaker.admit(now).unwrap_err(), rest);
    }
    assert_eq!(rest, LONGEST_REST);
    now += rest;
    breaker.admit(now).unwrap().succeeded(now);
    for _ in 0..5 {
        fail(&breaker, now);
    }
    assert_eq!(breaker.admit(now).unwrap_err(), FIRST_REST, "and starts over when it was well");
}

#[test]
fn a_call_that_tries_and_is_given_up_lets_another_try() {
    let now = Instant::now();
    let breaker = opened(now);
    let now = now + FIRST_REST;
    drop(breaker.admit(now).unwrap());
    assert!(breaker.admit(now).is_ok());
}

#[test]
fn calls_from_before_do_not_close_it_or_make_it_rest_longer() {
    let now = Instant::now();
    let breaker = Breaker::new();
    let (late, later) = (breaker.admit(now).unwrap(), breaker.admit(now).unwrap());
    for _ in 0..5 {
        fail(&breaker, now);
    }
    late.failed(now + SECOND);
    later.succeeded(now + SECOND);
    assert_eq!(breaker.admit(now + SECOND).unwrap_err() + SECOND, FIRST_REST);
}

#[test]
fn being_limited_is_no_failure() {
    let (breaker, now) = (Breaker::new(), Instant::now());
    for _ in 0..50 {
        breaker.admit(now).unwrap().limited();
    }
    assert_eq!(breaker.standing(now), Standing::Closed);
    assert!(breaker.admit(now).is_ok());
}
