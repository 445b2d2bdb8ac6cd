//! Tests of valid configuration files.

use std::time::Duration;

use interlingua_gateway::config::{
    Capture, Config, ConfigWarning, GuardMode, Limits, StoreLocation, Timeouts,
};
use interlingua_providers::quirks::base_flavor;

/// The example of docs/CONFIGURATION.md.
pub(crate) const EXAMPLE: &str = r#"
listen = "127.0.0.1:8787"

[providers.anthropic]                     # a known name fills in dialect, base_url and auth
api_key = "env:ANTHROPIC_API_KEY"         # or "file:…", or the key itself (a warning says so)

[providers.lab]                           # any other server
dialect  = "openai-chat"
base_url = "http://127.0.0.1:9000/v1"
flavor   = "openrouter"
api_key  = "env:LAB_KEY"

[models]
"claude-*"   = ["anthropic/*", "lab/qwen3"]
"fast"       = "openrouter/some/model"

[guard]
mode = "answer"
[guard.tools.Bash]
mode = "mend"
[store]
url = "sqlite:/var/lib/interlingua/all.db"
sessions = { keep = "90d", size = "1GiB" }
usage = { keep = "30d" }
[capture]
keep = "7d"
redact = true
[limits]
body = "64MiB"
streams = 4096
[access]
keys = []
"#;

/// An environment with all keys.
pub(crate) fn env(name: &str) -> Option<String> {
    match name {
        "HOME" => Some("/users/someone".into()),
        "ANTHROPIC_API_KEY" | "OPENROUTER_API_KEY" | "LAB_KEY" | "GATEWAY_KEY" => {
            Some(format!("canary-of-{}", name.to_lowercase()))
        }
        "SHORT_KEY" => Some("short".into()),
        _ => None,
    }
}

pub(crate) fn parse_valid(text: &str) -> (Config, Vec<ConfigWarning>) {
    match Config::parse(text, &env) {
        Ok(parsed) => parsed,
        Err(errors) => panic!("{errors:#?} in {text}"),
    }
}

#[test]
fn the_documented_example_is_valid() {
    let (config, warnings) = parse_valid(EXAMPLE);
    assert_eq!(warnings, []);
    assert_eq!(config.listen.to_string(), "127.0.0.1:8787");
    let named: Vec<_> = config
        .providers
        .iter()
        .map(|provider| {
            (
                provider.name.as_str(),
                provider.dialect.id().0,
                provider.flavor,
                provider.base_url.as_str(),
            )
        })
        .collect();
    assert_eq!(
        named,
        [
            ("anthropic", "anthropic", None, "https://api.anthropic.com/"),
            ("lab", "openai-chat", Some("openrouter"), "http://127.0.0.1:9000/v1"),
            ("openrouter", "openai-chat", Some("openrouter"), "https://openrouter.ai/api/v1"),
        ]
    );
    assert!(config.providers.iter().all(|provider| provider.api_key.is_some()));
    assert_eq!(
        (config.guard.for_tool("Bash"), config.guard.for_tool("Read")),
        (GuardMode::Mend, GuardMode::Answer)
    );
    assert!(
        matches!(&config.store.location, StoreLocation::Sqlite(path) if path.ends_with("all.db"))
    );
    assert_eq!(config.store.sessions.max_age, Duration::from_hours(90 * 24));
    assert_eq!(config.store.sessions.max_bytes, 1 << 30);
    assert_eq!(config.store.usage_max_age, Duration::from_hours(30 * 24));
    assert_eq!(
        config.capture,
        Capture { max_age: Duration::from_hours(168), ..Capture::default() }
    );
    assert_eq!(config.limits, Limits { body: 64 << 20, ..Limits::default() });
    assert_eq!(config.timeouts, Timeouts::default());
}

#[test]
fn a_provider_can_be_like_a_known_one() {
    for (like, dialect, flavor) in [
        ("mistral", "openai-chat", Some("mistral")),
        ("together", "openai-chat", Some("generic")),
        ("generic", "openai-chat", Some("generic")),
        ("anthropic", "anthropic", None),
        ("vertex", "gemini", Some("vertex")),
    ] {
        let explicit = if like == "generic" { "dialect = \"openai-chat\"\n" } else { "" };
        let file =
            format!("[providers.lab]\nbase_url = \"http://x/v1\"\n{explicit}like = \"{like}\"");
        let (config, _) = parse_valid(&file);
        let lab = config.provider("lab").expect("a provider");
        assert_eq!((lab.dialect.id().0, lab.flavor), (dialect, flavor), "{like}");
        assert_eq!(lab.base_url.as_str(), "http://x/v1");
    }
    let file =
        "[providers.lab]\nbase_url = \"http://x\"\ndialect = \"anthropic\"\nlike = \"deepseek\"";
    assert_eq!(parse_valid(file).0.providers[0].flavor, Some("deepseek"));
}

#[test]
fn quirks_make_another_flavor_of_what_the_provider_is_like() {
    let file = |id: u32| {
        format!(
            "[providers.lab]\nlike = \"mistral\"\nbase_url = \"http://x/v1\"\n\
             [providers.lab.quirks.calls]\nid_format = {{ min_chars = {id}, max_chars = {id} }}"
        )
    };
    let flavor = |id| parse_valid(&file(id)).0.providers[0].flavor;
    assert_eq!(base_flavor(flavor(9)), Some("mistral"));
    assert_ne!(flavor(9), Some("mistral"));
    // A reload without a change is no other provider.
    assert_eq!(flavor(9), flavor(9));
    assert_ne!(flavor(9), flavor(8));
    let openai = "[providers.openai]\nquirks.roles.has_developer_role = false";
    let (config, _) = parse_valid(openai);
    let provider = &config.providers[0];
    assert!(provider.flavor != Some("openai") && provider.alternates[0].flavor != Some("openai"));
    // A server of which only quirks are known is still one of which little is known.
    let lab = "[providers.lab]\ndialect = \"openai-chat\"\nbase_url = \"http://x/v1\"\n";
    let (config, _) = parse_valid(&format!("{lab}quirks.calls.freeform = false"));
    assert!(config.providers[0].joins_instructions());
}

#[test]
fn an_empty_file_gives_the_defaults() {
    let (config, warnings) = parse_valid("");
    assert_eq!(warnings, []);
    let names: Vec<_> = config.providers.iter().map(|provider| provider.name.as_str()).collect();
    assert_eq!(names, ["anthropic", "openrouter"]);
    assert!(
        matches!(&config.store.location, StoreLocation::Sqlite(path) if path.starts_with("/users/someone"))
    );
}

#[test]
fn a_preset_takes_url_params_dialect_and_headers() {
    let (config, warnings) = parse_valid(
        r#"
[providers.bedrock]
region = "eu-west-1"
api_key = "env:LAB_KEY"
[providers.openai]
dialect = "openai-responses"
api_key = "env:LAB_KEY"
headers = { "openai-organization" = "org-1", "x-extra-token" = "env:LAB_KEY" }
"#,
    );
    assert_eq!(warnings, []);
    let bedrock = config.provider("bedrock").expect("configured");
    assert_eq!(bedrock.base_url.as_str(), "https://bedrock-runtime.eu-west-1.amazonaws.com/");
    let openai = config.provider("openai").expect("configured");
    assert_eq!(openai.dialect.id().0, "openai-responses");
    assert_eq!(openai.headers["openai-organization"], "org-1");
    assert!(openai.headers["x-extra-token"].is_sensitive());
    assert!(!openai.headers["openai-organization"].is_sensitive(), "it is no secret");
}

#[test]
fn a_key_is_not_sent_to_another_host() {
    let text = "[providers.anthropic]\nbase_url = \"https://relay.example.com\"\n";
    let (config, warnings) = parse_valid(text);
    assert!(config.providers[0].api_key.is_none());
    assert_eq!(config.providers[0].base_url.as_str(), "https://relay.example.com/");
    assert_eq!(
        warnings[0].to_string(),
        "line 1, column 12: `anthropic` has no key: no key is sent to an address that is not its \
         own: write api_key"
    );
    let named = format!("{text}api_key = \"env:LAB_KEY\"\n");
    let (config, warnings) = parse_valid(&named);
    assert!(config.providers[0].api_key.is_some());
    assert_eq!(warnings, []);
}

#[test]
fn capture_is_off_beyond_loopback_by_default() {
    let open = "listen = \"0.0.0.0:8787\"\naccess.keys = [\"env:GATEWAY_KEY\"]\n";
    let (config, warnings) = parse_valid(open);
    assert!(!config.capture.enabled);
    assert!(warnings[0].to_string().contains("TLS"), "{}", warnings[0]);
    assert!(parse_valid(&format!("{open}capture.enabled = true\n")).0.capture.enabled);
    let key = b"canary-of-gateway_key";
    assert_eq!(config.access.find_key(key).map(|key| key.name.as_str()), Some("key-1"));
    assert!(config.access.find_key(b"canary-of-gateway_kez").is_none());
}

#[test]
fn keys_have_names_and_limits() {
    let (config, warnings) = parse_valid(
        r#"
[access]
hosts = ["Gateway.example.com"]
origins = ["https://app.example.com"]
keys = [
  { name = "ci", sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", requests_per_minute = 60, concurrent = 4, tokens_per_day = 5_000_000_000 },
  "sha256:0000000000000000000000000000000000000000000000000000000000000000",
]
"#,
    );
    assert_eq!(warnings, []);
    let key = config.access.find_key(b"test").expect("the key of ci");
    assert_eq!(
        (key.name.as_str(), key.requests_per_minute, key.concurrent),
        ("ci", Some(60), Some(4))
    );
    assert_eq!(key.tokens_per_day, Some(5_000_000_000));
    assert_eq!(config.access.keys[1].name, "key-2");
    assert_eq!(config.access.hosts, ["gateway.example.com"]);
    assert_eq!(config.access.origins, ["https://app.example.com"]);
}
