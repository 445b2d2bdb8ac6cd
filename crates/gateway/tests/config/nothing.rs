//! Who configures nothing.

use std::fs;

use interlingua_gateway::config::{Config, LISTEN, To};
use interlingua_upstream::Auth;

#[test]
fn providers_are_those_whose_keys_are_in_the_environment() {
    let env = |name: &str| match name {
        "ANTHROPIC_API_KEY" => Some("canary-1".into()),
        "OPENAI_API_KEY" => Some("  ".into()),
        _ => None,
    };
    let config = Config::from_nothing(&env);
    let names: Vec<_> = config.providers.iter().map(|provider| provider.name.as_str()).collect();
    assert_eq!(names, ["anthropic"]);
    assert_eq!(config.listen, LISTEN);
    assert!(!format!("{config:?}").contains("canary"));
}

#[test]
fn without_any_key_the_simulated_model_is_there() {
    let config = Config::from_nothing(&|_| None);
    let routes = config.resolve("sim/echo", 0).expect("a route");
    assert!(matches!(routes.as_slice(), [route] if matches!(route.to, To::Simulated)));
    assert_eq!(routes[0].model, "echo");
    let unrouted = config.resolve("some-model", 0).expect_err("no provider");
    assert!(unrouted.to_string().contains("sim/echo"), "{unrouted}");
}

#[test]
fn credentials_of_aws_make_a_provider_too() {
    let found = |env: &dyn Fn(&str) -> Option<String>| {
        let config = Config::from_nothing(env);
        assert!(!format!("{config:?}").contains("canary"));
        config.providers.iter().map(|p| (p.name.clone(), p.auth)).collect::<Vec<_>>()
    };
    let signed = [("bedrock".to_owned(), Auth::SigV4)];
    let keys = |name: &str| match name {
        "AWS_ACCESS_KEY_ID" => Some("AKIDEXAMPLE".into()),
        "AWS_SECRET_ACCESS_KEY" => Some("canary-1".into()),
        _ => None,
    };
    assert_eq!(found(&keys), signed);
    assert_eq!(found(&|name| keys(name).filter(|_| name != "AWS_SECRET_ACCESS_KEY")), []);

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
    assert_eq!(found(&profile("work")), signed);
    assert_eq!(found(&profile("play")), []);
}
