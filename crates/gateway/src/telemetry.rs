//! Counters for operators.

use std::sync::OnceLock;

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// The metrics of this process. All gateways in one process share them.
pub(crate) fn metrics() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    let made = || {
        let builder = PrometheusBuilder::new();
        let builder = builder.set_buckets(SECONDS).unwrap_or_else(|_| PrometheusBuilder::new());
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        // Somebody else in this process may count already; then only theirs are seen there.
        let _ = metrics::set_global_recorder(recorder);
        for (name, about) in COUNTERS {
            describe_counter!(*name, *about);
        }
        for (name, about) in GAUGES {
            describe_gauge!(*name, *about);
        }
        for (name, about) in HISTOGRAMS {
            describe_histogram!(*name, *about);
        }
        handle
    };
    HANDLE.get_or_init(made).clone()
}

const SECONDS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
];

const COUNTERS: &[(&str, &str)] = &[
    ("interlingua_requests_total", "Turns that are over, by what came of them"),
    ("interlingua_refused_total", "Requests that were refused before anybody was asked, by why"),
    ("interlingua_tokens_total", "Tokens that providers counted, by what they were used for"),
    ("interlingua_upstream_errors_total", "Questions that a provider did not answer, by why"),
    ("interlingua_repairs_total", "Changes of requests and replies, by the rule that made them"),
    ("interlingua_guard_total", "Tool calls that do not fit their tool, and what was done"),
    ("interlingua_lessons_total", "What was learned from refusals, or tried in vain"),
    ("interlingua_store_dropped_total", "Records that were never written: too much waited"),
    ("interlingua_store_damaged_total", "Records and turns whose bytes are not what was written"),
    ("interlingua_telemetry_dropped_total", "Requests that the collector was not told of"),
];

const GAUGES: &[(&str, &str)] = &[
    ("interlingua_store_up", "1 if the store can be read and written, else 0"),
    ("interlingua_store_waiting", "Records that wait to be written"),
    ("interlingua_store_records", "Records that are stored"),
    ("interlingua_store_bytes", "Bytes of the bodies of stored records"),
    ("interlingua_store_foreign", "Records that are sealed with another key"),
];

const HISTOGRAMS: &[(&str, &str)] = &[
    ("interlingua_request_seconds", "From a request to the end of its answer"),
    ("interlingua_first_token_seconds", "From a request to the first that was sent of a stream"),
];
