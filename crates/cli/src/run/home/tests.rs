//! Homes that are needed, and homes that are not.

use std::fs;

use serde_json::{Value, json};

use crate::run::AGENTS;

#[test]
fn an_agent_gets_a_home_unless_the_users_own_will_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = |name: &str| (name == "HOME").then(|| folder.path().display().to_string());
    let agent = AGENTS.iter().find(|agent| agent.home.is_some()).expect("one has");
    let home = agent.home.as_ref().expect("it has");
    let own = folder.path().join(home.file);
    fs::create_dir_all(own.parent().expect("a folder")).expect("made");
    fs::write(&own, "{\"mine\":1}").expect("written");

    let (variable, place) =
        home.prepared(agent.name, None, &env).expect("prepared").expect("needed");
    assert_eq!(variable, home.variable);
    assert!(place.starts_with(folder.path().join(".local/share/interlingua")), "{place:?}");
    assert_eq!(fs::read_to_string(place.join(home.file)).expect("there"), home.says);
    assert_eq!(fs::read_to_string(&own).expect("there"), "{\"mine\":1}", "not touched");
    // What the agent has written there since is kept.
    let more = format!("{} ", home.says);
    fs::write(place.join(home.file), &more).expect("written");
    home.prepared(agent.name, None, &env).expect("prepared").expect("needed");
    assert_eq!(fs::read_to_string(place.join(home.file)).expect("there"), more);

    fs::write(&own, home.says).expect("written");
    assert_eq!(home.prepared(agent.name, None, &env).expect("prepared"), None);
}

#[test]
fn small_tasks_are_for_the_model_that_was_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = |name: &str| (name == "HOME").then(|| folder.path().display().to_string());
    let agent = AGENTS.iter().find(|agent| agent.home.is_some()).expect("one has");
    let home = agent.home.as_ref().expect("it has");
    let model_of = |task: &str, place: &std::path::Path| {
        let text = fs::read_to_string(place.join(home.file)).expect("there");
        let settings: Value = serde_json::from_str(&text).expect("JSON");
        let overrides = settings["modelConfigs"]["customOverrides"].as_array().expect("a list");
        let it = overrides.iter().find(|one| one["match"]["model"] == task).expect("named");
        (it["modelConfig"]["model"].as_str().expect("a name").to_owned(), settings)
    };
    let (_, place) =
        home.prepared(agent.name, Some("a/b"), &env).expect("prepared").expect("needed");
    assert_eq!(model_of("gemini-3-flash-base", &place).0, "a/b");
    assert_eq!(model_of("chat-compression-default", &place).0, "a/b");
    // The agent adds something of its own, and another model is named.
    let mut settings = model_of("classifier", &place).1;
    settings["ui"] = json!({"theme": "Ayu"});
    let mine = json!({"match": {"model": "mine"}, "modelConfig": {"model": "e/f"}});
    settings["modelConfigs"]["customOverrides"].as_array_mut().expect("a list").push(mine);
    fs::write(place.join(home.file), settings.to_string()).expect("written");
    home.prepared(agent.name, Some("c/d"), &env).expect("prepared");
    let (model, settings) = model_of("classifier", &place);
    assert_eq!((model.as_str(), &settings["ui"]["theme"]), ("c/d", &json!("Ayu")));
    assert_eq!(model_of("mine", &place).0, "e/f");
    let named = settings["modelConfigs"]["customOverrides"].as_array().expect("a list");
    assert_eq!(named.len(), home.small_tasks.len() + 1, "each once");
}
