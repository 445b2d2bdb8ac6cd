//! Remembers which configuration files had keys, so that an emptied file does not open the gateway
//! with its next start.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::access::digest;
use super::watch::is_pipe;
use super::{Config, Env, Source, from_env};

impl Source {
    /// Remembers that the file has keys; or sets [`super::Access::had_keys`] if it has none, but had
    /// some before. The memory is an empty file in the user's data directory, named by the digest of
    /// the path. Without a data directory nothing is remembered.
    pub fn remember_keys(&self, config: &mut Config, env: Env<'_>) -> io::Result<()> {
        let (Some(file), Some(folder)) = (&self.file, from_env::data_dir(env)) else {
            return Ok(());
        };
        // Other files come through a pipe of the same name.
        if is_pipe(file) {
            return Ok(());
        }
        let marker = marker_path(&folder, file)?;
        if config.access.keys.is_empty() {
            config.access.had_keys = may_exist(&marker);
            return Ok(());
        }
        if may_exist(&marker) {
            return Ok(());
        }
        create_private(&marker)
    }
}

fn marker_path(folder: &Path, file: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(file)?;
    let mut name = String::new();
    for byte in digest(path.as_os_str().as_encoded_bytes()) {
        let _ = write!(name, "{byte:02x}");
    }
    Ok(folder.join("had-keys").join(name))
}

/// A directory that cannot be searched may have the file.
fn may_exist(marker: &Path) -> bool {
    match fs::symlink_metadata(marker) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
    }
}

fn create_private(marker: &Path) -> io::Result<()> {
    let mut folder = fs::DirBuilder::new();
    let mut options = fs::OpenOptions::new();
    folder.recursive(true);
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        folder.mode(0o700);
        options.mode(0o600);
    }
    folder.create(marker.parent().unwrap_or(marker))?;
    match options.open(marker) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
