//! What a shelf finds while records are being removed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use super::{Removal, Shelf};
use crate::record::{Kind, Record};
use crate::slots::Kept;

const NOW: i64 = 1_000;

fn shelf() -> Shelf {
    Shelf::new(1 << 20, Duration::from_hours(1))
}

/// As a database has it.
fn row(id: i64) -> Arc<Kept> {
    let record = Record {
        kind: Kind::Sealed,
        owner: "ann".into(),
        keys: vec!["a".into()],
        body: Bytes::from_static(b"x"),
    };
    Arc::new(Kept::new(record, id, NOW))
}

fn everything(before: i64) -> Removal {
    Removal { owner: None, key: None, before }
}

#[test]
fn what_was_being_removed_when_it_was_asked_for_is_not_found() {
    let shelf = shelf();
    let number = shelf.remove(everything(2));
    let look = shelf.look("ann", &["a"], NOW);
    let recalled = shelf.recall("ann", &["a"]);
    let going = shelf.going();
    // The database has read, and then removed.
    shelf.removed(number);
    assert!(shelf.fill("ann", &look.missing[0], look.load, &[row(1)]).is_empty());
    assert!(shelf.renew("ann", &recalled[0], &[row(1)], NOW, &mut Vec::new()).is_empty());
    let mut rows = [(1, row(1)), (2, row(2))].into();
    shelf.remaining(&mut rows, &going);
    assert_eq!(rows.into_keys().collect::<Vec<_>>(), [2]);
}

#[test]
fn what_was_read_before_a_removal_is_not_remembered() {
    let shelf = shelf();
    let recalled = shelf.recall("ann", &["a"]);
    let number = shelf.remove(everything(2));
    shelf.removed(number);
    shelf.renew("ann", &recalled[0], &[row(1)], NOW, &mut Vec::new());
    let recalled = shelf.recall("ann", &["a"]);
    assert!(shelf.remembered(&recalled[0], NOW).is_empty());
    shelf.renew("ann", &recalled[0], &[row(3)], NOW, &mut Vec::new());
    assert_eq!(shelf.remembered(&shelf.recall("ann", &["a"])[0], NOW).len(), 1);
}

#[test]
fn what_is_written_while_the_database_is_asked_is_not_overlooked() {
    let shelf = shelf();
    let changes = shelf.changes();
    shelf.found_bare(changes);
    assert!(shelf.is_bare() && shelf.look("ann", &["a"], NOW).missing.is_empty());
    let kept = row(1);
    let before = shelf.changes();
    assert!(shelf.keep(&kept));
    let waiting = shelf.changes();
    shelf.found_bare(before);
    shelf.found_bare(waiting);
    assert!(!shelf.is_bare(), "it waits");
    shelf.settle(&kept);
    shelf.found_bare(waiting);
    assert!(!shelf.is_bare(), "it may have been written after the database was asked");
    shelf.found_bare(shelf.changes());
    assert!(shelf.is_bare());
    shelf.forget();
    assert!(!shelf.is_bare(), "somebody else may have written");
}
