//! Decides what follows a failed attempt: another lesson, the same request again, the next route, or the
//! error. It calls nothing and knows no clock, so each of its decisions is a row of its tests.

use std::time::Duration;

use interlingua_model::{ApiErrorKind, RetryAdvice};

/// The attempts of one request so far.
#[derive(Debug)]
pub(crate) struct RetryPlan {
    routes: usize,
    max_retries: u32,
    /// The index of the current route.
    route: usize,
    /// Repeats on this route after errors that may be over soon.
    retries: u32,
    /// The request was sent to this route once more because the model's call was malformed.
    was_repeated: bool,
    /// Attempts with further lessons, on all routes together.
    lessons: u32,
    was_called: bool,
    /// The first route that was not called because its circuit is open.
    open_route: Option<usize>,
    /// That route is called nevertheless: no other one follows.
    is_forced: bool,
}

/// What became of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AttemptOutcome {
    /// The provider was not called: it does not support the request, or the model is rate limited.
    NotCalled,
    CircuitOpen,
    Failed(AttemptFailure),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptFailure {
    pub(crate) kind: ApiErrorKind,
    pub(crate) advice: RetryAdvice,
    /// The provider rejected the request for its shape.
    pub(crate) is_rejection: bool,
    /// It did so with a server error: another provider may accept the request.
    pub(crate) is_server_error: bool,
    /// The model's call was malformed: it may succeed if the request is sent again unchanged.
    pub(crate) retry_unchanged: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextStep {
    /// The first attempt on a route; with `force` although its circuit is open.
    Route { index: usize, force: bool },
    /// Another attempt on the same route, with what [`RetrySource`] has found.
    WithLesson,
    /// The same request on the same route.
    Unchanged,
    /// The same after a wait of at least this time; `retries` is the number of earlier ones.
    AfterWait { at_least: Duration, retries: u32 },
    /// The client gets the error.
    GiveUp,
}

/// What a repeat takes. It is called only if the repeat is the next step.
pub(crate) trait RetrySource {
    /// Takes a repeat from the provider's budget, if it has one left.
    fn withdraw_retry(&mut self) -> bool;
    /// Finds lessons that may avoid the rejection and were not tried yet.
    fn find_lesson(&mut self) -> bool;
}

impl RetryPlan {
    pub(crate) fn new(routes: usize, max_retries: u32) -> Self {
        Self {
            routes,
            max_retries,
            route: 0,
            retries: 0,
            was_repeated: false,
            lessons: 0,
            was_called: false,
            open_route: None,
            is_forced: false,
        }
    }

    pub(crate) fn first(&self) -> NextStep {
        if self.routes == 0 {
            return NextStep::GiveUp;
        }
        NextStep::Route { index: 0, force: false }
    }

    /// Whether a malformed call goes to the client.
    pub(crate) fn accepts_malformed_call(&self) -> bool {
        self.was_repeated
    }

    /// The next step after an attempt; `elapsed` is the time since the first one began.
    pub(crate) fn next(
        &mut self,
        outcome: AttemptOutcome,
        elapsed: Duration,
        source: &mut impl RetrySource,
    ) -> NextStep {
        let failure = match outcome {
            AttemptOutcome::NotCalled => return self.next_route(),
            AttemptOutcome::CircuitOpen => {
                self.open_route = self.open_route.or(Some(self.route));
                return self.next_route();
            }
            AttemptOutcome::Failed(failure) => failure,
        };
        self.was_called = true;
        if failure.retry_unchanged && !self.was_repeated && source.withdraw_retry() {
            self.was_repeated = true;
            return NextStep::Unchanged;
        }
        if failure.is_rejection && self.may_learn(elapsed) && source.find_lesson() {
            self.lessons += 1;
            return NextStep::WithLesson;
        }
        if let Some(at_least) = self.retry_wait(failure)
            && source.withdraw_retry()
        {
            self.retries += 1;
            return NextStep::AfterWait { at_least, retries: self.retries - 1 };
        }
        if is_client_error(failure.kind) && !failure.is_server_error {
            return NextStep::GiveUp;
        }
        self.next_route()
    }

    /// If no route was called because circuits are open, the first of these is called nevertheless:
    /// no other target is left, and the provider may work again.
    pub(crate) fn next_route(&mut self) -> NextStep {
        (self.retries, self.was_repeated) = (0, false);
        if self.is_forced {
            return NextStep::GiveUp;
        }
        self.route += 1;
        if self.route < self.routes {
            return NextStep::Route { index: self.route, force: false };
        }
        match self.open_route.filter(|_| !self.was_called) {
            Some(index) => {
                self.is_forced = true;
                NextStep::Route { index, force: true }
            }
            None => NextStep::GiveUp,
        }
    }

    /// Providers report one error at a time, so a request may need several lessons. A slow provider
    /// gets no more than one.
    fn may_learn(&self, elapsed: Duration) -> bool {
        self.lessons == 0 || (self.lessons < MAX_LESSONS && elapsed < MAX_LESSON_TIME)
    }

    /// The wait that the provider requests before a retry; `None` if there is none.
    fn retry_wait(&self, failure: AttemptFailure) -> Option<Duration> {
        let wait = match failure.advice {
            RetryAdvice::No => return None,
            RetryAdvice::Yes => Duration::ZERO,
            RetryAdvice::AfterMillis(millis) => Duration::from_millis(millis),
        };
        let may_retry = self.retries < self.max_retries && is_transient(failure.kind);
        (may_retry && wait <= MAX_RETRY_WAIT).then_some(wait)
    }
}

/// Errors that may be over soon. Rate limits are excluded: the client itself waits.
pub(crate) fn is_transient(kind: ApiErrorKind) -> bool {
    matches!(kind, ApiErrorKind::ServerError | ApiErrorKind::Overloaded | ApiErrorKind::Timeout)
}

/// Other providers would reject the request too.
pub(crate) fn is_client_error(kind: ApiErrorKind) -> bool {
    matches!(
        kind,
        ApiErrorKind::InvalidRequest
            | ApiErrorKind::RequestTooLarge
            | ApiErrorKind::ContentFiltered
    )
}

/// Longer waits are left to the client.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(3);
/// Attempts of one request with further lessons.
const MAX_LESSONS: u32 = 5;
/// From the first attempt: later rejections go to the client, whose next request continues to learn.
const MAX_LESSON_TIME: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests;
