//! Who configures nothing.

use interlingua_gateway::config::{Config, LISTEN, To};

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
