//! Creates, locks and moves the SQLite file; only the user can read it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[cfg(unix)]
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

#[cfg(unix)]
use rustix::fs::OFlags;

/// The lock that lets one process at a time open, check or move a database.
pub(super) struct OpenLock {
    _file: File,
    /// The lock file was there: the database has been opened before.
    pub(super) existed: bool,
}

/// Creates the file if missing, readable by the user only; returns whether it was missing.
pub(super) fn create_private(path: &Path) -> io::Result<bool> {
    let mut options = OpenOptions::new();
    // An existing file must not be opened here: closing any descriptor of it releases this
    // process's POSIX locks on it.
    match owner_only(options.write(true).create_new(true)).open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            restrict_permissions(path).map(|()| false)
        }
        Err(error) => Err(error),
    }
}

/// Creates the directory if missing, and locks a file next to the database.
pub(super) fn lock_for_open(path: &Path) -> io::Result<OpenLock> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        create_private_dir(folder)?;
    }
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    let lock_path = with_suffix(path, ".lock");
    let existed = fs::symlink_metadata(&lock_path).is_ok();
    let file = owner_only(options).open(lock_path)?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(OpenLock { _file: file, existed }),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > LOCK_TIMEOUT => {
                let message = "timed out waiting for another process that is opening it";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, message));
            }
            Err(TryLockError::WouldBlock) => sleep(LOCK_RETRY_INTERVAL),
        }
    }
}

/// Why an empty or missing database is a damaged one: what lies beside it shows that there was
/// content, which SQLite would delete with the journal.
pub(super) fn lost_content(path: &Path, lock: &OpenLock) -> Option<&'static str> {
    let size = fs::metadata(path).ok().map(|metadata| metadata.len());
    let has_journal = ["-wal", "-journal"]
        .iter()
        .any(|suffix| fs::symlink_metadata(with_suffix(path, suffix)).is_ok());
    match size {
        Some(0) if has_journal => Some("it is empty, but has a journal"),
        Some(0) if lock.existed => Some("it is empty, but was opened before"),
        None if has_journal => Some("it is missing, but its journal is there"),
        _ => None,
    }
}

/// Whether there is no file, or an empty one.
pub(super) fn is_absent(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(metadata) => metadata.len() == 0,
        Err(error) => {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        }
    }
}

/// Removes a file that was created in vain: it would be taken for one that has lost its content.
pub(super) fn remove_if_empty(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() == 0) {
        // It is tried again with the next opening.
        let _ = fs::remove_file(path);
    }
}

/// Renames a damaged database and its journals to `….broken-<time>`.
pub(super) fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let candidate = |nth: u64| with_suffix(path, &format!(".broken-{}", time + nth));
    let taken_count = (0..1000).take_while(|nth| candidate(*nth).exists()).count();
    let target = candidate(taken_count as u64);
    for suffix in ["", "-wal", "-shm", "-journal"] {
        match fs::rename(with_suffix(path, suffix), with_suffix(&target, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(target)
}

/// Gives an empty database one blank page, because SQLite deletes the WAL of an empty file instead
/// of reading it. The WAL's own copies of the pages count.
pub(super) fn make_journal_readable(path: &Path) {
    let has_wal = fs::metadata(with_suffix(path, "-wal")).is_ok_and(|wal| wal.len() > 0);
    if has_wal && is_absent(path) {
        let mut options = OpenOptions::new();
        let file = owner_only(options.write(true).create(true).truncate(false)).open(path);
        // Without it, less is salvaged.
        let _ = file.and_then(|file| file.set_len(PAGE_BYTES));
    }
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

/// SQLite gives its WAL and shared memory files the same permissions. A link is not followed: in a
/// folder that other users can write, it may lead to any file.
#[cfg(unix)]
fn restrict_permissions(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        let owner = metadata.uid();
        if owner != 0 && owner != rustix::process::geteuid().as_raw() {
            let message = "it is a symbolic link of another user";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        if fs::metadata(path).is_ok_and(|target| target.mode() & 0o077 != 0) {
            tracing::warn!("{} is a link to a file that other users can access", path.display());
        }
        return Ok(());
    }
    if metadata.mode() & 0o777 == OWNER_ONLY { Ok(()) } else { restrict_file(path) }
}

/// An `O_PATH` descriptor, unlike others, does not release the POSIX locks of this process when it
/// is closed; `fchmod` accepts it only under its name in `/proc`.
#[cfg(target_os = "linux")]
fn restrict_file(path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let file = open_without_links(path, OFlags::PATH)?;
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::set_permissions(descriptor, fs::Permissions::from_mode(OWNER_ONLY))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn restrict_file(path: &Path) -> io::Result<()> {
    let file = open_without_links(path, OFlags::empty())?;
    file.set_permissions(fs::Permissions::from_mode(OWNER_ONLY))
}

#[cfg(unix)]
fn open_without_links(path: &Path, flags: OFlags) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(to_raw(flags | OFlags::NOFOLLOW)).open(path)
}

#[cfg(unix)]
fn owner_only(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(OWNER_ONLY).custom_flags(to_raw(OFlags::NOFOLLOW))
}

#[cfg(unix)]
fn to_raw(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
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

#[cfg(unix)]
const OWNER_ONLY: u32 = 0o600;
/// SQLite's default page size.
const PAGE_BYTES: u64 = 4096;
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(20);
