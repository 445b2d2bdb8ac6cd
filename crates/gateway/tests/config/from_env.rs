//! Tests of the configuration without a file.

use interlingua_providers::endpoints::AuthScheme;
use std::fs;

use interlingua_gateway::config::{Backend, Config, DEFAULT_LISTEN};

#[test]
fn providers_come_from_keys_in_the_environment() {
    let env = |name: &str| match name {
        "ANTHROPIC_API_KEY" => Some("canary-1".into()),
        "OPENAI_API_KEY" => Some("  ".into()),
        _ => None,
    };
    let config = Config::from_env(&env);
    let names: Vec<_> = config.providers.iter().map(|provider| provider.name.as_str()).collect();
    assert_eq!(names, ["anthropic"]);
    assert_eq!(config.listen, DEFAULT_LISTEN);
    assert!(!format!("{config:?}").contains("canary"));
}

#[test]
fn keys_with_other_uses_add_no_provider() {
    let env = |name: &str| {
        let is_shared = name.ends_with("_TOKEN") || name.starts_with("CLOUDFLARE_");
        is_shared.then(|| "canary".to_owned())
    };
    let config = Config::from_env(&env);
    let names = config.providers.iter().map(|provider| provider.name.as_str());
    let shared = ["huggingface", "github", "cloudflare"];
    assert!(!names.into_iter().any(|name| shared.contains(&name)));
    let (config, _) = Config::parse("[providers.github]", &env).expect("valid");
    assert!(config.providers[0].api_key.is_some());
}

#[test]
fn hosts_of_models_of_others_claim_no_names() {
    let config = Config::from_env(&|name| name.ends_with("_API_KEY").then(|| "canary".into()));
    for model in ["meta-llama/llama-4", "qwen3-235b", "llama-3.3-70b"] {
        assert!(config.resolve(model, 0).is_err(), "{model}");
    }
}

#[test]
fn without_any_key_the_built_in_models_work() {
    let config = Config::from_env(&|_| None);
    let routes = config.resolve("sim/echo", 0).expect("a route");
    assert!(matches!(routes.as_slice(), [route] if matches!(route.backend, Backend::Builtin)));
    assert_eq!(&*routes[0].model, "echo");
    let no_route = config.resolve("some-model", 0).expect_err("no provider");
    assert!(no_route.to_string().contains("sim/echo"), "{no_route}");
}

#[test]
fn aws_credentials_add_a_provider() {
    let detect = |env: &dyn Fn(&str) -> Option<String>| {
        let config = Config::from_env(env);
        assert!(!format!("{config:?}").contains("canary"));
        config.providers.iter().map(|p| (p.name.clone(), p.auth)).collect::<Vec<_>>()
    };
    let signed = [("bedrock".to_owned(), AuthScheme::SigV4)];
    let keys = |name: &str| match name {
        "AWS_ACCESS_KEY_ID" => Some("AKIDEXAMPLE".into()),
        "AWS_SECRET_ACCESS_KEY" => Some("canary-1".into()),
        _ => None,
    };
    assert_eq!(detect(&keys), signed);
    assert_eq!(detect(&|name| keys(name).filter(|_| name != "AWS_SECRET_ACCESS_KEY")), []);

    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join(".aws");
    fs::create_dir(&folder).expect("made");
    let file = "[work]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = canary-2\n";
    fs::write(folder.join("credentials"), file).expect("written");
    let profile = |profile: &'static str| {
        let home = home.path().to_str().expect("a path").to_owned();
        move |name: &str| match name {
            "HOME" => Some(home.clone()),
            "AWS_PROFILE" => Some(profile.to_owned()),
            _ => None,
        }
    };
    assert_eq!(detect(&profile("work")), signed);
    assert_eq!(detect(&profile("play")), []);
}
