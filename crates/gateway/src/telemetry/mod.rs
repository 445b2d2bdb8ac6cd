//! What operators see of requests: metrics, traces, recent turns, captured stages.

pub(crate) mod capture;
pub(crate) mod metrics;
pub(crate) mod otel;
pub(crate) mod recent;
pub(crate) mod turn_metrics;
