//! A line that is not one record: what can be read of it, and what is left over.
//!
//! An agent that dies while it writes leaves the beginning of a record, and the next record is added
//! to the same line; two agents that write at once leave two records on one line.

use std::ops::Range;

use bytes::Bytes;
use interlingua::wire::json::Why;
use interlingua::{Doc, Limits, Malformed};
use memchr::memmem;

/// A stretch of a line, with the space behind it: a whole record, or bytes that are none.
pub(crate) struct Piece {
    pub(crate) range: Range<usize>,
    pub(crate) doc: Result<Doc, Malformed>,
}

/// The pieces of a line that as a whole cannot be read. Together they are all of it.
pub(crate) fn pieces(line: &Bytes, why: Malformed, limits: Limits) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while from < line.len() {
        if let Some((range, doc)) = whole(line, from, limits) {
            from = range.end;
            pieces.push(Piece { range, doc: Ok(doc) });
            continue;
        }
        let next = next(line, from, limits);
        let range = from..next.unwrap_or(line.len());
        let why = if from == 0 { why } else { stumble(line, from, limits) };
        from = range.end;
        pieces.push(Piece { range, doc: Err(why) });
    }
    pieces
}

/// The object that begins here, if it has an end.
fn whole(line: &Bytes, start: usize, limits: Limits) -> Option<(Range<usize>, Doc)> {
    line[start..].starts_with(b"{").then_some(())?;
    let mut window = WINDOW;
    loop {
        let mut end = line.len().min(start.saturating_add(window));
        let (is_all, mut tried) = (end == line.len(), None);
        while tried != Some(end) {
            tried = Some(end);
            match Doc::from_bytes(line.slice(start..end), limits) {
                Ok(doc) => {
                    let space = line[end..].len() - line[end..].trim_ascii_start().len();
                    return Some((start..end + space, doc));
                }
                // Perhaps it is whole up to there, and something else follows.
                Err(malformed) => end = end.min(start + malformed.at),
            }
        }
        if is_all {
            return None;
        }
        window *= 8;
    }
}

/// Where the next whole object begins behind bytes that are none. A value inside a record that was cut
/// off is none: the record can be read past its beginning, or goes on behind it.
fn next(line: &Bytes, from: usize, limits: Limits) -> Option<usize> {
    let stumbled = from + stumble(line, from, limits).at;
    let first = stumbled.saturating_sub(BEGINNING.len()).max(from + 1);
    let starts = memmem::find_iter(line.get(first..)?, BEGINNING).map(|at| first + at);
    let is_record = |start: &usize| {
        let Some((range, _)) = whole(line, *start, limits) else { return false };
        let behind = line[range.end..].trim_ascii_start().first();
        !behind.is_some_and(|byte| b",]}".contains(byte))
    };
    starts.into_iter().find(is_record)
}

/// Where these bytes stop being the beginning of a value, and why.
fn stumble(line: &Bytes, from: usize, limits: Limits) -> Malformed {
    let ended = Malformed { at: line.len() - from, why: Why::Ended };
    let first = Doc::from_bytes(line.slice(from..), limits).err().unwrap_or(ended);
    // Letters are looked at first, all of them.
    let read = Doc::from_bytes(line.slice(from..from + first.at.min(ended.at)), limits);
    read.err().filter(|earlier| earlier.at < first.at).unwrap_or(first)
}

/// How the records of every agent begin.
const BEGINNING: &[u8] = b"{\"";
/// How much is looked at first: of many records on one line, each is read once.
const WINDOW: usize = 4096;
