//! Copies sessions with the replies beside them, usage and API keys from a damaged database to a new
//! one. Other records are not copied: they are created again in use.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, Row, params, params_from_iter};

use super::file;
use super::session_queries::{insert_session, parse_row};
use crate::record::RecordKind;
use crate::session::{SessionId, SessionRow};
use crate::usage::USAGE_COLUMNS;

/// Copies everything that is readable, and returns the number of sessions. Damaged turns of a
/// copied session are reported when it is read.
pub(super) fn salvage(damaged: &Path, into: &mut Connection) -> usize {
    file::make_journal_readable(damaged);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let Ok(from) = Connection::open_with_flags(damaged, flags) else { return 0 };
    let Ok(transaction) = into.transaction() else { return 0 };
    let mut sessions = 0;
    // In both directions: an unreadable page in the middle ends a scan.
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT id, owner, created, updated, turns, bytes, lock, about, model FROM sessions \
             ORDER BY rowid {order}"
        );
        for_each_row(&from, &select, &[], |row| {
            copy_session(&from, &transaction, row, &mut sessions)
        });
    }
    copy_usage(&from, &transaction);
    copy_records(&from, &transaction);
    if transaction.commit().is_ok() { sessions } else { 0 }
}

fn copy_usage(from: &Connection, into: &Connection) {
    let columns = USAGE_COLUMNS.join(", ");
    let insert = format!(
        "INSERT OR IGNORE INTO usage (day, owner, model, lock, label, {columns}) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    );
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT day, owner, model, lock, label, {columns} FROM usage \
             ORDER BY day {order}, owner {order}, model {order}"
        );
        for_each_row(from, &select, &[], |row| {
            copy_row(into, &insert, row, 5 + USAGE_COLUMNS.len());
            true
        });
    }
}

/// Copies keys and replies beside sessions, and their index values.
fn copy_records(from: &Connection, into: &Connection) {
    let insert = "INSERT OR IGNORE INTO records (id, kind, owner, used, size, lock, payload) \
                  VALUES (?, ?, ?, ?, ?, ?, ?)";
    let kinds = [RecordKind::ApiKey, RecordKind::DivergedReply, RecordKind::SharedKey];
    let kinds = kinds.map(|kind| kind.db_code().to_string()).join(", ");
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT id, kind, owner, used, size, lock, payload FROM records \
             WHERE kind IN ({kinds}) ORDER BY id {order}"
        );
        for_each_row(from, &select, &[], |row| {
            copy_row(into, insert, row, 7);
            true
        });
    }
    let select_addresses = format!(
        "SELECT address, record FROM addresses WHERE record IN \
         (SELECT id FROM records WHERE kind IN ({kinds}))"
    );
    for_each_row(from, &select_addresses, &[], |row| {
        copy_row(into, "INSERT OR IGNORE INTO addresses (address, record) VALUES (?, ?)", row, 2);
        true
    });
}

/// Copies a row unchanged; errors are ignored.
fn copy_row(into: &Connection, insert: &str, row: &Row<'_>, columns: usize) {
    let values = (0..columns).map(|nth| row.get::<_, Value>(nth)).collect::<Result<Vec<_>, _>>();
    let Ok(values) = values else { return };
    let _ =
        into.prepare_cached(insert).and_then(|mut insert| insert.execute(params_from_iter(values)));
}

/// Copies a session and its turns; returns whether to continue the scan.
fn copy_session(from: &Connection, into: &Connection, row: &Row<'_>, sessions: &mut usize) -> bool {
    let Ok(session) = parse_row(row) else { return true };
    // Copied already in the other direction.
    if !insert_session(into, &session).is_ok_and(|inserted| inserted > 0) {
        return true;
    }
    *sessions += 1;
    for order in ["ASC", "DESC"] {
        let select = format!(
            "SELECT number, at, state, payload FROM turns WHERE session = ? ORDER BY number {order}"
        );
        let id: &[u8] = &session.id.0;
        for_each_row(from, &select, &[&id], |row| copy_turn(into, &session, row));
    }
    true
}

/// Returns false at a turn that was copied already: the rest was copied in the other direction.
fn copy_turn(into: &Connection, session: &SessionRow, row: &Row<'_>) -> bool {
    let SessionId(id) = session.id;
    let columns = (row.get(0), row.get(1), row.get(2), row.get(3));
    let (Ok(number), Ok(written_at), Ok(state), Ok(payload)) = columns else { return true };
    let (number, written_at, state, payload): (i64, i64, i64, Vec<u8>) =
        (number, written_at, state, payload);
    let insert = "INSERT OR IGNORE INTO turns (session, number, at, state, payload) \
                  VALUES (?, ?, ?, ?, ?)";
    let inserted = into
        .prepare_cached(insert)
        .and_then(|mut insert| insert.execute(params![id, number, written_at, state, payload]));
    inserted.is_ok_and(|inserted| inserted > 0)
}

/// Visits rows until one cannot be read or `visit` returns false.
fn for_each_row(
    from: &Connection,
    select: &str,
    params: &[&dyn rusqlite::ToSql],
    mut visit: impl FnMut(&Row<'_>) -> bool,
) {
    let Ok(mut select) = from.prepare_cached(select) else { return };
    let Ok(mut rows) = select.query(params) else { return };
    while let Ok(Some(row)) = rows.next() {
        if !visit(row) {
            return;
        }
    }
}
