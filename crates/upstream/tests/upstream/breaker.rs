//! Tests of the circuit breaker.

use std::time::{Duration, Instant};

use interlingua_upstream::breaker::{
    Breaker, CallSource, CircuitState, INITIAL_OPEN_DURATION, MAX_CONSECUTIVE_FAILURES,
    MAX_OPEN_DURATION,
};

const SECOND: Duration = Duration::from_secs(1);

fn fail(breaker: &Breaker, now: Instant) {
    breaker.admit(now).unwrap().record_failure(now);
}

/// An error response to a conversation of a key; key 0 is a caller without one.
fn fail_with_response(breaker: &Breaker, now: Instant, key: u64, conversation: u64) {
    let source = CallSource { key: (key > 0).then_some(key), conversation };
    breaker.admit(now).unwrap().record_error_response(now, source);
}

fn open_breaker(now: Instant) -> Breaker {
    let breaker = Breaker::new();
    for _ in 0..5 {
        fail(&breaker, now);
    }
    assert_eq!(breaker.circuit_state(now), CircuitState::Open);
    breaker
}

#[test]
fn five_failures_in_a_row_open_it() {
    let (breaker, now) = (Breaker::new(), Instant::now());
    for _ in 0..4 {
        fail(&breaker, now);
    }
    breaker.admit(now).unwrap().record_success(now);
    for _ in 0..4 {
        fail(&breaker, now);
    }
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
    fail(&breaker, now);
    assert_eq!(breaker.circuit_state(now), CircuitState::Open);
    assert_eq!(breaker.admit(now + SECOND).unwrap_err() + SECOND, INITIAL_OPEN_DURATION);
}

#[test]
fn half_of_twenty_within_half_a_minute_open_it() {
    let now = Instant::now();
    let standing = |calls: u32, apart: Duration| {
        let breaker = Breaker::new();
        for call in 0..calls {
            let now = now + apart * call;
            let Ok(call_permit) = breaker.admit(now) else { return CircuitState::Open };
            if call % 2 == 0 {
                call_permit.record_success(now);
            } else {
                call_permit.record_failure(now);
            }
        }
        breaker.circuit_state(now + apart * calls)
    };
    assert_eq!(standing(19, SECOND), CircuitState::Closed);
    assert_eq!(standing(20, SECOND), CircuitState::Open);
    assert_eq!(standing(100, SECOND * 2), CircuitState::Closed, "fewer than twenty in the time");
}

#[test]
fn one_probe_closes_it_for_all() {
    let now = Instant::now();
    let breaker = open_breaker(now);
    let now = now + INITIAL_OPEN_DURATION;
    assert_eq!(breaker.circuit_state(now), CircuitState::HalfOpen);
    let trying = breaker.admit(now).unwrap();
    assert!(breaker.admit(now).is_err(), "one tries, the others wait");
    trying.record_success(now);
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
    fail(&breaker, now);
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed, "what was before is forgotten");
}

#[test]
fn a_failed_probe_doubles_the_open_duration() {
    let mut now = Instant::now();
    let breaker = open_breaker(now);
    let mut rest = INITIAL_OPEN_DURATION;
    for _ in 0..10 {
        now += rest;
        fail(&breaker, now);
        rest = (rest * 2).min(MAX_OPEN_DURATION);
        assert_eq!(breaker.admit(now).unwrap_err(), rest);
    }
    assert_eq!(rest, MAX_OPEN_DURATION);
    now += rest;
    breaker.admit(now).unwrap().record_success(now);
    for _ in 0..5 {
        fail(&breaker, now);
    }
    assert_eq!(
        breaker.admit(now).unwrap_err(),
        INITIAL_OPEN_DURATION,
        "and starts over when it was well"
    );
}

#[test]
fn a_dropped_probe_lets_another_call_probe() {
    let now = Instant::now();
    let breaker = open_breaker(now);
    let now = now + INITIAL_OPEN_DURATION;
    drop(breaker.admit(now).unwrap());
    assert!(breaker.admit(now).is_ok());
}

#[test]
fn earlier_calls_neither_close_it_nor_extend_it() {
    let now = Instant::now();
    let breaker = Breaker::new();
    let (late, later) = (breaker.admit(now).unwrap(), breaker.admit(now).unwrap());
    for _ in 0..5 {
        fail(&breaker, now);
    }
    late.record_failure(now + SECOND);
    later.record_success(now + SECOND);
    assert_eq!(breaker.admit(now + SECOND).unwrap_err() + SECOND, INITIAL_OPEN_DURATION);
}

#[test]
fn a_rate_limit_is_no_failure() {
    let (breaker, now) = (Breaker::new(), Instant::now());
    for _ in 0..50 {
        breaker.admit(now).unwrap().record_rate_limited();
    }
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
    assert!(breaker.admit(now).is_ok());
}

#[test]
fn error_responses_to_one_conversation_never_open_it() {
    let (breaker, mut now) = (Breaker::new(), Instant::now());
    for call in 0..500 {
        fail_with_response(&breaker, now, call % 5, 7);
        now += SECOND / 10;
    }
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
}

#[test]
fn error_responses_to_one_key_never_open_it() {
    let (breaker, mut now) = (Breaker::new(), Instant::now());
    for conversation in 0..500 {
        fail_with_response(&breaker, now, 1, conversation);
        now += SECOND / 10;
    }
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
}

#[test]
fn error_responses_to_many_conversations_open_it() {
    let now = Instant::now();
    for keys in [[0, 0], [1, 2]] {
        let breaker = Breaker::new();
        for conversation in 1..5 {
            fail_with_response(&breaker, now, keys[0], conversation);
        }
        assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
        fail_with_response(&breaker, now, keys[1], 5);
        assert_eq!(breaker.circuit_state(now), CircuitState::Open, "{keys:?}");
    }
}

#[test]
fn a_failing_conversation_among_others_does_not_open_it() {
    let (breaker, mut now) = (Breaker::new(), Instant::now());
    for call in 0..200 {
        if call % 10 == 0 {
            breaker.admit(now).unwrap().record_success(now);
        } else {
            fail_with_response(&breaker, now, 0, 7);
        }
        now += SECOND / 10;
    }
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
}

#[test]
fn an_error_response_to_one_probe_keeps_it_half_open() {
    let now = Instant::now();
    let breaker = open_breaker(now);
    let now = now + INITIAL_OPEN_DURATION;
    for _ in 0..20 {
        fail_with_response(&breaker, now, 0, 7);
        assert_eq!(breaker.circuit_state(now), CircuitState::HalfOpen);
    }
    for conversation in 0..u64::from(MAX_CONSECUTIVE_FAILURES) - 1 {
        fail_with_response(&breaker, now, 0, conversation);
    }
    assert_eq!(breaker.admit(now).unwrap_err(), INITIAL_OPEN_DURATION * 2);
}

#[test]
fn a_forced_call_closes_it_by_success_only() {
    let now = Instant::now();
    let breaker = open_breaker(now);
    breaker.admit_always(now).record_failure(now);
    assert_eq!(breaker.admit(now).unwrap_err(), INITIAL_OPEN_DURATION);
    breaker.admit_always(now).record_success(now);
    assert_eq!(breaker.circuit_state(now), CircuitState::Closed);
}
