//! The signal by which servers are told to read their files again. It goes to the whole process, so
//! the test has one of its own.

use std::fs;
use std::process::Command;
use std::time::Duration;

use interlingua_gateway::config::{Change, Refused, Source, Watch};

#[cfg(unix)]
#[tokio::test]
async fn reads_everything_again_although_nothing_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "limits.streams = 5\n").expect("written");
    let source = Source { file: Some(file), named: true, listen: None };
    let mut watch = Watch::new(source, |_| None).expect("a signal").every(Duration::from_hours(1));
    let own = std::process::id().to_string();
    let told = Command::new("kill").args(["-HUP", &own]).status().expect("kill runs");
    assert!(told.success());
    let waited = tokio::time::timeout(Duration::from_secs(20), watch.change()).await;
    let Change::New(loaded) = waited.expect("it is heard") else { panic!("the file is good") };
    assert_eq!(loaded.config.limits.streams, 5);
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_not_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&file).status().expect("mkfifo runs");
    assert!(made.success());
    let source = Source { file: Some(file.clone()), named: true, listen: None };
    let mut watch = Watch::new(source, |_| None).expect("a signal").every(Duration::from_hours(1));
    let own = std::process::id().to_string();
    let told = Command::new("kill").args(["-HUP", &own]).status().expect("kill runs");
    assert!(told.success());
    let waited = tokio::time::timeout(Duration::from_secs(20), watch.change()).await;
    let why = "it is a pipe, and cannot be read again".into();
    match waited.expect("it is heard") {
        Change::Refused(refused) => assert_eq!(refused, Refused::Unread { file, why }),
        Change::New(_) => panic!("nothing new was said"),
    }
}
