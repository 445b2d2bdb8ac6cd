//! Tests of reloading the configuration file.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interlingua_gateway::config::{Config, ConfigChange, ConfigWatcher, LoadError, Source};

use crate::valid::env;

fn start_watcher(file: &Path) -> (ConfigWatcher, Arc<Config>) {
    let source = Source { file: Some(file.into()), is_explicit: true, listen: None };
    let loaded = source.load(&env).expect("a good file");
    let watcher =
        ConfigWatcher::new(source, env).expect("a signal").with_interval(Duration::from_millis(20));
    (watcher, Arc::new(loaded.config))
}

async fn next_change(watcher: &mut ConfigWatcher) -> ConfigChange {
    let result = tokio::time::timeout(Duration::from_secs(20), watcher.next_change()).await;
    result.expect("a change is detected")
}

#[tokio::test]
async fn an_invalid_file_is_rejected_and_a_valid_one_applied() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "limits.streams = 1\n").expect("written");
    let (mut watcher, first) = start_watcher(&file);
    let current = arc_swap::ArcSwap::new(Arc::clone(&first));
    for (text, streams) in [
        ("limits.streems = 2\n", None),
        ("limits.streams = 2\n", Some(2)),
        ("limits.streams = [\n", None),
        ("limits.streams = 3\n", Some(3)),
    ] {
        fs::write(&file, text).expect("written");
        let before = current.load().limits.concurrent_requests;
        match next_change(&mut watcher).await {
            ConfigChange::New(loaded) => current.store(Arc::new(loaded.config)),
            ConfigChange::Rejected(LoadError::Invalid { errors, .. }) => {
                assert_eq!(errors[0].position.map(|at| at.0), Some(1));
            }
            ConfigChange::Rejected(load_error) => panic!("{load_error}"),
        }
        assert_eq!(current.load().limits.concurrent_requests, streams.unwrap_or(before), "{text}");
    }
}

#[tokio::test]
async fn a_removed_file_is_reported_once_and_may_return() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "limits.streams = 1\n").expect("written");
    let (mut watcher, _) = start_watcher(&file);
    fs::remove_file(&file).expect("removed");
    assert!(matches!(
        next_change(&mut watcher).await,
        ConfigChange::Rejected(LoadError::Unreadable { .. })
    ));
    let result = tokio::time::timeout(Duration::from_millis(300), watcher.next_change()).await;
    assert!(result.is_err(), "it is reported only once");
    fs::write(&file, "limits.streams = 7\n").expect("written");
    let ConfigChange::New(loaded) = next_change(&mut watcher).await else {
        panic!("the file is valid again")
    };
    assert_eq!(loaded.config.limits.concurrent_requests, 7);
}
