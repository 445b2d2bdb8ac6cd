//! Counters for operators.

use std::sync::OnceLock;

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
        handle
    };
    HANDLE.get_or_init(made).clone()
}

const SECONDS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0,
];
