//! Tests how the queue collects batches.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::{Job, JobQueue};
use crate::cache_slots::StoredRecord;
use crate::record::{Record, RecordKind};

const MIN_INTERVAL: Duration = Duration::from_secs(5);
const MAX_WAIT: Duration = Duration::from_secs(2);

fn record() -> Job<()> {
    let (owner, keys) = (String::new(), vec!["k".to_owned()]);
    let record =
        Record { kind: RecordKind::VaultEntry, owner, keys, body: Bytes::from_static(b"x") };
    Job::Write(Arc::new(StoredRecord::new(record, 1, 0)))
}

/// A queue from which a job was just taken.
fn queue_just_drained() -> JobQueue<()> {
    let queue = JobQueue::new(1 << 20);
    queue.push(record());
    let start = Instant::now();
    assert_eq!(queue.take_batch(MAX_WAIT, MIN_INTERVAL).len(), 1);
    assert!(start.elapsed() < MAX_WAIT, "the first job after a pause is taken immediately");
    queue
}

#[test]
fn jobs_within_the_interval_are_batched() {
    let queue = queue_just_drained();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..3 {
                queue.push(record());
                thread::sleep(Duration::from_millis(20));
            }
        });
        assert_eq!(queue.take_batch(MAX_WAIT, Duration::from_millis(400)).len(), 3);
    });
    assert!(start.elapsed() >= Duration::from_millis(300));
}

#[test]
fn a_waiting_caller_ends_the_interval() {
    let queue = queue_just_drained();
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            queue.push(record());
            thread::sleep(Duration::from_millis(20));
            queue.push(Job::Op(()));
        });
        assert_eq!(queue.take_batch(MAX_WAIT, MIN_INTERVAL).len(), 2);
    });
    assert!(start.elapsed() < MIN_INTERVAL);
}

#[test]
fn closing_ends_the_interval() {
    let queue = queue_just_drained();
    queue.push(record());
    queue.close();
    let start = Instant::now();
    assert_eq!(queue.take_batch(MAX_WAIT, MIN_INTERVAL).len(), 1);
    assert!(start.elapsed() < MIN_INTERVAL);
}
