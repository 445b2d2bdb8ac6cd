//! Secrets are fetched from where the file says, and are shown nowhere.

use std::fs;
use std::path::Path;

use interlingua_gateway::config::Config;

use crate::good::env;

fn written(folder: &Path, secret: &str, mode: u32) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let path = folder.join("key");
    fs::write(&path, secret).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("permissions");
    path.display().to_string()
}

#[test]
fn a_file_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "canary-file\n", 0o600);
    let text = format!("[providers.anthropic]\napi_key = \"file:{path}\"\n");
    let (config, warnings) = Config::read(&text, &|_| None).expect("right");
    assert!(config.providers[0].key.is_some());
    assert_eq!(warnings, []);
}

#[test]
fn a_file_that_others_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for mode in [0o640, 0o604, 0o666] {
        let path = written(folder.path(), "canary-file", mode);
        let text = format!("[providers.anthropic]\napi_key = \"file:{path}\"\n");
        let mistakes = Config::read(&text, &|_| None).expect_err("refused");
        let words = format!(
            "line 2, column 11: providers.anthropic.api_key is in {path}, which others than its \
             owner can read or change: chmod 600 {path}"
        );
        assert_eq!(mistakes.len(), 1);
        assert_eq!(mistakes[0].to_string(), words);
    }
}

#[test]
fn files_are_never_looked_for_in_the_working_directory() {
    let text = "[providers.anthropic]\napi_key = \"file:Cargo.toml\"\n";
    let mistakes = Config::read(text, &env).expect_err("refused");
    assert!(mistakes[0].what.contains("working directory"), "{}", mistakes[0]);
}

#[test]
fn a_variable_that_is_empty_is_told() {
    let text = "[providers.anthropic]\napi_key = \"env:NOT_THERE\"\n";
    let all = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "canary-other".to_owned());
    let (config, warnings) = Config::read(text, &all).expect("a warning only");
    assert!(config.providers[0].key.is_none(), "another variable is not taken in its place");
    assert_eq!(
        warnings[0].to_string(),
        "line 2, column 11: providers.anthropic.api_key is unset: the variable NOT_THERE is empty, \
         and `anthropic` gets no key"
    );
}

#[test]
fn nothing_shows_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), "canary-in-a-file-1234", 0o600);
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
    let (config, warnings) = Config::read(&text, &env).expect("right");
    let shown = format!("{config:?} {config:#?} {warnings:?} {}", words(&warnings));
    assert!(!shown.contains("canary"), "{shown}");
    assert_eq!(warnings.len(), 4, "literals are warned about: {}", words(&warnings));
    assert!(config.access.admits(b"canary-access-key-1").is_some());
    for wrong in [
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
        let mistakes = Config::read(wrong, &env).expect_err("wrong");
        let shown = format!("{mistakes:?} {}", words(&mistakes));
        assert!(!shown.contains("canary"), "{shown}");
    }
}

fn words<T: ToString>(all: &[T]) -> String {
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
