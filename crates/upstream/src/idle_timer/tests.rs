//! Tests of the idle timer.

use std::future::poll_fn;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::IdleTimer;

const LIMIT: Duration = Duration::from_secs(8);

async fn elapsed(idle: &mut IdleTimer) -> Duration {
    poll_fn(|context| idle.poll_elapsed(context)).await
}

/// Whether the timer fires within this time.
async fn elapses_within(idle: &mut IdleTimer, time: Duration) -> bool {
    tokio::time::timeout(time, elapsed(idle)).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn the_timer_fires_after_the_timeout_and_again_after_that() {
    let mut idle = IdleTimer::new(LIMIT);
    for _ in 0..3 {
        let start = Instant::now();
        assert_eq!(elapsed(&mut idle).await, LIMIT);
        assert!(start.elapsed() >= LIMIT && start.elapsed() < LIMIT + Duration::from_millis(10));
    }
}

#[tokio::test(start_paused = true)]
async fn the_timer_does_not_fire_during_activity_nor_late_after_it() {
    // Pauses shorter and longer than the interval between checks.
    for pause in [7, 90, 450, 700, 3000, 7400] {
        let mut idle = IdleTimer::new(LIMIT);
        let pause = Duration::from_millis(pause);
        for _ in 0..50 {
            assert!(!elapses_within(&mut idle, pause).await, "there was activity every {pause:?}");
            idle.record_activity();
        }
        let start = Instant::now();
        elapsed(&mut idle).await;
        let silence = start.elapsed();
        assert!(silence <= LIMIT + Duration::from_millis(10), "{pause:?}: late, {silence:?}");
        assert!(silence + Duration::from_millis(510) >= LIMIT, "{pause:?}: early, {silence:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn activity_counts_while_the_timer_is_not_polled() {
    let mut idle = IdleTimer::new(LIMIT);
    assert!(!elapses_within(&mut idle, LIMIT / 2).await);
    idle.record_activity();
    sleep(LIMIT / 4 * 3).await;
    assert!(!elapses_within(&mut idle, LIMIT / 8).await);
    assert!(elapses_within(&mut idle, LIMIT / 8 + Duration::from_millis(10)).await);
}

#[tokio::test(start_paused = true)]
async fn a_shorter_timeout_counts_from_the_last_activity() {
    let mut idle = IdleTimer::new(LIMIT);
    assert!(!elapses_within(&mut idle, LIMIT / 2).await);
    idle.record_activity();
    idle.set_timeout(LIMIT / 8);
    assert!(!elapses_within(&mut idle, LIMIT / 10).await);
    assert!(elapses_within(&mut idle, LIMIT / 30).await);
}

#[tokio::test(start_paused = true)]
async fn the_idle_period_begins_with_the_first_poll() {
    let mut idle = IdleTimer::new(LIMIT);
    sleep(LIMIT * 2).await;
    idle.record_activity();
    sleep(LIMIT * 2).await;
    assert!(!elapses_within(&mut idle, LIMIT / 2).await);
    assert!(elapses_within(&mut idle, LIMIT / 2 + Duration::from_millis(10)).await);
}
