//! Watches the configuration file: polls for changes and reloads on SIGHUP.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::access::digest;
use super::{LoadError, LoadedConfig, Source};

/// Watches a configuration file. The current configuration stays in force until a valid new one is
/// read.
pub struct ConfigWatcher {
    source: Arc<Source>,
    env: Arc<EnvLookup>,
    /// The state at the last poll.
    last_state: FileState,
    interval: Duration,
    hangup: HangupSignal,
}

/// The outcome of a changed file.
#[derive(Debug)]
pub enum ConfigChange {
    New(Box<LoadedConfig>),
    /// The current configuration stays in force.
    Rejected(LoadError),
}

type EnvLookup = dyn Fn(&str) -> Option<String> + Send + Sync;

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    Missing,
    Unreadable,
    /// SHA-256 of its text.
    Digest([u8; 32]),
}

impl ConfigWatcher {
    /// Starts from the current state of the file, which was just loaded. Needs a tokio runtime.
    pub fn new(
        source: Source,
        env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let last_state = file_state(&reread(&source));
        let hangup = HangupSignal::new()?;
        Ok(Self {
            source: Arc::new(source),
            env: Arc::new(env),
            last_state,
            interval: POLL_INTERVAL,
            hangup,
        })
    }

    /// Sets the polling interval.
    #[must_use]
    pub fn with_interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Waits for the next change of the file, or for SIGHUP, which also reads the files with
    /// secrets again. Cancel-safe.
    pub async fn next_change(&mut self) -> ConfigChange {
        loop {
            let is_forced = tokio::select! {
                () = sleep(self.interval) => false,
                () = self.hangup.recv() => true,
            };
            let text = self.read_text().await;
            if !is_forced && file_state(&text) == self.last_state {
                continue;
            }
            // The file may be half written: wait until it stays the same.
            sleep(self.interval.min(SETTLE_DELAY)).await;
            let settled = self.read_text().await;
            if file_state(&settled) != file_state(&text) {
                continue;
            }
            let before = std::mem::replace(&mut self.last_state, file_state(&settled));
            match settled {
                Ok(None) if before != FileState::Missing => {
                    return ConfigChange::Rejected(self.missing_error());
                }
                Ok(text) => return self.parse(text.unwrap_or_default()).await,
                Err(load_error) => return ConfigChange::Rejected(load_error),
            }
        }
    }

    async fn read_text(&self) -> Result<Option<String>, LoadError> {
        let source = Arc::clone(&self.source);
        spawn_blocking(move || reread(&source)).await.unwrap_or(Ok(None))
    }

    async fn parse(&self, text: String) -> ConfigChange {
        let (source, env) = (Arc::clone(&self.source), Arc::clone(&self.env));
        let read = spawn_blocking(move || source.parse(&text, &*env)).await;
        match read.unwrap_or_else(|_| Err(self.missing_error())) {
            Ok(loaded_config) => ConfigChange::New(Box::new(loaded_config)),
            Err(load_error) => ConfigChange::Rejected(load_error),
        }
    }

    fn missing_error(&self) -> LoadError {
        let file = self.source.file.clone().unwrap_or_default();
        LoadError::Unreadable { file, reason: "it no longer exists".into() }
    }
}

/// Reads the file again. A pipe is an error: its content is consumed by the first read.
fn reread(source: &Source) -> Result<Option<String>, LoadError> {
    let Some(file) = source.file.clone().filter(|file| is_pipe(file)) else {
        return source.read_text();
    };
    Err(LoadError::Unreadable { file, reason: "it is a pipe and cannot be read again".into() })
}

#[cfg(unix)]
pub(super) fn is_pipe(file: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    fs::metadata(file).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
pub(super) fn is_pipe(_: &Path) -> bool {
    false
}

fn file_state(text: &Result<Option<String>, LoadError>) -> FileState {
    match text {
        Ok(Some(text)) => FileState::Digest(digest(text.as_bytes())),
        Ok(None) => FileState::Missing,
        Err(_) => FileState::Unreadable,
    }
}

impl fmt::Debug for ConfigWatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("source", &self.source).finish_non_exhaustive()
    }
}

/// SIGHUP, by which servers are told to reload their files.
struct HangupSignal {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl HangupSignal {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { signal: signal(SignalKind::hangup())? })
    }

    #[cfg(unix)]
    async fn recv(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn recv(&mut self) {
        std::future::pending::<()>().await;
    }
}

const POLL_INTERVAL: Duration = Duration::from_secs(2);
const SETTLE_DELAY: Duration = Duration::from_millis(100);
