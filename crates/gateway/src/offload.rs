//! Runs long translations on the blocking pool.
//!
//! A connection is served on the thread that accepted it, together with all other connections of
//! that thread. Translating a few hundred kilobytes there is short enough; a longer body would
//! delay the others, and a client could send one for that purpose.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Limits concurrent work to the number of processors.
#[derive(Debug)]
pub(crate) struct BlockingPool(Arc<Semaphore>);

impl Default for BlockingPool {
    fn default() -> Self {
        Self::with_capacity(available_parallelism().map_or(1, usize::from))
    }
}

impl BlockingPool {
    fn with_capacity(count: usize) -> Self {
        Self(Arc::new(Semaphore::new(count)))
    }

    /// Whether a body is too long for the connection's thread.
    pub(crate) fn should_offload(bytes: usize) -> bool {
        bytes >= OFFLOAD_THRESHOLD_BYTES
    }

    /// Runs `work` when there is a free permit. The permit is held until the work is done, even if
    /// the caller is dropped.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let permit = Arc::clone(&self.0).acquire_owned().await;
        let result = spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        match result.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(result) => result,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is shutting down.
            Err(Err(_)) => std::future::pending().await,
        }
    }
}

const OFFLOAD_THRESHOLD_BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::time::{Duration, timeout};

    use super::BlockingPool;

    #[tokio::test]
    async fn other_tasks_run_meanwhile() {
        let (sender, receiver) = channel();
        let blocking_pool = BlockingPool::with_capacity(1);
        let waiting = blocking_pool.run(move || receiver.recv());
        let results = tokio::join!(waiting, async move { sender.send(7) });
        assert_eq!(results, (Ok(7), Ok(())));
    }

    #[tokio::test]
    async fn a_dropped_caller_keeps_its_permit() {
        let (sender, receiver) = channel();
        let blocking_pool = BlockingPool::with_capacity(1);
        let waiting = blocking_pool.run(move || receiver.recv());
        assert!(timeout(Duration::from_millis(20), waiting).await.is_err());
        let mut next = Box::pin(blocking_pool.run(|| 2));
        assert!(timeout(Duration::from_millis(20), &mut next).await.is_err());
        assert_eq!(sender.send(1), Ok(()));
        assert_eq!(next.await, 2);
    }
}
