//! Who is told, by the file and by the variables of OpenTelemetry.

use std::time::Duration;

use interlingua_gateway::config::{Config, Telemetry};

fn env<'e>(pairs: &'e [(&'e str, &'e str)]) -> impl Fn(&str) -> Option<String> + 'e {
    |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
}

fn addresses(telemetry: &Telemetry) -> [Option<&str>; 2] {
    [&telemetry.traces, &telemetry.metrics].map(|url| url.as_ref().map(url::Url::as_str))
}

#[test]
fn nobody_is_told_unless_somebody_is_named() {
    assert_eq!(Config::from_nothing(&|_| None).telemetry, Telemetry::default());
    assert!(!Telemetry::default().is_on());
    let (base, off) = ("OTEL_EXPORTER_OTLP_ENDPOINT", ("OTEL_SDK_DISABLED", "TRUE"));
    let (telemetry, _) = Telemetry::read(&env(&[(base, "http://c:4318"), off]));
    assert!(!telemetry.is_on());
}

#[test]
fn the_variables_say_where_and_how() {
    let (telemetry, doubts) = Telemetry::read(&env(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "https://m/own/path"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20canary, x-b = 2"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "1500"),
        ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=lab,service.name=first"),
        ("OTEL_SERVICE_NAME", "second"),
    ]));
    assert_eq!(
        addresses(&telemetry),
        [Some("http://c:4318/v1/traces"), Some("https://m/own/path")]
    );
    assert_eq!(telemetry.headers["authorization"], "Bearer canary");
    assert_eq!(telemetry.headers["x-b"], "2");
    assert!(!format!("{telemetry:?}").contains("canary"));
    assert_eq!(telemetry.timeout, Duration::from_millis(1500));
    assert!(telemetry.resource.contains(&("service.name".into(), "second".into())));
    assert!(telemetry.resource.contains(&("deployment.environment".into(), "lab".into())));
    assert!(doubts.is_empty(), "{doubts:?}");
}

#[test]
fn what_is_not_spoken_is_not_told_and_doubtful() {
    let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317");
    let (telemetry, doubts) =
        Telemetry::read(&env(&[base, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]));
    assert!(!telemetry.is_on() && doubts.len() == 2, "{doubts:?}");
    let (telemetry, _) = Telemetry::read(&env(&[base, ("OTEL_METRICS_EXPORTER", "none")]));
    assert_eq!(addresses(&telemetry), [Some("http://c:4317/v1/traces"), None]);
    let bad = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:pass@c:4318");
    let (telemetry, doubts) = Telemetry::read(&env(&[bad]));
    assert!(!telemetry.is_on() && doubts.len() == 2);
    assert!(!format!("{telemetry:?} {doubts:?}").contains("pass"));
}

#[test]
fn the_file_wins() {
    let file = "[telemetry]\nendpoint = \"https://collector.example.com/otlp\"\nservice = \"desk\"\n\
        headers = { \"x-token\" = \"env:TOKEN\" }\nmetrics = false\ninterval = \"5s\"\n";
    let variables = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-other=1"),
        ("TOKEN", "canary"),
    ];
    let (config, _) = Config::read(file, &env(&variables)).expect("a good file");
    let telemetry = &config.telemetry;
    assert_eq!(addresses(telemetry), [Some("https://collector.example.com/otlp/v1/traces"), None]);
    assert_eq!(telemetry.headers["x-token"], "canary");
    assert!(!telemetry.headers.contains_key("x-other"));
    assert!(!format!("{config:?}").contains("canary"));
    assert_eq!(telemetry.interval, Duration::from_secs(5));
    assert!(telemetry.resource.contains(&("service.name".into(), "desk".into())));
}
