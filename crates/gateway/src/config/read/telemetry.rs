//! `[telemetry]`: who is told what happens.

use http::{HeaderMap, HeaderName};

use super::provider::{base, sent};
use super::table::{Item, Table};
use crate::config::{Env, Telemetry};

/// What the file does not say, the variables of OpenTelemetry do.
pub(super) fn read(table: &Table<'_>, env: Env<'_>) -> Telemetry {
    let (mut telemetry, doubts) = Telemetry::read(env);
    if let Some(url) = table.item("endpoint").and_then(|item| base(&item)) {
        telemetry.send_to(&url);
    } else {
        for doubt in doubts {
            table.report.note(doubt);
        }
    }
    if let Some(name) = table.item("service").and_then(|item| item.string()) {
        telemetry.call(name);
    }
    table.set("interval", &mut telemetry.interval, Item::duration);
    if let Some(headers) = table.item("headers").and_then(|item| item.table()) {
        telemetry.headers = sent_along(&headers, env);
    }
    let (mut traces, mut metrics) = (true, true);
    table.set("traces", &mut traces, Item::flag);
    table.set("metrics", &mut metrics, Item::flag);
    telemetry.traces = telemetry.traces.filter(|_| traces);
    telemetry.metrics = telemetry.metrics.filter(|_| metrics);
    table.close();
    telemetry
}

fn sent_along(table: &Table<'_>, env: Env<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, at, item) in table.items() {
        let Ok(parsed) = name.parse::<HeaderName>() else {
            table.report.mistake(at, format!("`{name}` is no header that can be set"));
            continue;
        };
        if let Some(value) = sent(&item, name, env) {
            headers.insert(parsed, value);
        }
    }
    headers
}
