//! Tests of the table of keys: every key is read, and its mark for a restart is right.

use interlingua_gateway::config::{Config, KeySpec, ValueType, list_keys};

/// Traces have a collector, so that the keys of `[telemetry]` have an effect.
fn env(name: &str) -> Option<String> {
    match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some("http://127.0.0.1:4318".into()),
        "STORE_KEY" => Some("k".repeat(32)),
        _ => None,
    }
}

fn parse(text: &str) -> Config {
    Config::parse(text, &env).unwrap_or_else(|errors| panic!("{errors:#?} in {text}")).0
}

/// A valid value that is not the default.
fn other_value(path: &str, spec: &KeySpec) -> String {
    let own = OTHER_VALUES.iter().find(|(known, _)| *known == path);
    match spec.value_type {
        _ if own.is_some() => own.map(|(_, value)| (*value).to_owned()).expect("just found"),
        ValueType::Size | ValueType::MemorySize => "\"3MiB\"".into(),
        ValueType::Duration => "\"3s\"".into(),
        ValueType::Number { .. } => "3".into(),
        ValueType::Flag => (spec.default == "false").to_string(),
        ValueType::Word(words) => {
            let word = words().into_iter().find(|word| *word != spec.default);
            format!("{:?}", word.expect("another word"))
        }
        _ => panic!("{path} needs a line in OTHER_VALUES"),
    }
}

#[test]
fn every_key_has_an_effect_and_its_reload_is_reported() {
    let defaults = parse("");
    assert!(defaults.changes_needing_restart(&defaults).is_empty());
    for (path, spec) in list_keys() {
        let is_elsewhere =
            ["providers", "models", "access.keys"].iter().any(|part| path.starts_with(part));
        let is_section = spec.doc.is_empty();
        if is_elsewhere || is_section || matches!(spec.value_type, ValueType::Ignored) {
            continue;
        }
        let changed = parse(&format!("{path} = {}\n", other_value(&path, spec)));
        assert_ne!(format!("{defaults:?}"), format!("{changed:?}"), "{path} is not read");
        let section = path.split('.').next().unwrap_or_default();
        let expected = match section {
            "store" | "telemetry" => vec![format!("[{section}]")],
            _ if spec.is_unchanged.is_some() => vec![path],
            _ => vec![],
        };
        assert_eq!(defaults.changes_needing_restart(&changed), expected);
    }
}

const OTHER_VALUES: &[(&str, &str)] = &[
    ("listen", r#""127.0.0.1:1""#),
    ("access.hosts", r#"["gateway.example.com"]"#),
    ("access.origins", r#"["https://app.example.com"]"#),
    ("telemetry.endpoint", r#""https://collector.example.com""#),
    ("telemetry.service", r#""lab""#),
    ("telemetry.headers", r#"{ x-team = "search" }"#),
    ("store.url", r#""off""#),
    ("store.key", r#""env:STORE_KEY""#),
    ("capture.enabled", "false"),
    ("repair.off", r#"["call-id"]"#),
    ("roles.compact", r#""openai/gpt-5""#),
];
