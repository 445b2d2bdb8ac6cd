//! `interlingua providers`.

use std::fs;

use crate::command::run_interlingua;

fn line<'t>(table: &'t str, name: &str) -> &'t str {
    let mut lines = table.lines().filter(|line| line.split_whitespace().next() == Some(name));
    lines.next().expect("the table has the provider")
}

#[test]
fn every_known_and_configured_provider_is_listed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    let file = "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
                [providers.mistral]\napi_key = \"env:PATH\"\n";
    fs::write(&path, file).expect("written");
    let output = run_interlingua(&format!("providers --config {}", path.display()), b"");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let table = output.text();
    for preset in interlingua_providers::PRESETS {
        assert!(line(&table, preset.name).contains(preset.dialect), "{table}");
    }
    assert_eq!(table.lines().count(), interlingua_providers::PRESETS.len() + 1);
    assert!(line(&table, "openai").contains("openai-chat, openai-responses"));
    assert!(line(&table, "groq").ends_with("set GROQ_API_KEY"));
    assert!(line(&table, "ollama").ends_with("needs none"));
    assert!(line(&table, "lab").ends_with("configured, no key"));
    assert!(line(&table, "mistral").ends_with("configured, with a key"));
}

#[test]
fn a_set_variable_is_named_without_its_value() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_interlingua"))
        .args(["providers", "list"])
        .env("GROQ_API_KEY", "canary-value")
        .env("GITHUB_TOKEN", "canary-token")
        .output()
        .expect("the binary starts");
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(line(&table, "groq").ends_with("GROQ_API_KEY is set"), "{table}");
    let github = line(&table, "github");
    assert!(github.ends_with("GITHUB_TOKEN is set; add [providers.github]"), "{table}");
    assert!(!table.contains("canary"));
}

/// A file with this provider, whose facts are printed.
fn show(arguments: &str, file: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("gateway.toml");
    fs::write(&path, file).expect("written");
    let config = format!("--config {}", path.display());
    let output = run_interlingua(&format!("providers show {arguments} {config}"), b"");
    assert_eq!(output.code, 0, "{}", output.stderr);
    output.text()
}

#[test]
fn what_is_shown_is_a_configuration_with_the_same_facts() {
    let shown = show("mistral --model mistral-large-latest", "");
    assert!(shown.contains("\nbase_url = \"https://api.mistral.ai/v1\"\n"), "{shown}");
    assert!(shown.contains("\nrequired_choice = \"any\"  # provider\n"), "{shown}");
    let copied = shown.replace("providers.mistral", "providers.copy");
    let again = show("copy --model mistral-large-latest", &copied);
    let facts = |text: &str| {
        let lines = text.lines().map(|line| line.split("  # ").next().unwrap_or_default());
        let lines = lines.filter(|line| line.contains(" = ") && !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(facts(&again), facts(&shown));
    assert!(facts(&shown).len() > 150, "{shown}");
}

#[test]
fn a_configured_fact_is_marked() {
    let file = "[providers.lab]\nlike = \"mistral\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
                quirks.roles.has_developer_role = true\n";
    let shown = show("lab", file);
    assert!(shown.contains("\nhas_developer_role = true  # configuration\n"), "{shown}");
    assert!(shown.contains("\n[providers.lab.quirks.calls]\n"), "{shown}");
}

#[test]
fn an_unknown_provider_is_an_error_with_the_nearest_name() {
    let output = run_interlingua("providers show mistrl", b"");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("did you mean `mistral`?"), "{}", output.stderr);
}
