//! Tests lookups during removals.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::{RecordCache, Removal};
use crate::cache_slots::StoredRecord;
use crate::record::{Record, RecordKind};

const NOW: i64 = 1_000;

fn cache() -> RecordCache {
    RecordCache::new(1 << 20, Duration::from_hours(1))
}

fn row(id: i64) -> Arc<StoredRecord> {
    let record = Record {
        kind: RecordKind::VaultEntry,
        owner: "ann".into(),
        keys: vec!["a".into()],
        body: Bytes::from_static(b"x"),
    };
    Arc::new(StoredRecord::new(record, id, NOW))
}

fn removal_of_all(before: i64) -> Removal {
    Removal { owner: None, key: None, before_id: before }
}

#[test]
fn records_being_removed_during_a_query_are_not_found() {
    let record_cache = cache();
    let removal_id = record_cache.begin_removal(removal_of_all(2));
    let lookup = record_cache.lookup("ann", &["a"], NOW);
    let snapshots = record_cache.snapshot("ann", &["a"]);
    let active_removals = record_cache.active_removals();
    // The database was read before the removal.
    record_cache.finish_removal(removal_id);
    assert!(
        record_cache.finish_load("ann", &lookup.misses[0], lookup.load_id, &[row(1)]).is_empty()
    );
    assert!(
        record_cache.merge_rows("ann", &snapshots[0], &[row(1)], NOW, &mut Vec::new()).is_empty()
    );
    let mut rows = [(1, row(1)), (2, row(2))].into();
    record_cache.retain_not_removed(&mut rows, &active_removals);
    assert_eq!(rows.into_keys().collect::<Vec<_>>(), [2]);
}

#[test]
fn rows_read_before_a_removal_are_not_cached() {
    let record_cache = cache();
    let snapshots = record_cache.snapshot("ann", &["a"]);
    let removal_id = record_cache.begin_removal(removal_of_all(2));
    record_cache.finish_removal(removal_id);
    record_cache.merge_rows("ann", &snapshots[0], &[row(1)], NOW, &mut Vec::new());
    let snapshots = record_cache.snapshot("ann", &["a"]);
    assert!(record_cache.fallback_records(&snapshots[0], NOW).is_empty());
    record_cache.merge_rows("ann", &snapshots[0], &[row(3)], NOW, &mut Vec::new());
    assert_eq!(
        record_cache.fallback_records(&record_cache.snapshot("ann", &["a"])[0], NOW).len(),
        1
    );
}

#[test]
fn records_written_during_a_query_are_not_overlooked() {
    let record_cache = cache();
    let changes = record_cache.change_count();
    record_cache.set_known_empty(changes);
    assert!(
        record_cache.is_known_empty() && record_cache.lookup("ann", &["a"], NOW).misses.is_empty()
    );
    let record = row(1);
    let before = record_cache.change_count();
    assert!(record_cache.insert_pending(&record));
    let changes_while_pending = record_cache.change_count();
    record_cache.set_known_empty(before);
    record_cache.set_known_empty(changes_while_pending);
    assert!(!record_cache.is_known_empty(), "it is pending");
    record_cache.mark_written(&record);
    record_cache.set_known_empty(changes_while_pending);
    assert!(!record_cache.is_known_empty(), "it may have been written after the query");
    record_cache.set_known_empty(record_cache.change_count());
    assert!(record_cache.is_known_empty());
    record_cache.invalidate();
    assert!(!record_cache.is_known_empty(), "another process may have written");
}
