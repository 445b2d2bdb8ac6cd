//! The file while the gateway runs.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use interlingua_gateway::config::{Change, Config, Refused, Source, Watch};

use crate::good::env;

fn watch(file: &Path) -> (Watch, Arc<Config>) {
    let source = Source { file: Some(file.into()), named: true, listen: None };
    let loaded = source.load(&env).expect("a good file");
    let watch = Watch::new(source, env).expect("a signal").every(Duration::from_millis(20));
    (watch, Arc::new(loaded.config))
}

async fn next(watch: &mut Watch) -> Change {
    let waited = tokio::time::timeout(Duration::from_secs(20), watch.change()).await;
    waited.expect("a change is seen")
}

#[tokio::test]
async fn a_bad_file_is_refused_and_a_good_one_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "limits.streams = 1\n").expect("written");
    let (mut watch, first) = watch(&file);
    let force = arc_swap::ArcSwap::new(Arc::clone(&first));
    for (text, streams) in [
        ("limits.streems = 2\n", None),
        ("limits.streams = 2\n", Some(2)),
        ("limits.streams = [\n", None),
        ("limits.streams = 3\n", Some(3)),
    ] {
        fs::write(&file, text).expect("written");
        let before = force.load().limits.streams;
        match next(&mut watch).await {
            Change::New(loaded) => force.store(Arc::new(loaded.config)),
            Change::Refused(Refused::Wrong { mistakes, .. }) => {
                assert_eq!(mistakes[0].at.map(|at| at.0), Some(1));
            }
            Change::Refused(refused) => panic!("{refused}"),
        }
        assert_eq!(force.load().limits.streams, streams.unwrap_or(before), "{text}");
    }
}

#[tokio::test]
async fn a_file_that_goes_away_is_told_once_and_may_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("i.toml");
    fs::write(&file, "limits.streams = 1\n").expect("written");
    let (mut watch, _) = watch(&file);
    fs::remove_file(&file).expect("removed");
    assert!(matches!(next(&mut watch).await, Change::Refused(Refused::Unread { .. })));
    let quiet = tokio::time::timeout(Duration::from_millis(300), watch.change()).await;
    assert!(quiet.is_err(), "it is not said again and again");
    fs::write(&file, "limits.streams = 7\n").expect("written");
    let Change::New(loaded) = next(&mut watch).await else { panic!("it is back") };
    assert_eq!(loaded.config.limits.streams, 7);
}
