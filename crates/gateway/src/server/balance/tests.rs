//! Tests of the assignment of connections to workers.

use std::time::Duration;

use super::{ConnectionSlot, SOFT_MAX_CONNECTIONS, WorkerPool};

const fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// The number of connections that are closed at `now` if their thread has used `cpu_time` so far.
fn closed_count(slots: &[ConnectionSlot], now: u64, cpu_time: u64) -> usize {
    slots.iter().filter(|slot| slot.should_close_at(ms(now), || ms(cpu_time))).count()
}

#[test]
fn one_worker_gets_all_connections_while_it_has_capacity() {
    let pool = WorkerPool::new(4);
    let slots: Vec<ConnectionSlot> = (0..8).map(|_| pool.assign()).collect();
    assert!(slots.iter().all(|slot| slot.worker() == 0));
    assert_eq!(closed_count(&slots, 1000, 800), 0, "80 % is below the limit");
}

#[test]
fn many_connections_are_spread_evenly() {
    let pool = WorkerPool::new(2);
    let slots: Vec<ConnectionSlot> = (0..6 * SOFT_MAX_CONNECTIONS).map(|_| pool.assign()).collect();
    assert_eq!(slots.iter().filter(|slot| slot.worker() == 1).count(), 3 * SOFT_MAX_CONNECTIONS);
}

#[test]
fn a_closed_connection_frees_its_slot() {
    let pool = WorkerPool::new(2);
    let mut slots: Vec<ConnectionSlot> =
        (0..=SOFT_MAX_CONNECTIONS).map(|_| pool.assign()).collect();
    assert_eq!(slots[SOFT_MAX_CONNECTIONS].worker(), 1);
    slots.remove(0);
    assert_eq!(pool.assign().worker(), 0);
}

#[test]
fn an_overloaded_worker_closes_half_of_its_connections() {
    let pool = WorkerPool::new(2);
    let slots: Vec<ConnectionSlot> = (0..8).map(|_| pool.assign()).collect();
    assert_eq!(closed_count(&slots, 250, 250), 0, "the sample is too short");
    assert_eq!(closed_count(&slots, 1000, 975), 4);
    assert_eq!(closed_count(&slots, 1010, 985), 0, "the other half stays");
    assert_eq!(pool.workers[0].utilization.load(super::Relaxed), 975);
}

#[test]
fn connections_stay_if_no_worker_has_capacity() {
    let pool = WorkerPool::new(2);
    let here: Vec<ConnectionSlot> = (0..SOFT_MAX_CONNECTIONS).map(|_| pool.assign()).collect();
    let there = [pool.assign(), pool.assign()];
    assert_eq!(closed_count(&there, 1000, 999), 1, "the first worker has capacity");
    assert_eq!(closed_count(&here, 1000, 999), 0, "neither worker has capacity");
    assert_eq!(
        closed_count(&here, 4000, 3990),
        SOFT_MAX_CONNECTIONS / 2,
        "the other worker was idle"
    );
}

#[test]
fn a_single_worker_closes_nothing() {
    let slot = WorkerPool::new(1).assign();
    assert!(!slot.should_close());
}

#[cfg(unix)]
#[test]
fn cpu_time_excludes_sleep() {
    let (began, before) = (std::time::Instant::now(), super::thread_cpu_time());
    while began.elapsed() < ms(30) {}
    let worked = super::thread_cpu_time().saturating_sub(before);
    std::thread::sleep(ms(50));
    let with_rest = super::thread_cpu_time().saturating_sub(before);
    assert!(worked > Duration::ZERO && with_rest >= worked, "{worked:?}, {with_rest:?}");
    assert!(with_rest + ms(40) < began.elapsed(), "sleep is not CPU time: {with_rest:?}");
}
