//! Tests database files that have lost their content, and links in their place.

use std::fs;
use std::path::{Path, PathBuf};

use interlingua_store::{RecordKind, RecordStore as _, StoreOptions};

use crate::disk::moved_aside;
use crate::sqlite::{fresh, open};
use crate::support::{bodies, record};

/// A folder as a kill leaves it: the commits are in the WAL.
async fn killed_store() -> (tempfile::TempDir, PathBuf) {
    let (store, folder) = fresh(StoreOptions::default());
    store.put(record(RecordKind::ApiKey, "", &["k"], "key"));
    store.put(record(RecordKind::DivergedReply, "", &["s"], "reply"));
    store.flush().await.unwrap();
    let killed = tempfile::tempdir().unwrap();
    fs::create_dir(killed.path().join("data")).unwrap();
    for suffix in ["", "-wal", ".lock"] {
        let name = format!("data/store.db{suffix}");
        fs::copy(folder.path().join(&name), killed.path().join(&name)).unwrap();
    }
    let path = killed.path().join("data").join("store.db");
    assert!(fs::metadata(sibling(&path, "-wal")).unwrap().len() > 0);
    (killed, path)
}

fn sibling(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

#[tokio::test]
async fn an_emptied_file_is_moved_aside_and_its_journal_is_read() {
    for is_missing in [false, true] {
        let (folder, path) = killed_store().await;
        if is_missing {
            fs::remove_file(&path).unwrap();
        } else {
            fs::write(&path, "").unwrap();
        }
        let store = open(folder.path(), StoreOptions::default());
        assert_eq!(store.health().error, None);
        let aside = moved_aside(folder.path());
        assert!(aside.iter().any(|file| file.to_string_lossy().ends_with("-wal")), "{aside:?}");
        assert_eq!(bodies(&store, RecordKind::ApiKey).await, ["key"]);
        assert_eq!(bodies(&store, RecordKind::DivergedReply).await, ["reply"]);
        drop(store);
        let store = open(folder.path(), StoreOptions::default());
        assert_eq!(bodies(&store, RecordKind::ApiKey).await, ["key"]);
        assert_eq!(moved_aside(folder.path()).len(), aside.len(), "it is damaged only once");
    }
}

#[tokio::test]
async fn an_empty_file_is_new_only_without_a_lock_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("store.db");
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(&path, "").unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!((store.health().error.clone(), moved_aside(folder.path()).len()), (None, 0));
    drop(store);
    fs::write(&path, "").unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!((store.health().error.clone(), moved_aside(folder.path()).len()), (None, 1));
    drop(store);
    fs::remove_file(&path).unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!((store.health().error.clone(), moved_aside(folder.path()).len()), (None, 1));
}

#[tokio::test]
async fn an_unreadable_file_is_not_an_empty_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data").join("store.db");
    let store = open(&folder.path().join("none"), StoreOptions::default());
    assert_eq!(store.load_records(RecordKind::ApiKey).await.unwrap().records, []);
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("file"), "").unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert!(store.load_records(RecordKind::ApiKey).await.is_err());
    assert_eq!(store.list_records(RecordKind::ApiKey).await, []);
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_not_followed_when_permissions_are_changed() {
    use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
    let (folder, path) = killed_store().await;
    let target = folder.path().join("elsewhere");
    let mode = || fs::metadata(&target).unwrap().permissions().mode() & 0o777;
    let relink = |suffix: &str| {
        let link = sibling(&path, suffix);
        let _ = fs::remove_file(&link);
        fs::write(&target, "").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&target, &link).unwrap();
        link
    };
    let _ = fs::remove_file(sibling(&path, "-wal"));
    let _ = fs::remove_file(sibling(&path, ".lock"));
    // The own user's link leads where the user wants.
    let link = relink("");
    drop(open(folder.path(), StoreOptions::default()));
    assert_eq!(mode(), 0o644);
    assert!(fs::metadata(&target).unwrap().len() > 0, "it is used");
    // Only root can make a link of another user.
    let _ = fs::remove_file(sibling(&path, ".lock"));
    fs::write(&target, "").unwrap();
    if lchown(&link, Some(12_345), None).is_ok() {
        let error = open(folder.path(), StoreOptions::default()).health().error.unwrap();
        assert!(error.to_string().contains("link of another user"), "{error}");
        assert_eq!((mode(), fs::metadata(&target).unwrap().len()), (0o644, 0));
    }
    fs::remove_file(&link).unwrap();
    relink(".lock");
    assert!(open(folder.path(), StoreOptions::default()).health().error.is_some());
    assert_eq!((mode(), fs::metadata(&target).unwrap().len()), (0o644, 0));
}

#[cfg(unix)]
#[tokio::test]
async fn a_readable_file_becomes_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, path) = killed_store().await;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let store = open(folder.path(), StoreOptions::default());
    assert_eq!(bodies(&store, RecordKind::ApiKey).await, ["key"]);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}
