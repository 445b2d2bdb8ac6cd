//! Tests of the plan: rows of outcomes, and the steps that follow them.

use super::NextStep::{AfterWait, GiveUp, Unchanged, WithLesson};
use super::*;

/// A provider's budget and the lessons that can be found.
struct Supply {
    retries: u32,
    lessons: u32,
}

impl RetrySource for Supply {
    fn withdraw_retry(&mut self) -> bool {
        take_one(&mut self.retries)
    }

    fn find_lesson(&mut self) -> bool {
        take_one(&mut self.lessons)
    }
}

fn take_one(count: &mut u32) -> bool {
    let has_one = *count > 0;
    *count = count.saturating_sub(1);
    has_one
}

const fn failure(kind: ApiErrorKind) -> AttemptFailure {
    AttemptFailure {
        kind,
        advice: RetryAdvice::Yes,
        is_rejection: false,
        is_server_error: false,
        retry_unchanged: false,
    }
}

const DOWN: AttemptOutcome = AttemptOutcome::Failed(failure(ApiErrorKind::ServerError));
const RATE_LIMITED: AttemptOutcome = AttemptOutcome::Failed(failure(ApiErrorKind::RateLimit));
const NO_KEY: AttemptOutcome = AttemptOutcome::Failed(failure(ApiErrorKind::Authentication));
const TOO_LARGE: AttemptOutcome = AttemptOutcome::Failed(failure(ApiErrorKind::RequestTooLarge));
const REJECTED: AttemptOutcome = AttemptOutcome::Failed(AttemptFailure {
    is_rejection: true,
    advice: RetryAdvice::No,
    ..failure(ApiErrorKind::InvalidRequest)
});
const REJECTED_WITH_500: AttemptOutcome = AttemptOutcome::Failed(AttemptFailure {
    is_rejection: true,
    is_server_error: true,
    ..failure(ApiErrorKind::InvalidRequest)
});
const MALFORMED: AttemptOutcome = AttemptOutcome::Failed(AttemptFailure {
    retry_unchanged: true,
    ..failure(ApiErrorKind::ServerError)
});
const FINAL: AttemptOutcome = AttemptOutcome::Failed(AttemptFailure {
    advice: RetryAdvice::No,
    ..failure(ApiErrorKind::ServerError)
});
const CIRCUIT_OPEN: AttemptOutcome = AttemptOutcome::CircuitOpen;
const NOT_CALLED: AttemptOutcome = AttemptOutcome::NotCalled;

const fn down_for(millis: u64) -> AttemptOutcome {
    let advice = RetryAdvice::AfterMillis(millis);
    AttemptOutcome::Failed(AttemptFailure { advice, ..failure(ApiErrorKind::Overloaded) })
}

const fn route(index: usize) -> NextStep {
    NextStep::Route { index, force: false }
}

const fn forced(index: usize) -> NextStep {
    NextStep::Route { index, force: true }
}

const fn after(retries: u32) -> NextStep {
    AfterWait { at_least: Duration::ZERO, retries }
}

/// The steps after these outcomes of attempts on two routes with two retries, of which each takes this
/// long.
fn steps(supply: Supply, outcomes: &[AttemptOutcome], attempt_time: Duration) -> Vec<NextStep> {
    let (mut plan, mut supply) = (RetryPlan::new(2, 2), supply);
    assert_eq!(plan.first(), route(0));
    let mut elapsed = Duration::ZERO;
    let next = |outcome: &AttemptOutcome| {
        elapsed += attempt_time;
        plan.next(*outcome, elapsed, &mut supply)
    };
    outcomes.iter().map(next).collect()
}

/// What is shown, how many retries and lessons there are, the outcomes, and the steps after them.
type Row<'r> = (&'r str, (u32, u32), &'r [AttemptOutcome], &'r [NextStep]);

#[test]
fn every_outcome_has_its_next_step() {
    let rows: &[Row<'_>] = &[
        (
            "errors are retried, then the next route is tried",
            (9, 9),
            &[DOWN; 6],
            &[after(0), after(1), route(1), after(0), after(1), GiveUp],
        ),
        ("without a budget nothing is retried", (0, 9), &[DOWN; 2], &[route(1), GiveUp]),
        ("the budget ends retries", (1, 9), &[DOWN; 3], &[after(0), route(1), GiveUp]),
        ("a final error is not retried", (9, 9), &[FINAL; 2], &[route(1), GiveUp]),
        (
            "a short wait is kept",
            (9, 9),
            &[down_for(3000)],
            &[AfterWait { at_least: Duration::from_secs(3), retries: 0 }],
        ),
        ("a long wait goes to the next route", (9, 9), &[down_for(3001)], &[route(1)]),
        ("a rate limit goes to the next route", (9, 9), &[RATE_LIMITED; 2], &[route(1), GiveUp]),
        ("so does a wrong key", (9, 9), &[NO_KEY; 2], &[route(1), GiveUp]),
        ("no route accepts a request that is too large", (9, 9), &[TOO_LARGE], &[GiveUp]),
        ("a rejection without a lesson goes to the client", (9, 0), &[REJECTED], &[GiveUp]),
        (
            "several lessons are tried, then no more",
            (9, 2),
            &[REJECTED; 3],
            &[WithLesson, WithLesson, GiveUp],
        ),
        (
            "the number of lessons is limited",
            (9, 99),
            &[REJECTED; 6],
            &[WithLesson, WithLesson, WithLesson, WithLesson, WithLesson, GiveUp],
        ),
        (
            "that is for all routes together",
            (9, 99),
            &[REJECTED_WITH_500; 7],
            &[WithLesson, WithLesson, WithLesson, WithLesson, WithLesson, route(1), GiveUp],
        ),
        ("lessons need no budget", (0, 1), &[REJECTED], &[WithLesson]),
        (
            "an error between lessons is retried",
            (9, 9),
            &[REJECTED, DOWN, REJECTED],
            &[WithLesson, after(0), WithLesson],
        ),
        ("another provider may accept it", (9, 0), &[REJECTED_WITH_500; 2], &[route(1), GiveUp]),
        ("a malformed call is repeated once", (9, 9), &[MALFORMED, DOWN], &[Unchanged, after(0)]),
        (
            "once on each route",
            (9, 9),
            &[MALFORMED, NO_KEY, MALFORMED],
            &[Unchanged, route(1), Unchanged],
        ),
        ("repeating it takes budget", (0, 9), &[MALFORMED], &[route(1)]),
        ("rate-limited models are not called", (9, 9), &[NOT_CALLED; 2], &[route(1), GiveUp]),
        (
            "the first open circuit is called last",
            (9, 9),
            &[CIRCUIT_OPEN, CIRCUIT_OPEN, FINAL],
            &[route(1), forced(0), GiveUp],
        ),
        (
            "with retries",
            (9, 9),
            &[NOT_CALLED, CIRCUIT_OPEN, DOWN, CIRCUIT_OPEN],
            &[route(1), forced(1), after(0), GiveUp],
        ),
        ("but not if a route was called", (9, 9), &[CIRCUIT_OPEN, FINAL], &[route(1), GiveUp]),
        (
            "nor one whose circuit opened meanwhile",
            (9, 9),
            &[DOWN, CIRCUIT_OPEN, NOT_CALLED],
            &[after(0), route(1), GiveUp],
        ),
    ];
    for (name, (retries, lessons), outcomes, expected) in rows {
        let supply = Supply { retries: *retries, lessons: *lessons };
        assert_eq!(steps(supply, outcomes, Duration::ZERO), *expected, "{name}");
    }
}

#[test]
fn only_the_first_lesson_has_no_time_limit() {
    let supply = || Supply { retries: 9, lessons: 9 };
    let slow = steps(supply(), &[REJECTED; 2], MAX_LESSON_TIME);
    assert_eq!(slow, [WithLesson, GiveUp]);
    let quick = steps(supply(), &[REJECTED; 4], MAX_LESSON_TIME / 4);
    assert_eq!(quick, [WithLesson, WithLesson, WithLesson, GiveUp]);
}

#[test]
fn a_malformed_call_goes_to_the_client_after_its_repeat() {
    let (mut plan, mut supply) = (RetryPlan::new(2, 2), Supply { retries: 9, lessons: 9 });
    assert!(!plan.accepts_malformed_call());
    plan.next(MALFORMED, Duration::ZERO, &mut supply);
    assert!(plan.accepts_malformed_call());
    plan.next(NO_KEY, Duration::ZERO, &mut supply);
    assert!(!plan.accepts_malformed_call());
}

#[test]
fn without_routes_nothing_is_tried() {
    assert_eq!(RetryPlan::new(0, 2).first(), GiveUp);
}
