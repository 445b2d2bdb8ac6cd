//! Parses `[telemetry]`.

use http::{HeaderMap, HeaderName};

use super::provider::{parse_base_url, parse_header_value};
use super::table::{Item, Table};
use crate::config::telemetry::NO_OTLP_METRICS;
use crate::config::{Env, Telemetry};

/// Defaults come from the `OTEL_…` environment variables.
pub(super) fn parse(table: &Table<'_>, env: Env<'_>) -> Telemetry {
    let (mut telemetry, warnings) = Telemetry::from_env(env);
    if let Some(url) = table.get("endpoint").and_then(|item| parse_base_url(&item)) {
        telemetry.set_endpoint(url);
    } else {
        for warning in warnings {
            table.diagnostics.warn_outside_file(warning);
        }
    }
    if let Some(name) = table.get("service").and_then(|item| item.string()) {
        telemetry.set_service_name(name);
    }
    if let Some(headers) = table.get("headers").and_then(|item| item.table()) {
        telemetry.headers = parse_headers(&headers, env);
    }
    let mut traces = true;
    table.read_into("traces", &mut traces, Item::bool);
    telemetry.traces = telemetry.traces.filter(|_| traces);
    for key in ["metrics", "interval"] {
        if let Some(item) = table.get(key) {
            item.warn(&format!("has no effect: {NO_OTLP_METRICS}"));
        }
    }
    table.reject_unknown_keys();
    telemetry
}

fn parse_headers(table: &Table<'_>, env: Env<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, at, item) in table.entries_in_order() {
        let Ok(parsed) = name.parse::<HeaderName>() else {
            table.diagnostics.error(at, format!("`{name}` is not a header that can be set"));
            continue;
        };
        if let Some(mut value) = parse_header_value(&item, name, env) {
            value.set_sensitive(true);
            headers.insert(parsed, value);
        }
    }
    headers
}
