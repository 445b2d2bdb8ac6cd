//! The sections that are plain values.

use super::table::{Item, Table};
use crate::config::{Capture, Guard, Limits, Mode, Timeouts};

pub(super) fn limits(table: &Table<'_>) -> Limits {
    let mut limits = Limits::default();
    let sizes = [
        ("head", &mut limits.head),
        ("body", &mut limits.body),
        ("schema", &mut limits.schema),
        ("arguments", &mut limits.arguments),
        ("event", &mut limits.event),
        ("reply", &mut limits.reply),
        ("buffer", &mut limits.buffer),
    ];
    for (key, place) in sizes {
        table.set(key, place, Item::memory);
    }
    let counts = [
        ("headers", &mut limits.headers, MANY),
        ("depth", &mut limits.depth, interlingua::Limits::DEEPEST),
        ("messages", &mut limits.messages, MANY),
        ("tools", &mut limits.tools, MANY),
        ("schema_depth", &mut limits.schema_depth, MANY),
        ("schema_cost", &mut limits.schema_cost, MANY),
        ("event_lines", &mut limits.event_lines, MANY),
        ("streams", &mut limits.streams, MANY),
        ("connections", &mut limits.connections, MANY),
        ("connections_per_address", &mut limits.connections_per_address, MANY),
    ];
    for (key, place, most) in counts {
        table.set(key, place, |item| item.count(most));
    }
    table.set("failures", &mut limits.failures, |item| item.small(1));
    table.set("failures_per_minute", &mut limits.failures_per_minute, |item| item.small(1));
    table.set("retries", &mut limits.retries, |item| item.small(0));
    table.close();
    limits
}

pub(super) fn timeouts(table: &Table<'_>) -> Timeouts {
    let mut timeouts = Timeouts::default();
    let all = [
        ("head", &mut timeouts.head),
        ("body", &mut timeouts.body),
        ("keep_alive", &mut timeouts.keep_alive),
        ("write", &mut timeouts.write),
        ("heartbeat", &mut timeouts.heartbeat),
        ("drain", &mut timeouts.drain),
        ("connect", &mut timeouts.connect),
        ("answer", &mut timeouts.answer),
        ("silence", &mut timeouts.silence),
    ];
    for (key, place) in all {
        table.set(key, place, Item::duration);
    }
    table.close();
    timeouts
}

pub(super) fn guard(table: &Table<'_>) -> Guard {
    let mut guard = Guard::default();
    table.set("mode", &mut guard.mode, |item| item.word(MODES));
    for (name, _, item) in table.table("tools").items() {
        let Some(tool) = item.table() else { continue };
        let mut mode = guard.mode;
        tool.set("mode", &mut mode, |item| item.word(MODES));
        tool.close();
        guard.tools.push((name.to_owned(), mode));
    }
    table.close();
    guard
}

/// Content is kept by itself only where nobody else's passes.
pub(super) fn capture(table: &Table<'_>, loopback: bool) -> Capture {
    let mut capture = Capture { enabled: loopback, ..Capture::default() };
    table.set("enabled", &mut capture.enabled, Item::flag);
    table.set("stages", &mut capture.stages, Item::flag);
    table.set("keep", &mut capture.keep, Item::duration);
    table.set("size", &mut capture.size, Item::size);
    table.set("redact", &mut capture.redact, Item::flag);
    table.close();
    capture
}

const MANY: usize = 1_000_000_000;

const MODES: &[(&str, Mode)] = &[
    ("off", Mode::Off),
    ("observe", Mode::Observe),
    ("answer", Mode::Answer),
    ("mend", Mode::Mend),
];
