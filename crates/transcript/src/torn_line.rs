//! Splits a torn line into the records in it and unreadable rest.
//!
//! An agent that dies while it writes leaves an incomplete record, and the next record is appended
//! to the same line; two agents that write concurrently leave two records on one line.

use std::ops::Range;

use bytes::Bytes;
use interlingua::wire::json::JsonErrorKind;
use interlingua::{JsonDoc, JsonError, JsonLimits};
use memchr::memmem;

/// A range of a line with the white space after it: a whole record, or unreadable bytes.
pub(crate) struct LinePiece {
    pub(crate) range: Range<usize>,
    pub(crate) doc: Result<JsonDoc, JsonError>,
}

/// Splits a line that is not one JSON value. The pieces cover all of it.
pub(crate) fn split_torn_line(
    line: &Bytes,
    error: JsonError,
    limits: JsonLimits,
) -> Vec<LinePiece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < line.len() {
        if let Some((range, doc)) = object_at(line, start, limits) {
            start = range.end;
            pieces.push(LinePiece { range, doc: Ok(doc) });
            continue;
        }
        let next = next_object(line, start, limits);
        let range = start..next.unwrap_or(line.len());
        let error = if start == 0 { error } else { first_error(line, start, limits) };
        start = range.end;
        pieces.push(LinePiece { range, doc: Err(error) });
    }
    pieces
}

/// Reads the object that starts here, if it is complete.
fn object_at(line: &Bytes, start: usize, limits: JsonLimits) -> Option<(Range<usize>, JsonDoc)> {
    line[start..].starts_with(b"{").then_some(())?;
    let mut window = INITIAL_WINDOW_BYTES;
    loop {
        let mut end = line.len().min(start.saturating_add(window));
        let (reaches_end, mut last_end) = (end == line.len(), None);
        while last_end != Some(end) {
            last_end = Some(end);
            match JsonDoc::from_bytes(line.slice(start..end), limits) {
                Ok(doc) => {
                    let trailing_space = line[end..].len() - line[end..].trim_ascii_start().len();
                    return Some((start..end + trailing_space, doc));
                }
                // The object may be complete before the error, with something else after it.
                Err(error) => end = end.min(start + error.offset),
            }
        }
        if reaches_end {
            return None;
        }
        window *= 8;
    }
}

/// Finds the next complete object after unreadable bytes. An object inside an incomplete record
/// does not count: it is followed by more of that record.
fn next_object(line: &Bytes, search_start: usize, limits: JsonLimits) -> Option<usize> {
    let error_offset = search_start + first_error(line, search_start, limits).offset;
    let first = error_offset.saturating_sub(RECORD_START.len()).max(search_start + 1);
    let starts = memmem::find_iter(line.get(first..)?, RECORD_START).map(|offset| first + offset);
    let is_record = |start: &usize| {
        let Some((range, _)) = object_at(line, *start, limits) else { return false };
        let next_byte = line[range.end..].trim_ascii_start().first();
        !next_byte.is_some_and(|byte| b",]}".contains(byte))
    };
    starts.into_iter().find(is_record)
}

/// The first error in these bytes, with its offset.
fn first_error(line: &Bytes, start: usize, limits: JsonLimits) -> JsonError {
    let end_error = JsonError { offset: line.len() - start, kind: JsonErrorKind::UnexpectedEnd };
    let first = JsonDoc::from_bytes(line.slice(start..), limits).err().unwrap_or(end_error);
    // The parser checks UTF-8 of the whole input first: parse again up to that error.
    let utf8_checked =
        JsonDoc::from_bytes(line.slice(start..start + first.offset.min(end_error.offset)), limits);
    utf8_checked.err().filter(|earlier| earlier.offset < first.offset).unwrap_or(first)
}

/// The start of every agent's records.
const RECORD_START: &[u8] = b"{\"";
/// First window for parsing an object: keeps the work linear with many records on one line.
const INITIAL_WINDOW_BYTES: usize = 4096;
