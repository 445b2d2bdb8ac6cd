//! A store in one SQLite file.
//!
//! One thread writes: it takes everything that waits and commits it together. Two read: what
//! the shelf does not know, and conversations. Several processes may have the same file: SQLite keeps their commits apart,
//! and within a second each forgets what it believed to know when another has written.

mod accounts;
mod conversations;
mod file;
mod jobs;
mod open;
mod reader;
mod rows;
mod salvage;
mod schema;
mod sessions;
mod work;
mod writer;

use std::collections::HashMap;
use std::future::ready;
use std::io;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use self::reader::{Ask, Reader};
use self::work::Work;
use self::writer::Writer;
use crate::health::{Health, Trouble};
use crate::id;
use crate::intake::Intake;
use crate::options::Options;
use crate::record::{Found, Kind, Record};
use crate::session::Moments;
use crate::shelf::{Missing, Removal};
use crate::slots::Kept;
use crate::{BoxFuture, Store};

/// A store in one SQLite file.
#[derive(Debug)]
pub struct Sqlite {
    shared: Arc<Shared>,
    asks: mpsc::Sender<Ask>,
    /// Conversations are read beside, so that nobody who needs a record waits for one.
    others: mpsc::Sender<Ask>,
    writer: Option<JoinHandle<()>>,
}

type Job = crate::queue::Job<Box<dyn Work>>;

/// What the threads of a store share.
#[derive(Debug)]
struct Shared {
    path: PathBuf,
    options: Options,
    intake: Intake<Box<dyn Work>>,
    moments: Moments,
    /// How often the file was opened for writing: a reader follows.
    opened: AtomicU64,
    /// There are records that were written without the key.
    plain: AtomicBool,
}

impl Sqlite {
    /// Opens the file, or begins one. If that is not possible now, [`Store::health`] says why, it is
    /// tried again, and until then everything is remembered in memory. Fails only where no threads can
    /// be had.
    pub fn open(path: PathBuf, options: Options) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            intake: Intake::new(&options),
            moments: Moments::default(),
            opened: AtomicU64::new(0),
            plain: AtomicBool::new(false),
            path,
            options,
        });
        let reader = || {
            let (asks, asked) = mpsc::channel();
            let reader = Reader::new(Arc::clone(&shared));
            let thread = thread::Builder::new().name("store reader".into());
            thread.spawn(move || reader.run(&asked)).map(|_| asks)
        };
        let (asks, others) = (reader()?, reader()?);
        // The first opening is awaited, so that what is wrong is said before anything else is.
        let writer = Writer::new(Arc::clone(&shared));
        let writer = thread::Builder::new().name("store writer".into()).spawn(|| writer.run())?;
        Ok(Self { shared, asks, others, writer: Some(writer) })
    }
}

impl Deref for Shared {
    type Target = Intake<Box<dyn Work>>;

    fn deref(&self) -> &Self::Target {
        &self.intake
    }
}

impl Store for Sqlite {
    fn keep(&self, record: Record) {
        let kept = Arc::new(Kept::new(record, self.shared.ids.next(), id::now()));
        if self.shared.shelves.of(kept.kind).keep(&kept) {
            self.shared.put(Job::Write(kept));
        }
    }

    fn is_empty(&self, kind: Kind) -> bool {
        self.shared.shelves.of(kind).is_bare()
    }

    fn find(&self, kind: Kind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<Found>> {
        let look = self.shared.shelves.of(kind).look(owner, keys, id::now());
        if !look.revived.is_empty() {
            self.shared.put(Job::Revive(look.revived));
        }
        if look.missing.is_empty() {
            return Box::pin(ready(look.found));
        }
        let (answer, answered) = oneshot::channel();
        let mut found = look.found;
        // Of a key that is asked for twice, either will do.
        let place = |(nth, key): (usize, &&str)| ((*key).to_owned(), nth);
        let places: HashMap<String, usize> = keys.iter().enumerate().map(place).collect();
        let meanwhile: Vec<Found> = look.missing.iter().flat_map(Missing::found).collect();
        let (owner, keys) = (owner.to_owned(), look.missing);
        let ask = Ask::Keys { kind, owner, keys, load: look.load, answer };
        let asked = self.asks.send(ask).is_ok();
        Box::pin(async move {
            let answered = async { if asked { answered.await.ok() } else { None } };
            let stuck = self.shared.pulse.is_unreadable();
            match timeout(if stuck { IMPATIENCE } else { PATIENCE }, answered).await {
                Ok(Some(rows)) => found.extend(rows),
                Ok(None) => found.extend(meanwhile),
                Err(_) => {
                    let trouble = Trouble(format!("no answer within {} s", PATIENCE.as_secs()));
                    self.shared.pulse.read(Some(&trouble));
                    found.extend(meanwhile);
                }
            }
            found.sort_by_key(|found| places.get(&found.key).copied());
            found
        })
    }

    fn all(&self, kind: Kind) -> BoxFuture<'_, Vec<Record>> {
        let known = self.shared.shelves.of(kind);
        let (mut all, going) = (known.waiting(), known.going());
        let (answer, answered) = oneshot::channel();
        let asked = self.asks.send(Ask::All { kind, answer }).is_ok();
        Box::pin(async move {
            if asked && let Ok(rows) = answered.await {
                all.extend(rows);
                known.remaining(&mut all, &going);
            }
            all.values().rev().map(|kept| kept.record()).collect()
        })
    }

    fn remove(
        &self,
        kind: Kind,
        owner: Option<&str>,
        key: Option<&str>,
    ) -> BoxFuture<'_, Result<u64, Trouble>> {
        self.shared.remove(kind, owner, key)
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), Trouble>> {
        self.shared.flush()
    }

    fn health(&self) -> Health {
        self.shared.health()
    }
}

/// What waits is written; what cannot be written is lost.
impl Drop for Sqlite {
    fn drop(&mut self) {
        self.shared.queue.close();
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has nothing more to do.
            let _ = writer.join();
        }
    }
}

/// For the answer of a disk.
const PATIENCE: Duration = Duration::from_secs(2);
/// For one that did not answer the last time.
const IMPATIENCE: Duration = Duration::from_millis(50);
