//! A store in a PostgreSQL that several nodes share.
//!
//! What another node has written is found at the next question: the database is asked each time, and what
//! is known of a key here only saves reading bodies again, or serves while the database is away. Records
//! wait for one thread that writes them together; conversations go to the database at once. Connections
//! live on a thread of the store's own, so that no runtime of a caller carries them.

mod accounts;
mod address;
mod conversations;
mod link;
mod rows;
mod schema;
mod sessions;
mod writer;

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use self::address::Address;
pub use self::address::BadAddress;
use self::link::Link;
use self::writer::Writer;
use crate::health::{Health, Trouble};
use crate::id;
use crate::intake::Intake;
use crate::options::Options;
use crate::queue;
use crate::record::{Found, Kind, Record};
use crate::session::{Moments, SessionError};
use crate::shelf;
use crate::slots::Kept;
use crate::{BoxFuture, Store};

/// A store in a PostgreSQL.
#[derive(Debug)]
pub struct Postgres {
    shared: Arc<Shared>,
    runtime: Handle,
    writer: Option<JoinHandle<()>>,
    /// Dropped when connections are no longer needed.
    _open: oneshot::Sender<Infallible>,
}

#[derive(Debug)]
struct Shared {
    link: Link,
    options: Options,
    intake: Intake<Infallible>,
    moments: Moments,
    /// There are records that were written without the key.
    plain: AtomicBool,
}

/// There is nothing but records to wait for the writer.
type Job = queue::Job<Infallible>;

impl Postgres {
    /// Whether an address can be used at all; nobody is asked.
    pub fn check(url: &str) -> Result<(), BadAddress> {
        Address::read(url).map(drop)
    }

    /// Speaks to the database of this address, and makes its tables if there are none. If that is not
    /// possible now, [`Store::health`] says why, it is tried again, and until then records are remembered in
    /// memory. Fails only where the address is none, or no threads can be had.
    pub fn open(url: &str, options: Options) -> io::Result<Self> {
        let bad = |error: BadAddress| io::Error::new(io::ErrorKind::InvalidInput, error);
        let link = Link::new(Address::read(url).map_err(bad)?).map_err(bad)?;
        let shared = Arc::new(Shared {
            intake: Intake::new(&options),
            moments: Moments::default(),
            // Until it is known.
            plain: AtomicBool::new(true),
            link,
            options,
        });
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (open, ended) = oneshot::channel::<Infallible>();
        let thread = thread::Builder::new().name("store postgres".into());
        thread.spawn(move || {
            // Ends when nobody can answer any more.
            let _ = runtime.block_on(ended);
            runtime.shutdown_background();
        })?;
        first(&shared, &handle);
        let writer = Writer::new(Arc::clone(&shared), handle.clone());
        let writer = thread::Builder::new().name("store writer".into()).spawn(|| writer.run())?;
        Ok(Self { shared, runtime: handle, writer: Some(writer), _open: open })
    }
}

/// The first connection is awaited, so that what is wrong is said before anything else is.
fn first(shared: &Arc<Shared>, runtime: &Handle) {
    let (said, heard) = mpsc::channel();
    let task = Arc::clone(shared);
    runtime.spawn(async move {
        let counted = task.link.within(FIRST, async {
            let mut lease = task.link.lease().await?;
            let done = writer::count(&mut lease, &task).await;
            lease.settle(done)
        });
        let counted = counted.await.map_err(|error| match error {
            SessionError::Trouble(trouble) => trouble,
            other => Trouble(other.to_string()),
        });
        task.pulse.wrote(&counted);
        task.pulse.read(counted.as_ref().err());
        // Who waited may have given up.
        let _ = said.send(());
    });
    let _ = heard.recv_timeout(FIRST);
    let foreign = shared.pulse.foreign.load(Ordering::Relaxed);
    if foreign > 0 {
        let name = &shared.link.name;
        tracing::warn!(
            "{foreign} records and sessions of {name} were sealed with another key and are not found"
        );
    }
}

impl Deref for Shared {
    type Target = Intake<Infallible>;

    fn deref(&self) -> &Self::Target {
        &self.intake
    }
}

impl Store for Postgres {
    fn keep(&self, record: Record) {
        let kept = Arc::new(Kept::new(record, self.shared.ids.next(), id::now()));
        if self.shared.shelves.of(kept.kind).accept(&kept) {
            self.shared.put(Job::Write(kept));
        }
    }

    fn find(&self, kind: Kind, owner: &str, keys: &[&str]) -> BoxFuture<'_, Vec<Found>> {
        // Of a key that is asked for twice, either will do.
        let mut seen = HashSet::new();
        let once: Vec<&str> = keys.iter().copied().filter(|key| seen.insert(*key)).collect();
        let (known, now) = (self.shared.shelves.of(kind), id::now());
        let recalled = known.recall(owner, &once);
        let mut meanwhile = Vec::new();
        for one in &recalled {
            meanwhile.extend(shelf::found(&one.key, known.remembered(one, now).iter()));
        }
        // Whether it is there again is for the writer to find out.
        if once.is_empty() || self.shared.pulse.is_unreadable() {
            return Box::pin(ready(meanwhile));
        }
        let (shared, owner) = (Arc::clone(&self.shared), owner.to_owned());
        let task = self.runtime.spawn(async move {
            let rows = shared.link.within(PATIENCE, async {
                let lease = shared.link.lease().await?;
                let done = rows::find(&lease, &shared, kind, &owner, &recalled).await;
                lease.settle(done)
            });
            let rows = match rows.await {
                Ok(rows) => rows,
                Err(error) => {
                    shared.pulse.read(Some(&Trouble(error.to_string())));
                    return None;
                }
            };
            let (known, now) = (shared.shelves.of(kind), id::now());
            let (mut found, mut revived) = (Vec::new(), Vec::new());
            for (key, rows) in recalled.iter().zip(rows) {
                let kept = known.renew(&owner, key, &rows, now, &mut revived);
                found.extend(shelf::found(&key.key, kept.iter()));
            }
            if !revived.is_empty() {
                shared.put(Job::Revive(revived));
            }
            Some(found)
        });
        Box::pin(async move { task.await.ok().flatten().unwrap_or(meanwhile) })
    }

    fn all(&self, kind: Kind) -> BoxFuture<'_, Vec<Record>> {
        let known = self.shared.shelves.of(kind);
        let (mut all, going) = (known.waiting(), known.going());
        let shared = Arc::clone(&self.shared);
        let task = self.runtime.spawn(async move {
            let rows = shared.link.within(PATIENCE * 5, async {
                let lease = shared.link.lease().await?;
                let done = rows::all(&lease, &shared, kind).await;
                lease.settle(done)
            });
            let rows = rows.await;
            if let Err(error) = &rows {
                shared.pulse.read(Some(&Trouble(error.to_string())));
            }
            rows.ok()
        });
        Box::pin(async move {
            if let Ok(Some(rows)) = task.await {
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

    fn is_shared(&self) -> bool {
        true
    }
}

/// What waits is written; what cannot be written is lost.
impl Drop for Postgres {
    fn drop(&mut self) {
        self.shared.queue.close();
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has nothing more to do.
            let _ = writer.join();
        }
    }
}

/// For the first answer of a database.
const FIRST: Duration = Duration::from_secs(5);
/// For the answer to a question on whose way a request is.
const PATIENCE: Duration = Duration::from_secs(2);
