//! Runs long translations on the blocking pool.
//!
//! A connection is served on the thread that accepted it, together with all other connections of
//! that thread. Translating a few hundred kilobytes there is short enough; a longer body would
//! delay the others, and a client could send one for that purpose.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use interlingua_providers::StopFlag;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Limits concurrent work to the number of processors, and its time.
#[derive(Debug)]
pub(crate) struct BlockingPool {
    permits: Arc<Semaphore>,
    max_work_time: Duration,
}

impl Default for BlockingPool {
    fn default() -> Self {
        Self::with_limits(available_parallelism().map_or(1, usize::from), MAX_WORK_TIME)
    }
}

impl BlockingPool {
    fn with_limits(count: usize, max_work_time: Duration) -> Self {
        Self { permits: Arc::new(Semaphore::new(count)), max_work_time }
    }

    /// Whether a body is too long for the connection's thread.
    pub(crate) fn should_offload(bytes: usize) -> bool {
        bytes >= OFFLOAD_THRESHOLD_BYTES
    }

    /// Runs `work` when there is a free permit. The permit is held until the work is done. The flag
    /// tells the work to stop when the caller is dropped, or after the time limit, for which the
    /// result is `None`.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        stop: StopFlag,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let mut stop_on_drop = StopOnDrop(Some(stop));
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let result = spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        let result = timeout(self.max_work_time, result).await.ok()?;
        // The flag is shared with later steps of the request.
        stop_on_drop.0 = None;
        match result.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(result) => Some(result),
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime is shutting down.
            Err(Err(_)) => std::future::pending().await,
        }
    }
}

struct StopOnDrop(Option<StopFlag>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.set();
        }
    }
}

const OFFLOAD_THRESHOLD_BYTES: usize = 1 << 20;
/// Far above the time for the largest body on a slow machine.
const MAX_WORK_TIME: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use interlingua_providers::StopFlag;
    use tokio::time::{Duration, timeout};

    use super::BlockingPool;

    #[tokio::test]
    async fn other_tasks_run_meanwhile() {
        let (sender, receiver) = channel();
        let blocking_pool = BlockingPool::with_limits(1, Duration::from_mins(1));
        let waiting = blocking_pool.run(StopFlag::new(), move || receiver.recv());
        let results = tokio::join!(waiting, async move { sender.send(7) });
        assert_eq!(results, (Some(Ok(7)), Ok(())));
    }

    #[tokio::test]
    async fn the_permit_is_held_until_the_work_is_done() {
        let (sender, receiver) = channel();
        let blocking_pool = BlockingPool::with_limits(1, Duration::from_mins(1));
        let waiting = blocking_pool.run(StopFlag::new(), move || receiver.recv());
        assert!(timeout(Duration::from_millis(20), waiting).await.is_err());
        let mut next = Box::pin(blocking_pool.run(StopFlag::new(), || 2));
        assert!(timeout(Duration::from_millis(20), &mut next).await.is_err());
        assert_eq!(sender.send(1), Ok(()));
        assert_eq!(next.await, Some(2));
    }

    fn work_until(stop: StopFlag) -> impl FnOnce() {
        move || {
            while !stop.is_set() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[tokio::test]
    async fn a_dropped_caller_stops_its_work() {
        let blocking_pool = BlockingPool::with_limits(1, Duration::from_mins(1));
        let stop = StopFlag::new();
        let waiting = blocking_pool.run(stop.clone(), work_until(stop));
        assert!(timeout(Duration::from_millis(20), waiting).await.is_err());
        assert_eq!(blocking_pool.run(StopFlag::new(), || 2).await, Some(2));
    }

    #[tokio::test]
    async fn work_has_a_deadline() {
        let blocking_pool = BlockingPool::with_limits(1, Duration::from_millis(20));
        let stop = StopFlag::new();
        let result = blocking_pool.run(stop.clone(), work_until(stop.clone())).await;
        assert_eq!(result, None);
        assert!(stop.is_set());
        assert_eq!(blocking_pool.run(StopFlag::new(), || 2).await, Some(2));
    }
}
