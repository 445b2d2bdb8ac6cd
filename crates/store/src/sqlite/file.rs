//! Creates, locks and moves the SQLite file; only the user can read it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Creates the directory and the file if missing, readable by the user only.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_dir(folder)?;
    }
    let mut options = OpenOptions::new();
    // An existing file must not be opened here: closing any descriptor of it releases this
    // process's POSIX locks on it.
    match owner_only(options.write(true).create_new(true)).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => restrict_permissions(path),
        Err(error) => Err(error),
    }
}

/// Locks a file next to the database, so that only one process at a time opens, checks or moves it.
pub(super) fn lock_for_open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    let file = owner_only(options).open(with_suffix(path, ".lock"))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > LOCK_TIMEOUT => {
                let message = "timed out waiting for another process that is opening it";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
            }
            Err(TryLockError::WouldBlock) => sleep(LOCK_RETRY_INTERVAL),
        }
    }
}

/// Renames a damaged database and its WAL to `….broken-<time>`.
pub(super) fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let candidate = |nth: u64| with_suffix(path, &format!(".broken-{}", time + nth));
    let taken_count = (0..1000).take_while(|nth| candidate(*nth).exists()).count();
    let target = candidate(taken_count as u64);
    fs::rename(path, &target)?;
    for suffix in ["-wal", "-shm"] {
        match fs::rename(with_suffix(path, suffix), with_suffix(&target, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(target)
}

/// Syncs the WAL to disk. SQLite has no POSIX locks on this file, so it may be opened and closed
/// here.
pub(super) fn sync_wal(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(with_suffix(path, "-wal")) {
        Ok(wal) => wal.sync_data(),
        // Without a WAL everything is in the database file.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(unix)]
fn create_private_dir(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// SQLite gives its WAL and shared memory files the same permissions.
#[cfg(unix)]
fn restrict_permissions(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if fs::metadata(path)?.permissions().mode() & 0o777 == 0o600 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn create_private_dir(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
fn restrict_permissions(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Device and inode of the file.
#[cfg(unix)]
pub(super) fn file_id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn file_id(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);
