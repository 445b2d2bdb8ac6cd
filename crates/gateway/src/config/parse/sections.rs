//! Reads the sections of plain values: limits, timeouts, repair, guard, capture.

use interlingua_providers::RuleSet;
use interlingua_repair::all_rules;

use super::table::{Item, Section, read_defaults};
use crate::config::schema::{GUARD_MODES, LESSON_MODES, REPAIR_MODES};
use crate::config::{Capture, GuardMode, GuardModes, LessonMode, Limits, RepairSettings, Timeouts};

impl Limits {
    pub(super) fn read(section: &Section<'_>) -> Self {
        Self {
            head: section.number("head"),
            headers: section.number("headers"),
            body: section.number("body"),
            in_flight: section.number("in_flight"),
            depth: section.number("depth"),
            values: section.number("values"),
            messages: section.number("messages"),
            blocks: section.number("blocks"),
            tools: section.number("tools"),
            schema: section.number("schema"),
            schema_depth: section.number("schema_depth"),
            schema_cost: section.number("schema_cost"),
            arguments: section.number("arguments"),
            event: section.number("event"),
            event_lines: section.number("event_lines"),
            reply: section.number("reply"),
            buffer: section.number("buffer"),
            concurrent_requests: section.number("streams"),
            connections: section.number("connections"),
            connections_per_address: section.number("connections_per_address"),
            wrong_keys_burst: section.number("failures"),
            wrong_keys_per_minute: section.number("failures_per_minute"),
            retries: section.number("retries"),
        }
    }
}

impl Timeouts {
    pub(super) fn read(section: &Section<'_>) -> Self {
        Self {
            head: section.duration("head"),
            body: section.duration("body"),
            keep_alive: section.duration("keep_alive"),
            write: section.duration("write"),
            heartbeat: section.duration("heartbeat"),
            drain: section.duration("drain"),
            connect: section.duration("connect"),
            answer: section.duration("answer"),
            silence: section.duration("silence"),
        }
    }
}

impl Capture {
    /// Capturing is on by default only on loopback, where all traffic is the user's own.
    pub(super) fn read(section: &Section<'_>, is_loopback: bool) -> Self {
        Self {
            enabled: section.flag("enabled").unwrap_or(is_loopback),
            stages: section.flag("stages").unwrap_or_default(),
            max_age: section.duration("keep"),
            max_bytes: section.number("size"),
            redact: section.flag("redact").unwrap_or_default(),
        }
    }
}

pub(super) fn read_guard(section: &Section<'_>) -> GuardModes {
    let default = read_mode(section).unwrap_or_default();
    let tool_mode = |(name, _, item): (&str, usize, Item<'_>)| {
        let mode = read_mode(&item.section()?).unwrap_or(default);
        Some((name.to_owned(), mode))
    };
    let tools = section.table("tools").entries_in_order();
    GuardModes { default, per_tool: tools.into_iter().filter_map(tool_mode).collect() }
}

/// One `repair` table.
pub(super) fn read_repair(section: &Section<'_>) -> RepairSettings {
    let mode = section.word("mode");
    let mode = mode.and_then(|name| REPAIR_MODES.into_iter().find(|mode| mode.name() == name));
    let mut disabled_rules = RuleSet::default();
    for (name, item) in section.get("off").and_then(|item| item.strings()).unwrap_or_default() {
        if let Some(rule) = all_rules().position(|rule| rule.name == name) {
            disabled_rules.insert(rule);
        } else {
            let message = format!("there is no repair rule `{name}`");
            let known = all_rules().map(|rule| rule.name);
            item.diagnostics.error_with_suggestion(item.offset, &message, name, known);
        }
    }
    RepairSettings { mode, disabled_rules }
}

pub(super) fn read_lessons(section: &Section<'_>) -> LessonMode {
    let mode = section.word("mode");
    let mode = mode.and_then(|name| LESSON_MODES.into_iter().find(|mode| mode.name() == name));
    mode.unwrap_or_default()
}

fn read_mode(section: &Section<'_>) -> Option<GuardMode> {
    let name = section.word("mode")?;
    GUARD_MODES.into_iter().find(|mode| mode.name() == name)
}

impl Default for Limits {
    fn default() -> Self {
        read_defaults("limits", Self::read)
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        read_defaults("timeouts", Self::read)
    }
}

impl Default for Capture {
    fn default() -> Self {
        read_defaults("capture", |section| Self::read(section, true))
    }
}
