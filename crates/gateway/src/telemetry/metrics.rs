//! Registers and describes the Prometheus metrics.

use std::sync::OnceLock;

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// The metrics handle of this process; all gateways in one process share it.
pub(crate) fn prometheus_handle() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    let install = || {
        let builder = PrometheusBuilder::new();
        let builder =
            builder.set_buckets(DURATION_BUCKETS).unwrap_or_else(|_| PrometheusBuilder::new());
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        // The embedding program may have installed a recorder; then the metrics go there.
        let _ = metrics::set_global_recorder(recorder);
        for (name, description) in COUNTERS {
            describe_counter!(*name, *description);
        }
        for (name, description) in GAUGES {
            describe_gauge!(*name, *description);
        }
        for (name, description) in HISTOGRAMS {
            describe_histogram!(*name, *description);
        }
        handle
    };
    HANDLE.get_or_init(install).clone()
}

const DURATION_BUCKETS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
];

const COUNTERS: &[(&str, &str)] = &[
    ("interlingua_requests_total", "Finished turns, by outcome"),
    ("interlingua_refused_total", "Requests rejected before a provider was called, by reason"),
    ("interlingua_tokens_total", "Tokens counted by providers, by kind"),
    ("interlingua_upstream_errors_total", "Failed provider calls, by error kind"),
    ("interlingua_repairs_total", "Repairs of requests and replies, by rule"),
    ("interlingua_guard_total", "Tool calls that do not match their schema, by kind and action"),
    ("interlingua_lessons_total", "Lessons learned from rejections, or tried without success"),
    ("interlingua_store_dropped_total", "Records dropped because the write queue was full"),
    ("interlingua_store_damaged_total", "Damaged records and turns"),
    ("interlingua_telemetry_dropped_total", "Requests not exported to the collector"),
];

const GAUGES: &[(&str, &str)] = &[
    ("interlingua_store_up", "1 if the store can be read and written, else 0"),
    ("interlingua_store_waiting", "Records in the write queue"),
    ("interlingua_store_records", "Stored records"),
    ("interlingua_store_bytes", "Bytes of the bodies of stored records"),
    ("interlingua_store_foreign", "Records encrypted with another key"),
];

const HISTOGRAMS: &[(&str, &str)] = &[
    ("interlingua_request_seconds", "From the request to the end of its response"),
    (
        "interlingua_first_token_seconds",
        "From the request to the first content of a streamed response",
    ),
];
