//! Homes that are needed, and homes that are not.

use std::fs;

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

    let (variable, place) = home.prepared(agent.name, &env).expect("prepared").expect("needed");
    assert_eq!(variable, home.variable);
    assert!(place.starts_with(folder.path().join(".local/share/interlingua")), "{place:?}");
    assert_eq!(fs::read_to_string(place.join(home.file)).expect("there"), home.says);
    assert_eq!(fs::read_to_string(&own).expect("there"), "{\"mine\":1}", "not touched");
    // What the agent has written there since is kept.
    let more = format!("{} ", home.says);
    fs::write(place.join(home.file), &more).expect("written");
    home.prepared(agent.name, &env).expect("prepared").expect("needed");
    assert_eq!(fs::read_to_string(place.join(home.file)).expect("there"), more);

    fs::write(&own, home.says).expect("written");
    assert_eq!(home.prepared(agent.name, &env).expect("prepared"), None);
}
