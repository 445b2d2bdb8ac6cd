//! When a separate configuration directory is needed.

use std::fs;

use serde_json::{Value, json};

use crate::run::AGENTS;

#[test]
fn an_agent_gets_a_directory_unless_the_users_settings_suffice() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = |name: &str| (name == "HOME").then(|| folder.path().display().to_string());
    let agent = AGENTS.iter().find(|agent| agent.config_home.is_some()).expect("one has");
    let home = agent.config_home.as_ref().expect("it has");
    let user_file = folder.path().join(home.settings_file);
    fs::create_dir_all(user_file.parent().expect("a folder")).expect("made");
    fs::write(&user_file, "{\"mine\":1}").expect("written");

    let (variable, directory) =
        home.prepare(agent.name, None, &env).expect("prepared").expect("needed");
    assert_eq!(variable, home.env_var);
    assert!(directory.starts_with(folder.path().join(".local/share/interlingua")), "{directory:?}");
    assert_eq!(
        fs::read_to_string(directory.join(home.settings_file)).expect("there"),
        home.contents
    );
    assert_eq!(fs::read_to_string(&user_file).expect("there"), "{\"mine\":1}", "not touched");
    // The agent's later changes are kept.
    let changed = format!("{} ", home.contents);
    fs::write(directory.join(home.settings_file), &changed).expect("written");
    home.prepare(agent.name, None, &env).expect("prepared").expect("needed");
    assert_eq!(fs::read_to_string(directory.join(home.settings_file)).expect("there"), changed);

    fs::write(&user_file, home.contents).expect("written");
    assert_eq!(home.prepare(agent.name, None, &env).expect("prepared"), None);
}

#[test]
fn small_tasks_use_the_given_model() {
    let folder = tempfile::tempdir().expect("a folder");
    let env = |name: &str| (name == "HOME").then(|| folder.path().display().to_string());
    let agent = AGENTS.iter().find(|agent| agent.config_home.is_some()).expect("one has");
    let home = agent.config_home.as_ref().expect("it has");
    let model_of = |task: &str, directory: &std::path::Path| {
        let text = fs::read_to_string(directory.join(home.settings_file)).expect("there");
        let settings: Value = serde_json::from_str(&text).expect("JSON");
        let overrides = settings["modelConfigs"]["customOverrides"].as_array().expect("a list");
        let entry = overrides.iter().find(|one| one["match"]["model"] == task).expect("named");
        (entry["modelConfig"]["model"].as_str().expect("a name").to_owned(), settings)
    };
    let (_, directory) =
        home.prepare(agent.name, Some("a/b"), &env).expect("prepared").expect("needed");
    assert_eq!(model_of("gemini-3-flash-base", &directory).0, "a/b");
    assert_eq!(model_of("chat-compression-default", &directory).0, "a/b");
    // The agent adds a setting of its own, and another model is chosen.
    let mut settings = model_of("classifier", &directory).1;
    settings["ui"] = json!({"theme": "Ayu"});
    let user_override = json!({"match": {"model": "mine"}, "modelConfig": {"model": "e/f"}});
    settings["modelConfigs"]["customOverrides"].as_array_mut().expect("a list").push(user_override);
    fs::write(directory.join(home.settings_file), settings.to_string()).expect("written");
    home.prepare(agent.name, Some("c/d"), &env).expect("prepared");
    let (model, settings) = model_of("classifier", &directory);
    assert_eq!((model.as_str(), &settings["ui"]["theme"]), ("c/d", &json!("Ayu")));
    assert_eq!(model_of("mine", &directory).0, "e/f");
    let stored = settings["modelConfigs"]["customOverrides"].as_array().expect("a list");
    assert_eq!(stored.len(), home.small_task_models.len() + 1, "each once");
}
