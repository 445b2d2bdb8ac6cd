//! What can still be read of a broken database: conversations, what was used, and keys. Other records are
//! made again; what people said is not.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Row, params, params_from_iter};

use super::conversations::{insert_session, row};
use crate::account::COLUMNS;
use crate::record::Kind;
use crate::session::{SessionId, SessionRow};

/// Copies conversations from a broken database to a new one, each as far as it can be read, and says how many.
/// What is damaged in them is told when they are read.
pub(super) fn conversations(broken: &Path, into: &mut Connection) -> usize {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(from) = Connection::open_with_flags(broken, flags) else { return 0 };
    let Ok(transaction) = into.transaction() else { return 0 };
    let mut saved = 0;
    // From both ends: what cannot be read may be in the middle.
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
             ORDER BY rowid {order}"
        );
        each(&from, &select, &[], |row| session(&from, &transaction, row, &mut saved));
    }
    sums(&from, &transaction);
    keys(&from, &transaction);
    if transaction.commit().is_ok() { saved } else { 0 }
}

/// What was used.
fn sums(from: &Connection, into: &Connection) {
    let columns = COLUMNS.join(", ");
    let insert = format!(
        "INSERT OR IGNORE INTO usage (day, owner, model, lock, label, {columns}) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    );
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT day, owner, model, lock, label, {columns} FROM usage \
             ORDER BY day {order}, owner {order}, model {order}"
        );
        each(from, &select, &[], |row| {
            copy(into, &insert, row, 5 + COLUMNS.len());
            true
        });
    }
}

/// Keys of clients, and where they are found.
fn keys(from: &Connection, into: &Connection) {
    let insert = "INSERT OR IGNORE INTO records (id, kind, owner, used, size, lock, payload) \
                  VALUES (?, ?, ?, ?, ?, ?, ?)";
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT id, kind, owner, used, size, lock, payload FROM records WHERE kind = {} \
             ORDER BY id {order}",
            Kind::Key.number()
        );
        each(from, &select, &[], |row| {
            copy(into, insert, row, 7);
            true
        });
    }
    let places = format!(
        "SELECT address, record FROM addresses WHERE record IN \
         (SELECT id FROM records WHERE kind = {})",
        Kind::Key.number()
    );
    each(from, &places, &[], |row| {
        copy(into, "INSERT OR IGNORE INTO addresses (address, record) VALUES (?, ?)", row, 2);
        true
    });
}

/// A row as it is; one that does not fit is left.
fn copy(into: &Connection, insert: &str, row: &Row<'_>, columns: usize) {
    let values = (0..columns).map(|nth| row.get::<_, Value>(nth)).collect::<Result<Vec<_>, _>>();
    let Ok(values) = values else { return };
    let _ =
        into.prepare_cached(insert).and_then(|mut insert| insert.execute(params_from_iter(values)));
}

/// Whether to go on.
fn session(from: &Connection, into: &Connection, found: &Row<'_>, saved: &mut usize) -> bool {
    let Ok(session) = row(found) else { return true };
    // Not one that was found from the other end.
    if !insert_session(into, &session).is_ok_and(|inserted| inserted > 0) {
        return true;
    }
    *saved += 1;
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT number, at, state, payload FROM turns WHERE session = ? ORDER BY number {order}"
        );
        let id: &[u8] = &session.id.0;
        each(from, &select, &[&id], |found| turn(into, &session, found));
    }
    true
}

/// Goes on until it is known: the rest was found from the other end.
fn turn(into: &Connection, session: &SessionRow, found: &Row<'_>) -> bool {
    let SessionId(id) = session.id;
    let columns = (found.get(0), found.get(1), found.get(2), found.get(3));
    let (Ok(number), Ok(at), Ok(state), Ok(payload)) = columns else { return true };
    let (number, at, state, payload): (i64, i64, i64, Vec<u8>) = (number, at, state, payload);
    let insert = "INSERT OR IGNORE INTO turns (session, number, at, state, payload) \
                  VALUES (?, ?, ?, ?, ?)";
    let inserted = into
        .prepare_cached(insert)
        .and_then(|mut insert| insert.execute(params![id, number, at, state, payload]));
    inserted.is_ok_and(|inserted| inserted > 0)
}

/// Every row that can be read, until one cannot, or nobody wants more.
fn each(
    from: &Connection,
    select: &str,
    asked: &[&dyn rusqlite::ToSql],
    mut take: impl FnMut(&Row<'_>) -> bool,
) {
    let Ok(mut select) = from.prepare_cached(select) else { return };
    let Ok(mut rows) = select.query(asked) else { return };
    while let Ok(Some(row)) = rows.next() {
        if !take(row) {
            return;
        }
    }
}
