//! Who is told what happens: a collector that speaks OTLP over HTTP.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use super::Env;

/// Where traces and metrics go. By default nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telemetry {
    pub traces: Option<Url>,
    pub metrics: Option<Url>,
    /// For every export; they may hold secrets.
    pub headers: HeaderMap,
    /// For one export.
    pub timeout: Duration,
    /// How long spans wait for company.
    pub delay: Duration,
    /// How often metrics are told.
    pub interval: Duration,
    /// What is said of who tells.
    pub resource: Vec<(String, String)>,
}

impl Default for Telemetry {
    fn default() -> Self {
        let service = [("service.name", NAME), ("service.version", env!("CARGO_PKG_VERSION"))];
        Self {
            traces: None,
            metrics: None,
            headers: HeaderMap::new(),
            timeout: Duration::from_secs(10),
            delay: Duration::from_secs(5),
            interval: Duration::from_mins(1),
            resource: service.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        }
    }
}

impl Telemetry {
    pub fn is_on(&self) -> bool {
        self.traces.is_some() || self.metrics.is_some()
    }

    /// As the variables of OpenTelemetry say, with what is doubtful about them.
    pub fn read(env: Env<'_>) -> (Self, Vec<String>) {
        let said = |name: &str| {
            let said = env(&format!("OTEL_{name}")).map(|value| value.trim().to_owned());
            said.filter(|value| !value.is_empty())
        };
        let mut doubts = Vec::new();
        let mut telemetry = Self::default();
        telemetry.describe(&said);
        if said("SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return (telemetry, doubts);
        }
        for (name, place) in [
            ("EXPORTER_OTLP_TIMEOUT", &mut telemetry.timeout),
            ("BSP_SCHEDULE_DELAY", &mut telemetry.delay),
            ("METRIC_EXPORT_INTERVAL", &mut telemetry.interval),
        ] {
            let millis = said(name).and_then(|value| value.parse().ok()).filter(|ms| *ms > 0);
            *place = millis.map_or(*place, Duration::from_millis);
        }
        telemetry.headers = headers(&said("EXPORTER_OTLP_HEADERS").unwrap_or_default());
        let whole = said("EXPORTER_OTLP_ENDPOINT").map(|base| address(&base));
        for signal in [TRACES, METRICS] {
            let capital = signal.to_ascii_uppercase();
            let protocol = said(&format!("EXPORTER_OTLP_{capital}_PROTOCOL"))
                .or_else(|| said("EXPORTER_OTLP_PROTOCOL"));
            let own = said(&format!("EXPORTER_OTLP_{capital}_ENDPOINT")).map(|url| address(&url));
            let Some(url) = own.or_else(|| Some(at(whole.as_ref()?.as_ref(), signal))) else {
                continue;
            };
            if said(&format!("{capital}_EXPORTER")).is_some_and(|exporter| exporter != "otlp") {
                continue;
            }
            if protocol.is_some_and(|protocol| protocol != PROTOCOL) {
                doubts.push(format!("{signal} are not told: only {PROTOCOL} is spoken here"));
                continue;
            }
            if url.is_none() {
                doubts.push(format!("{signal} are not told: OTEL_… names no address"));
            }
            *telemetry.place(signal) = url;
        }
        (telemetry, doubts)
    }

    /// Both go to a collector.
    pub(super) fn send_to(&mut self, base: &Url) {
        for signal in [TRACES, METRICS] {
            *self.place(signal) = at(Some(base), signal);
        }
    }

    /// What it is called where it is told.
    pub(super) fn call(&mut self, name: &str) {
        self.set("service.name", name);
    }

    fn place(&mut self, signal: &str) -> &mut Option<Url> {
        if signal == TRACES { &mut self.traces } else { &mut self.metrics }
    }

    fn describe(&mut self, said: &dyn Fn(&str) -> Option<String>) {
        for pair in said("RESOURCE_ATTRIBUTES").unwrap_or_default().split(',') {
            if let Some((key, value)) = pair.split_once('=') {
                let value = percent_decode_str(value.trim()).decode_utf8_lossy();
                self.set(key.trim(), &value);
            }
        }
        if let Some(name) = said("SERVICE_NAME") {
            self.call(&name);
        }
    }

    fn set(&mut self, key: &str, value: &str) {
        match self.resource.iter_mut().find(|(known, _)| known == key) {
            Some((_, said)) => value.clone_into(said),
            None => self.resource.push((key.to_owned(), value.to_owned())),
        }
    }
}

/// `name=value,name=value`; what cannot be a header is none.
fn headers(text: &str) -> HeaderMap {
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

/// An address of the web, without what nobody should read.
fn address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok().filter(Url::has_host)?;
    let plain = url.username().is_empty() && url.password().is_none();
    (matches!(url.scheme(), "http" | "https") && plain).then_some(url)
}

/// Where a collector takes a signal.
fn at(base: Option<&Url>, signal: &str) -> Option<Url> {
    let mut url = base?.clone();
    let path = format!("{}/v1/{signal}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url)
}

const NAME: &str = "interlingua";
const TRACES: &str = "traces";
const METRICS: &str = "metrics";
const PROTOCOL: &str = "http/protobuf";
