//! Work that may take long, on threads where nobody else waits for it.
//!
//! Whoever accepted a connection answers it on the same thread, and all others of that thread with it.
//! What is said in a few hundred kilobytes is translated in the time of a breath; a long history may
//! hold everybody up, the more so if somebody made it for that.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Room for as much at once as there are processors.
#[derive(Debug)]
pub(crate) struct Heavy(Arc<Semaphore>);

impl Default for Heavy {
    fn default() -> Self {
        Self::with_room_for(available_parallelism().map_or(1, usize::from))
    }
}

impl Heavy {
    fn with_room_for(count: usize) -> Self {
        Self(Arc::new(Semaphore::new(count)))
    }

    /// Whether something so long is too much to be done where others wait.
    pub(crate) fn is_due(bytes: usize) -> bool {
        bytes >= LONG
    }

    /// Does it when there is room. Who asked may leave; the room is taken until it is done.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let room = Arc::clone(&self.0).acquire_owned().await;
        let done = spawn_blocking(move || {
            let done = work();
            drop(room);
            done
        });
        match done.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(done) => done,
            Err(Ok(panic)) => resume_unwind(panic),
            // All ends, and nobody is there to hear more.
            Err(Err(_)) => std::future::pending().await,
        }
    }
}

const LONG: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::time::{Duration, timeout};

    use super::Heavy;

    #[tokio::test]
    async fn others_go_on_meanwhile() {
        let (say, hear) = channel();
        let heavy = Heavy::with_room_for(1);
        let waits = heavy.run(move || hear.recv());
        let (heard, said) = tokio::join!(waits, async move { say.send(7) });
        assert_eq!((heard, said), (Ok(7), Ok(())));
    }

    #[tokio::test]
    async fn who_leaves_makes_no_room() {
        let (say, hear) = channel();
        let heavy = Heavy::with_room_for(1);
        let waits = heavy.run(move || hear.recv());
        assert!(timeout(Duration::from_millis(20), waits).await.is_err());
        let mut next = Box::pin(heavy.run(|| 2));
        assert!(timeout(Duration::from_millis(20), &mut next).await.is_err());
        assert_eq!(say.send(1), Ok(()));
        assert_eq!(next.await, 2);
    }
}
