//! Where the configuration is, and what comes of reading it.

use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use super::{Config, Env, Mistake, Warning, read};

/// Where the configuration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file; `None` for a user without a place for one.
    pub file: Option<PathBuf>,
    /// Somebody named it: it must be there.
    pub named: bool,
    /// Where to listen, whatever the file says.
    pub listen: Option<SocketAddr>,
}

/// A configuration, with what is doubtful about it.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub config: Config,
    pub warnings: Vec<Warning>,
}

/// Why there is no new configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The file cannot be read.
    Unread { file: PathBuf, why: String },
    /// What it says is wrong.
    Wrong { file: Option<PathBuf>, mistakes: Vec<Mistake> },
}

impl Source {
    /// The file that the command line names, else the one that `INTERLINGUA_CONFIG` names, else the
    /// user's. The working directory is never looked at: it may be somebody else's.
    pub fn find(file: Option<PathBuf>, env: Env<'_>) -> Self {
        let filled = |name: &str| env(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let named = file.or_else(|| filled("INTERLINGUA_CONFIG"));
        let absolute = |name: &str| filled(name).filter(|path| path.is_absolute());
        let user = || {
            let home = || absolute("HOME").map(|home| home.join(".config"));
            let folder = absolute("XDG_CONFIG_HOME").or_else(home)?;
            Some(folder.join("interlingua").join("interlingua.toml"))
        };
        Self { named: named.is_some(), file: named.or_else(user), listen: None }
    }

    /// Reads it. No file at all is a configuration too: that of [`Config::from_nothing`].
    pub fn load(&self, env: Env<'_>) -> Result<Loaded, Refused> {
        match self.text()? {
            Some(text) => self.understand(&text, env),
            // Nothing is wrong with a file that is not there.
            None => Self { file: None, ..self.clone() }.understand("", env),
        }
    }

    /// What the file says; nothing if it need not be there and is not.
    pub(super) fn text(&self) -> Result<Option<String>, Refused> {
        let Some(file) = &self.file else { return Ok(None) };
        match text(file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.named => Ok(None),
            Err(error) => Err(Refused::Unread { file: file.clone(), why: error.to_string() }),
        }
    }

    pub(super) fn understand(&self, text: &str, env: Env<'_>) -> Result<Loaded, Refused> {
        match read::read(text, env, self.listen) {
            Ok((config, warnings)) => Ok(Loaded { config, warnings }),
            Err(mistakes) => Err(Refused::Wrong { file: self.file.clone(), mistakes }),
        }
    }
}

fn text(file: &Path) -> io::Result<String> {
    if fs::metadata(file)?.len() > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it has more than 4 MiB"));
    }
    let bytes = fs::read(file)?;
    String::from_utf8(bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let what = format!("line {} is not UTF-8", good.matches('\n').count() + 1);
        io::Error::new(io::ErrorKind::InvalidData, what)
    })
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread { file, why } => write!(f, "cannot read {}: {why}", file.display()),
            Self::Wrong { file, mistakes } => {
                match file {
                    Some(file) => write!(f, "{} is refused:", file.display())?,
                    None => f.write_str("this cannot be:")?,
                }
                mistakes.iter().try_for_each(|mistake| write!(f, "\n  {mistake}"))
            }
        }
    }
}

impl std::error::Error for Refused {}

/// Nobody writes more.
const LONGEST: u64 = 4 << 20;
