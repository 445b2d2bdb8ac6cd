//! Finds the configuration file and loads it.

use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::{Config, ConfigError, ConfigWarning, Env, parse};

/// The path of the configuration file, and overrides from the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// `None` for a user without a configuration directory.
    pub file: Option<PathBuf>,
    /// The path was given on the command line or in `INTERLINGUA_CONFIG`: the file must exist.
    pub is_explicit: bool,
    /// Overrides the file's `listen`.
    pub listen: Option<SocketAddr>,
}

/// A configuration with its warnings.
#[derive(Clone, Debug)]
pub struct LoadedConfig {
    pub config: Config,
    pub warnings: Vec<ConfigWarning>,
}

/// Why loading failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    Unreadable {
        file: PathBuf,
        reason: String,
    },
    /// The file has errors.
    Invalid {
        file: Option<PathBuf>,
        errors: Vec<ConfigError>,
    },
}

impl Source {
    /// Uses the path of the command line, else of `INTERLINGUA_CONFIG`, else the user's
    /// configuration file. The working directory is never read: its files may belong to another
    /// user.
    pub fn find(file: Option<PathBuf>, env: Env<'_>) -> Self {
        let path_from = |name: &str| env(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let explicit = file.or_else(|| path_from("INTERLINGUA_CONFIG"));
        let absolute = |name: &str| path_from(name).filter(|path| path.is_absolute());
        let default_path = || {
            let home = || absolute("HOME").map(|home| home.join(".config"));
            let folder = absolute("XDG_CONFIG_HOME").or_else(home)?;
            Some(folder.join("interlingua").join("interlingua.toml"))
        };
        Self { is_explicit: explicit.is_some(), file: explicit.or_else(default_path), listen: None }
    }

    /// Loads the configuration. Without a file it is that of [`Config::from_env`].
    pub fn load(&self, env: Env<'_>) -> Result<LoadedConfig, LoadError> {
        match self.read_text()? {
            Some(text) => self.parse(&text, env),
            None => Self { file: None, ..self.clone() }.parse("", env),
        }
    }

    /// The file's text; `None` if the file is optional and missing.
    pub(super) fn read_text(&self) -> Result<Option<String>, LoadError> {
        let Some(file) = &self.file else { return Ok(None) };
        match read_file(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.is_explicit => Ok(None),
            Err(error) => {
                Err(LoadError::Unreadable { file: file.clone(), reason: error.to_string() })
            }
        }
    }

    pub(super) fn parse(&self, text: &str, env: Env<'_>) -> Result<LoadedConfig, LoadError> {
        match parse::parse(text, env, self.listen) {
            Ok((config, warnings)) => Ok(LoadedConfig { config, warnings }),
            Err(errors) => Err(LoadError::Invalid { file: self.file.clone(), errors }),
        }
    }
}

fn read_file(file: &Path) -> io::Result<String> {
    if fs::metadata(file)?.len() > MAX_FILE_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 4 MiB"));
    }
    let bytes = fs::read(file)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let message = format!("line {} is not UTF-8", valid.matches('\n').count() + 1);
        io::Error::new(io::ErrorKind::InvalidData, message)
    })
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, reason } => {
                write!(f, "cannot read {}: {reason}", file.display())
            }
            Self::Invalid { file, errors } => {
                match file {
                    Some(file) => write!(f, "{} is invalid:", file.display())?,
                    None => f.write_str("the configuration is invalid:")?,
                }
                errors.iter().try_for_each(|config_error| write!(f, "\n  {config_error}"))
            }
        }
    }
}

impl std::error::Error for LoadError {}

const MAX_FILE_BYTES: u64 = 4 << 20;
