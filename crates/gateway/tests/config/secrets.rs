//! Tests that secrets are read from variables and files and never printed.

use std::fs;
use std::path::Path;

use interlingua_gateway::config::Config;

use crate::valid::env;

fn write_secret(folder: &Path, secret: &str, mode: u32) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("key");
    fs::write(&path, secret).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    path.display().to_string()
}

#[test]
fn a_secret_is_read_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write_secret(folder.path(), "canary-file\n", 0o600);
    let text = format!("[providers.anthropic]\napi_key = \"file:{path}\"\n");
    let (config, warnings) = Config::parse(&text, &|_| None).expect("right");
    assert!(config.providers[0].api_key.is_some());
    assert_eq!(warnings, []);
}

#[test]
fn a_secret_file_readable_by_others_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    for mode in [0o640, 0o604, 0o666] {
        let path = write_secret(folder.path(), "canary-file", mode);
        let text = format!("[providers.anthropic]\napi_key = \"file:{path}\"\n");
        let errors = Config::parse(&text, &|_| None).expect_err("refused");
        let expected = format!(
            "line 2, column 11: providers.anthropic.api_key is in {path}, which other users \
             can read or change: run chmod 600 {path}"
        );
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].to_string(), expected);
    }
}

#[test]
fn the_working_directory_is_never_read() {
    let text = "[providers.anthropic]\napi_key = \"file:Cargo.toml\"\n";
    let errors = Config::parse(text, &env).expect_err("refused");
    assert!(errors[0].message.contains("working directory"), "{}", errors[0]);
}

#[test]
fn an_empty_variable_is_a_warning() {
    let text = "[providers.anthropic]\napi_key = \"env:NOT_THERE\"\n";
    let env = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "canary-other".to_owned());
    let (config, warnings) = Config::parse(text, &env).expect("a warning only");
    assert!(config.providers[0].api_key.is_none(), "no other variable is used instead");
    assert_eq!(
        warnings[0].to_string(),
        "line 2, column 11: providers.anthropic.api_key is unset: the variable NOT_THERE is empty, \
         and `anthropic` gets no key"
    );
}

#[test]
fn secrets_are_never_printed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write_secret(folder.path(), "canary-in-a-file-1234", 0o600);
    let text = format!(
        r#"
[providers.anthropic]
api_key = "canary-literal"
headers = {{ "x-secret" = "canary-header", "x-plain" = "canary plain" }}
[providers.openrouter]
[providers.openai]
api_key = "file:{path}"
[store]
url = "postgres://user:canary-password@localhost/db"
[access]
keys = ["canary-access-key-1", {{ name = "b", key = "env:LAB_KEY" }}]
"#
    );
    let (config, warnings) = Config::parse(&text, &env).expect("right");
    let output = format!("{config:?} {config:#?} {warnings:?} {}", join_lines(&warnings));
    assert!(!output.contains("canary"), "{output}");
    assert_eq!(warnings.len(), 4, "literals are warned about: {}", join_lines(&warnings));
    assert!(config.access.find_key(b"canary-access-key-1").is_some());
    for invalid in [
        "api_key = canary-no-quotes",
        "[providers.anthropic]\napi_key = [\"canary\"]",
        "[providers.anthropic]\napi_key = \"canary with spaces\"",
        "[providers.anthropic]\napi_key = \"$canary\"",
        "[providers.anthropic]\nbase_url = \"https://canary:canary@example.com\"",
        "[providers.anthropic]\nheaders.x = \"canary\\u0000\"",
        "[access]\nkeys = [\"canary key\"]",
        "[access]\nkeys = [\"sha256:canary\"]",
        "[store]\nurl = \"mysql://canary@localhost\"",
    ] {
        let errors = Config::parse(invalid, &env).expect_err("wrong");
        let output = format!("{errors:?} {}", join_lines(&errors));
        assert!(!output.contains("canary"), "{output}");
    }
}

fn join_lines<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
