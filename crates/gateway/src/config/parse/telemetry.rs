//! Parses `[telemetry]`.

use http::{HeaderMap, HeaderName};

use super::http_values::{parse_base_url, parse_header_value};
use super::table::{Section, Table};
use crate::config::telemetry::NO_OTLP_METRICS;
use crate::config::{Env, Telemetry};

/// Defaults come from the `OTEL_…` environment variables.
pub(super) fn parse(section: &Section<'_>, env: Env<'_>) -> Telemetry {
    let (mut telemetry, warnings) = Telemetry::from_env(env);
    if let Some(url) = section.get("endpoint").and_then(|item| parse_base_url(&item)) {
        telemetry.set_endpoint(url);
    } else {
        for warning in warnings {
            section.table.diagnostics.warn_outside_file(warning);
        }
    }
    if let Some(name) = section.get("service").and_then(|item| item.string()) {
        telemetry.set_service_name(name);
    }
    if let Some(headers) = section.get("headers").and_then(|item| item.table()) {
        telemetry.headers = parse_headers(&headers, env);
    }
    let has_traces = section.flag("traces").unwrap_or(true);
    telemetry.traces = telemetry.traces.filter(|_| has_traces);
    for key in ["metrics", "interval"] {
        if let Some(item) = section.get(key) {
            item.warn(&format!("has no effect: {NO_OTLP_METRICS}"));
        }
    }
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
