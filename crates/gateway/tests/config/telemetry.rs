//! Tests of the telemetry settings in the file and in OTEL_… variables.

use std::time::Duration;

use interlingua_gateway::config::{Config, Telemetry};

fn env<'e>(pairs: &'e [(&'e str, &'e str)]) -> impl Fn(&str) -> Option<String> + 'e {
    |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
}

fn traces_endpoint(telemetry: &Telemetry) -> Option<&str> {
    telemetry.traces.as_ref().map(url::Url::as_str)
}

#[test]
fn export_is_off_by_default() {
    assert_eq!(Config::from_env(&|_| None).telemetry, Telemetry::default());
    assert!(!Telemetry::default().is_enabled());
    let (base, off) = ("OTEL_EXPORTER_OTLP_ENDPOINT", ("OTEL_SDK_DISABLED", "TRUE"));
    let (telemetry, _) = Telemetry::from_env(&env(&[(base, "http://c:4318"), off]));
    assert!(!telemetry.is_enabled());
}

#[test]
fn otel_variables_configure_the_export() {
    let (telemetry, warnings) = Telemetry::from_env(&env(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://t/own/path"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20canary, x-b = 2"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=lab,service.name=first"),
        ("OTEL_SERVICE_NAME", "second"),
    ]));
    assert_eq!(traces_endpoint(&telemetry), Some("https://t/own/path"));
    assert_eq!(telemetry.headers["authorization"], "Bearer canary");
    assert_eq!(telemetry.headers["x-b"], "2");
    assert!(!format!("{telemetry:?}").contains("canary"));
    assert_eq!(telemetry.timeout, Duration::from_millis(1500));
    assert!(telemetry.resource.contains(&("service.name".into(), "second".into())));
    assert!(telemetry.resource.contains(&("deployment.environment".into(), "lab".into())));
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn unsupported_protocols_are_off_with_a_warning() {
    let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317");
    let (telemetry, warnings) =
        Telemetry::from_env(&env(&[base, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]));
    assert!(!telemetry.is_enabled() && warnings.len() == 1, "{warnings:?}");
    let (telemetry, _) = Telemetry::from_env(&env(&[base, ("OTEL_METRICS_EXPORTER", "none")]));
    assert_eq!(traces_endpoint(&telemetry), Some("http://c:4317/v1/traces"));
    let (telemetry, _) = Telemetry::from_env(&env(&[base, ("OTEL_TRACES_EXPORTER", "none")]));
    assert!(!telemetry.is_enabled());
    let bad = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:pass@c:4318");
    let (telemetry, warnings) = Telemetry::from_env(&env(&[bad]));
    assert!(!telemetry.is_enabled() && warnings.len() == 1);
    assert!(!format!("{telemetry:?} {warnings:?}").contains("pass"));
}

#[test]
fn the_file_wins() {
    let file = "[telemetry]\nendpoint = \"https://collector.example.com/otlp\"\nservice = \"lab\"\n\
        headers = { \"x-token\" = \"env:TOKEN\" }\nmetrics = false\ninterval = \"5s\"\n";
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-other=1"),
        ("TOKEN", "canary"),
    ];
    let (config, _) = Config::parse(file, &env(&variables)).expect("a good file");
    let telemetry = &config.telemetry;
    let expected = "https://collector.example.com/otlp/v1/traces";
    assert_eq!(traces_endpoint(telemetry), Some(expected));
    assert_eq!(telemetry.headers["x-token"], "canary");
    assert!(!telemetry.headers.contains_key("x-other"));
    assert!(!format!("{config:?}").contains("canary"));
    assert!(telemetry.resource.contains(&("service.name".into(), "lab".into())));
}

#[test]
fn settings_of_metrics_are_accepted_with_a_warning() {
    let file = "[telemetry]\nmetrics = true\ninterval = \"5s\"\n";
    let (_, warnings) = Config::parse(file, &|_| None).expect("a good file");
    let metrics = ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://m/own/path");
    let (telemetry, from_env) = Telemetry::from_env(&env(&[metrics]));
    assert!(!telemetry.is_enabled());
    let warnings = warnings.iter().map(ToString::to_string).chain(from_env);
    let warnings: Vec<String> = warnings.collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings.iter().all(|warning| warning.contains("/metrics")), "{warnings:?}");
}
