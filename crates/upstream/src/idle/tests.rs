//! Silence is measured, whatever is heard before it.

use std::future::poll_fn;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::Idle;

const LIMIT: Duration = Duration::from_secs(8);

async fn ring(idle: &mut Idle) -> Duration {
    poll_fn(|context| idle.poll(context)).await
}

/// Whether it rings within this time.
async fn rings_within(idle: &mut Idle, time: Duration) -> bool {
    tokio::time::timeout(time, ring(idle)).await.is_ok()
}

#[tokio::test(start_paused = true)]
async fn silence_rings_when_it_has_lasted_so_long_and_again_after_that() {
    let mut idle = Idle::new(LIMIT);
    for _ in 0..3 {
        let start = Instant::now();
        assert_eq!(ring(&mut idle).await, LIMIT);
        assert!(start.elapsed() >= LIMIT && start.elapsed() < LIMIT + Duration::from_millis(10));
    }
}

#[tokio::test(start_paused = true)]
async fn it_never_rings_while_there_is_something_to_hear_and_never_late_after_it() {
    // Faster and slower than it looks at the clock.
    for pause in [7, 90, 450, 700, 3000, 7400] {
        let mut idle = Idle::new(LIMIT);
        let pause = Duration::from_millis(pause);
        for _ in 0..50 {
            assert!(!rings_within(&mut idle, pause).await, "something came every {pause:?}");
            idle.heard();
        }
        let start = Instant::now();
        ring(&mut idle).await;
        let silence = start.elapsed();
        assert!(silence <= LIMIT + Duration::from_millis(10), "{pause:?}: late, {silence:?}");
        assert!(silence + Duration::from_millis(510) >= LIMIT, "{pause:?}: early, {silence:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_heard_while_nobody_asks_counts() {
    let mut idle = Idle::new(LIMIT);
    assert!(!rings_within(&mut idle, LIMIT / 2).await);
    idle.heard();
    sleep(LIMIT / 4 * 3).await;
    assert!(!rings_within(&mut idle, LIMIT / 8).await);
    assert!(rings_within(&mut idle, LIMIT / 8 + Duration::from_millis(10)).await);
}

#[tokio::test(start_paused = true)]
async fn a_shorter_limit_counts_from_what_was_heard() {
    let mut idle = Idle::new(LIMIT);
    assert!(!rings_within(&mut idle, LIMIT / 2).await);
    idle.heard();
    idle.limit(LIMIT / 8);
    assert!(!rings_within(&mut idle, LIMIT / 10).await);
    assert!(rings_within(&mut idle, LIMIT / 30).await);
}

#[tokio::test(start_paused = true)]
async fn silence_begins_when_it_is_first_waited_for() {
    let mut idle = Idle::new(LIMIT);
    sleep(LIMIT * 2).await;
    idle.heard();
    sleep(LIMIT * 2).await;
    assert!(!rings_within(&mut idle, LIMIT / 2).await);
    assert!(rings_within(&mut idle, LIMIT / 2 + Duration::from_millis(10)).await);
}
