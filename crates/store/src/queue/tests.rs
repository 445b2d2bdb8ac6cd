//! What is taken together, and what is not waited for.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::{Job, Queue};
use crate::record::{Kind, Record};
use crate::slots::Kept;

const PACE: Duration = Duration::from_secs(5);
const SOON: Duration = Duration::from_secs(2);

fn record() -> Job<()> {
    let (owner, keys) = (String::new(), vec!["k".to_owned()]);
    let record = Record { kind: Kind::Sealed, owner, keys, body: Bytes::from_static(b"x") };
    Job::Write(Arc::new(Kept::new(record, 1, 0)))
}

/// A queue from which one was just taken.
fn in_use() -> Queue<()> {
    let queue = Queue::new(1 << 20);
    queue.put(record());
    let began = Instant::now();
    assert_eq!(queue.take(SOON, PACE).len(), 1);
    assert!(began.elapsed() < SOON, "after silence nothing is gathered");
    queue
}

#[test]
fn what_comes_soon_after_is_gathered() {
    let queue = in_use();
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                queue.put(record());
                thread::sleep(Duration::from_millis(20));
            }
        });
        assert_eq!(queue.take(SOON, Duration::from_millis(400)).len(), 3);
    });
    assert!(began.elapsed() >= Duration::from_millis(300));
}

#[test]
fn who_waits_is_not_kept_waiting() {
    let queue = in_use();
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            queue.put(record());
            thread::sleep(Duration::from_millis(20));
            queue.put(Job::Work(()));
        });
        assert_eq!(queue.take(SOON, PACE).len(), 2);
    });
    assert!(began.elapsed() < PACE);
}

#[test]
fn the_end_is_not_kept_waiting() {
    let queue = in_use();
    queue.put(record());
    queue.close();
    let began = Instant::now();
    assert_eq!(queue.take(SOON, PACE).len(), 1);
    assert!(began.elapsed() < PACE);
}
