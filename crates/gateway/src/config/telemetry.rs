//! Configuration of the export of traces over OTLP and HTTP.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use super::Env;

/// The export of traces. Off by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telemetry {
    pub traces: Option<Url>,
    /// Sent with every export; they may contain secrets.
    pub headers: HeaderMap,
    /// For one export.
    pub timeout: Duration,
    /// How long spans are collected before they are sent together.
    pub batch_delay: Duration,
    /// OpenTelemetry resource attributes, such as `service.name`.
    pub resource: Vec<(String, String)>,
}

impl Default for Telemetry {
    fn default() -> Self {
        let service = [
            ("service.name", DEFAULT_SERVICE_NAME),
            ("service.version", env!("CARGO_PKG_VERSION")),
        ];
        Self {
            traces: None,
            headers: HeaderMap::new(),
            timeout: Duration::from_secs(10),
            batch_delay: Duration::from_secs(5),
            resource: service.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        }
    }
}

impl Telemetry {
    pub fn is_enabled(&self) -> bool {
        self.traces.is_some()
    }

    /// Reads the `OTEL_…` variables, and warns of those that cannot be used.
    pub fn from_env(env: Env<'_>) -> (Self, Vec<String>) {
        let variable = |name: &str| {
            let value = env(&format!("OTEL_{name}")).map(|value| value.trim().to_owned());
            value.filter(|value| !value.is_empty())
        };
        let mut warnings = Vec::new();
        let mut telemetry = Self::default();
        telemetry.read_resource(&variable);
        if variable("SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return (telemetry, warnings);
        }
        for (name, field) in [
            ("EXPORTER_OTLP_TIMEOUT", &mut telemetry.timeout),
            ("BSP_SCHEDULE_DELAY", &mut telemetry.batch_delay),
        ] {
            let millis = variable(name).and_then(|value| value.parse().ok()).filter(|ms| *ms > 0);
            *field = millis.map_or(*field, Duration::from_millis);
        }
        telemetry.headers = parse_headers(&variable("EXPORTER_OTLP_HEADERS").unwrap_or_default());
        if variable("EXPORTER_OTLP_METRICS_ENDPOINT").is_some() {
            warnings.push(format!("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: {NO_OTLP_METRICS}"));
        }
        if variable("TRACES_EXPORTER").is_some_and(|exporter| exporter != "otlp") {
            return (telemetry, warnings);
        }
        let own_endpoint = variable("EXPORTER_OTLP_TRACES_ENDPOINT");
        let endpoint = match (&own_endpoint, variable("EXPORTER_OTLP_ENDPOINT")) {
            (Some(url), _) => parse_endpoint(url),
            (None, Some(base)) => parse_endpoint(&base).map(traces_url),
            (None, None) => return (telemetry, warnings),
        };
        let protocol = variable("EXPORTER_OTLP_TRACES_PROTOCOL")
            .or_else(|| variable("EXPORTER_OTLP_PROTOCOL"));
        if protocol.is_some_and(|protocol| protocol != OTLP_PROTOCOL) {
            warnings.push(format!("traces are not exported: only {OTLP_PROTOCOL} is supported"));
        } else if endpoint.is_none() {
            let reason = "traces are not exported: the endpoint in OTEL_… is not a valid URL";
            warnings.push(reason.to_owned());
        } else {
            telemetry.traces = endpoint;
        }
        (telemetry, warnings)
    }

    pub(super) fn set_endpoint(&mut self, base: Url) {
        self.traces = Some(traces_url(base));
    }

    pub(super) fn set_service_name(&mut self, name: &str) {
        self.set_resource("service.name", name);
    }

    fn read_resource(&mut self, variable: &dyn Fn(&str) -> Option<String>) {
        for pair in variable("RESOURCE_ATTRIBUTES").unwrap_or_default().split(',') {
            if let Some((key, value)) = pair.split_once('=') {
                let value = percent_decode_str(value.trim()).decode_utf8_lossy();
                self.set_resource(key.trim(), &value);
            }
        }
        if let Some(name) = variable("SERVICE_NAME") {
            self.set_service_name(&name);
        }
    }

    fn set_resource(&mut self, key: &str, value: &str) {
        match self.resource.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => value.clone_into(old),
            None => self.resource.push((key.to_owned(), value.to_owned())),
        }
    }
}

/// Parses `name=value,name=value`; pairs that are not valid headers are skipped.
fn parse_headers(text: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in text.split(',').filter_map(|pair| pair.split_once('=')) {
        let name = name.trim().parse::<HeaderName>();
        let value = percent_decode_str(value.trim()).decode_utf8_lossy();
        if let (Ok(name), Ok(mut value)) = (name, HeaderValue::from_str(&value)) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    headers
}

/// An HTTP URL without credentials.
fn parse_endpoint(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(Url::has_host)?;
    let has_no_credentials = url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && has_no_credentials).then_some(url)
}

/// The URL for traces at a collector.
fn traces_url(mut base: Url) -> Url {
    let path = format!("{}/v1/traces", base.path().trim_end_matches('/'));
    base.set_path(&path);
    base
}

pub(super) const DEFAULT_SERVICE_NAME: &str = "interlingua";
/// The answer to settings of an export that Prometheus' `/metrics` replaces.
pub(super) const NO_OTLP_METRICS: &str =
    "metrics are not exported over OTLP; a collector reads /metrics";
const OTLP_PROTOCOL: &str = "http/protobuf";
