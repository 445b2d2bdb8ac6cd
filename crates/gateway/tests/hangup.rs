//! Tests of SIGHUP. It goes to the whole process, so the tests are a binary of their own.

use std::fs;
use std::process::Command;
use std::time::Duration;

use interlingua_gateway::config::{ConfigChange, ConfigWatcher, LoadError, Source};

#[cfg(unix)]
#[tokio::test]
async fn reads_everything_again_although_nothing_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "limits.streams = 5\n").expect("written");
    let source = Source { file: Some(file), is_explicit: true, listen: None };
    let mut watcher = ConfigWatcher::new(source, |_| None)
        .expect("a signal")
        .with_interval(Duration::from_hours(1));
    let pid = std::process::id().to_string();
    let status = Command::new("kill").args(["-HUP", &pid]).status().expect("kill runs");
    assert!(status.success());
    let result = tokio::time::timeout(Duration::from_secs(20), watcher.next_change()).await;
    let ConfigChange::New(loaded) = result.expect("the signal is received") else {
        panic!("the file is good")
    };
    assert_eq!(loaded.config.limits.concurrent_requests, 5);
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pipe");
    let status = Command::new("mkfifo").arg(&file).status().expect("mkfifo runs");
    assert!(status.success());
    let source = Source { file: Some(file.clone()), is_explicit: true, listen: None };
    let mut watcher = ConfigWatcher::new(source, |_| None)
        .expect("a signal")
        .with_interval(Duration::from_hours(1));
    let pid = std::process::id().to_string();
    let status = Command::new("kill").args(["-HUP", &pid]).status().expect("kill runs");
    assert!(status.success());
    let result = tokio::time::timeout(Duration::from_secs(20), watcher.next_change()).await;
    let reason = "it is a pipe and cannot be read again".into();
    match result.expect("the signal is received") {
        ConfigChange::Rejected(load_error) => {
            assert_eq!(load_error, LoadError::Unreadable { file, reason });
        }
        ConfigChange::New(_) => panic!("a pipe has no new content"),
    }
}
