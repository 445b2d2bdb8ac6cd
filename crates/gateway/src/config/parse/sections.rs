//! Parses the sections of plain values: limits, timeouts, guard, capture.

use super::table::{Item, Table};
use crate::config::{Capture, GuardMode, GuardModes, Limits, Timeouts};

pub(super) fn parse_limits(table: &Table<'_>) -> Limits {
    let mut limits = Limits::default();
    let sizes = [
        ("head", &mut limits.head),
        ("body", &mut limits.body),
        ("in_flight", &mut limits.in_flight),
        ("schema", &mut limits.schema),
        ("arguments", &mut limits.arguments),
        ("event", &mut limits.event),
        ("reply", &mut limits.reply),
        ("buffer", &mut limits.buffer),
    ];
    for (key, target) in sizes {
        table.read_into(key, target, Item::memory_size);
    }
    let counts = [
        ("headers", &mut limits.headers, MAX_COUNT),
        ("depth", &mut limits.depth, interlingua::JsonLimits::MAX_DEPTH),
        ("values", &mut limits.values, MAX_COUNT),
        ("messages", &mut limits.messages, MAX_COUNT),
        ("blocks", &mut limits.blocks, MAX_COUNT),
        ("tools", &mut limits.tools, MAX_COUNT),
        ("schema_depth", &mut limits.schema_depth, MAX_COUNT),
        ("schema_cost", &mut limits.schema_cost, MAX_COUNT),
        ("event_lines", &mut limits.event_lines, MAX_COUNT),
        ("streams", &mut limits.concurrent_requests, MAX_COUNT),
        ("connections", &mut limits.connections, MAX_COUNT),
        ("connections_per_address", &mut limits.connections_per_address, MAX_COUNT),
    ];
    for (key, target, max) in counts {
        table.read_into(key, target, |item| item.count(max));
    }
    table.read_into("failures", &mut limits.wrong_keys_burst, |item| item.u32(1));
    table.read_into("failures_per_minute", &mut limits.wrong_keys_per_minute, |item| item.u32(1));
    table.read_into("retries", &mut limits.retries, |item| item.u32(0));
    table.reject_unknown_keys();
    limits
}

pub(super) fn parse_timeouts(table: &Table<'_>) -> Timeouts {
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
    for (key, target) in all {
        table.read_into(key, target, Item::duration);
    }
    table.reject_unknown_keys();
    timeouts
}

pub(super) fn parse_guard(table: &Table<'_>) -> GuardModes {
    let mut guard = GuardModes::default();
    table.read_into("mode", &mut guard.default, |item| item.one_of(MODES));
    for (name, _, item) in table.table("tools").entries_in_order() {
        let Some(tool) = item.table() else { continue };
        let mut mode = guard.default;
        tool.read_into("mode", &mut mode, |item| item.one_of(MODES));
        tool.reject_unknown_keys();
        guard.per_tool.push((name.to_owned(), mode));
    }
    table.reject_unknown_keys();
    guard
}

/// Capturing is on by default only on loopback, where all traffic is the user's own.
pub(super) fn parse_capture(table: &Table<'_>, loopback: bool) -> Capture {
    let mut capture = Capture { enabled: loopback, ..Capture::default() };
    table.read_into("enabled", &mut capture.enabled, Item::bool);
    table.read_into("stages", &mut capture.stages, Item::bool);
    table.read_into("keep", &mut capture.max_age, Item::duration);
    table.read_into("size", &mut capture.max_bytes, Item::byte_size);
    table.read_into("redact", &mut capture.redact, Item::bool);
    table.reject_unknown_keys();
    capture
}

const MAX_COUNT: usize = 1_000_000_000;

const MODES: &[(&str, GuardMode)] = &[
    ("off", GuardMode::Off),
    ("observe", GuardMode::Observe),
    ("answer", GuardMode::Answer),
    ("mend", GuardMode::Mend),
];
