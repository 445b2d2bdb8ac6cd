//! The file while the gateway runs: it is read again when it changes, and when somebody asks.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::access::digest;
use super::{Loaded, Refused, Source};

/// Watches the file of a configuration. Whoever has one in force keeps it until there is a new one.
pub struct Watch {
    source: Arc<Source>,
    env: Arc<Ask>,
    /// What was there when it was last looked at.
    seen: Seen,
    every: Duration,
    hangup: Hangup,
}

/// What came of a file that changed.
#[derive(Debug)]
pub enum Change {
    New(Box<Loaded>),
    /// The one that is in force stays.
    Refused(Refused),
}

type Ask = dyn Fn(&str) -> Option<String> + Send + Sync;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Nothing,
    Unreadable,
    /// The digest of its text.
    Text([u8; 32]),
}

impl Watch {
    /// Starts from what is there now, which has just been loaded. Needs a runtime.
    pub fn new(
        source: Source,
        env: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let seen = seen(&again(&source));
        let hangup = Hangup::new()?;
        Ok(Self { source: Arc::new(source), env: Arc::new(env), seen, every: EVERY, hangup })
    }

    /// Looks this often.
    #[must_use]
    pub fn every(mut self, every: Duration) -> Self {
        self.every = every;
        self
    }

    /// Waits for the next change, or for a hang-up signal: that reads everything again, the files with
    /// secrets too. May be dropped at any time.
    pub async fn change(&mut self) -> Change {
        loop {
            let asked = tokio::select! {
                () = sleep(self.every) => false,
                () = self.hangup.next() => true,
            };
            let text = self.text().await;
            if !asked && seen(&text) == self.seen {
                continue;
            }
            // Whoever writes it may be in the middle.
            sleep(self.every.min(SETTLED)).await;
            let again = self.text().await;
            if seen(&again) != seen(&text) {
                continue;
            }
            let before = std::mem::replace(&mut self.seen, seen(&again));
            match again {
                Ok(None) if before != Seen::Nothing => return Change::Refused(self.gone()),
                Ok(text) => return self.understand(text.unwrap_or_default()).await,
                Err(refused) => return Change::Refused(refused),
            }
        }
    }

    async fn text(&self) -> Result<Option<String>, Refused> {
        let source = Arc::clone(&self.source);
        spawn_blocking(move || again(&source)).await.unwrap_or(Ok(None))
    }

    async fn understand(&self, text: String) -> Change {
        let (source, env) = (Arc::clone(&self.source), Arc::clone(&self.env));
        let read = spawn_blocking(move || source.understand(&text, &*env)).await;
        match read.unwrap_or_else(|_| Err(self.gone())) {
            Ok(loaded) => Change::New(Box::new(loaded)),
            Err(refused) => Change::Refused(refused),
        }
    }

    fn gone(&self) -> Refused {
        let file = self.source.file.clone().unwrap_or_default();
        Refused::Unread { file, why: "it is not there any more".into() }
    }
}

/// What the file says now. A pipe has said all it had to say.
fn again(source: &Source) -> Result<Option<String>, Refused> {
    let Some(file) = source.file.clone().filter(|file| is_pipe(file)) else { return source.text() };
    Err(Refused::Unread { file, why: "it is a pipe, and cannot be read again".into() })
}

#[cfg(unix)]
fn is_pipe(file: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    fs::metadata(file).is_ok_and(|about| about.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

fn seen(text: &Result<Option<String>, Refused>) -> Seen {
    match text {
        Ok(Some(text)) => Seen::Text(digest(text.as_bytes())),
        Ok(None) => Seen::Nothing,
        Err(_) => Seen::Unreadable,
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("source", &self.source).finish_non_exhaustive()
    }
}

/// The signal of a terminal that hangs up, by which servers are told to read their files again.
struct Hangup {
    #[cfg(unix)]
    signal: tokio::signal::unix::Signal,
}

impl Hangup {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { signal: signal(SignalKind::hangup())? })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}

const EVERY: Duration = Duration::from_secs(2);
const SETTLED: Duration = Duration::from_millis(100);
