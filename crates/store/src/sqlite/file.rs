//! The file of a store: private, one process at a time opening it, moved aside when it is broken.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Makes the folder if there is none, and the file if there is none, for nobody but the user.
pub(super) fn prepare(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    // A file that is there is not opened here: closing it would free the locks that this process
    // has on it.
    match for_the_user(options.write(true).create_new(true)).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tighten(path),
        Err(error) => Err(error),
    }
}

/// Held while a file is opened, checked and moved, so that two processes do not do so at once.
pub(super) fn lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(false);
    let file = for_the_user(options).open(beside(path, ".lock"))?;
    let start = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if start.elapsed() > PATIENCE => {
                let why = "another process has been opening it for too long";
                return Err(io::Error::new(io::ErrorKind::WouldBlock, why));
            }
            Err(TryLockError::WouldBlock) => sleep(BREATH),
        }
    }
}

/// Moves a broken database to where nobody looks for it by itself, with what belongs to it.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let named = |nth: u64| beside(path, &format!(".broken-{}", time + nth));
    let taken = (0..1000).take_while(|nth| named(*nth).exists()).count();
    let aside = named(taken as u64);
    fs::rename(path, &aside)?;
    for ending in ["-wal", "-shm"] {
        match fs::rename(beside(path, ending), beside(&aside, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(aside)
}

/// What was committed is on disk, whether or not it has come into the database itself. Nobody has locks on
/// this file, so it may be closed here.
pub(super) fn sync_log(path: &Path) -> io::Result<()> {
    match OpenOptions::new().write(true).open(beside(path, "-wal")) {
        Ok(log) => log.sync_data(),
        // Then nothing is but in the database.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// SQLite gives the files beside it the same rights.
#[cfg(unix)]
fn tighten(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if fs::metadata(path)?.permissions().mode() & 0o777 == 0o600 {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(unix)]
fn for_the_user(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
fn tighten(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn for_the_user(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Which file this is, whatever it is called now.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

const PATIENCE: Duration = Duration::from_secs(10);
const BREATH: Duration = Duration::from_millis(20);
