//! Writes log lines in a thread; drops and counts lines beyond the queue's limits.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use metrics::counter;
use tracing_subscriber::fmt::MakeWriter;

/// Queues lines for a thread that writes them.
#[derive(Clone)]
pub(super) struct LogWriter {
    sender: SyncSender<Vec<u8>>,
    counts: Arc<Counts>,
    max_bytes: usize,
}

#[derive(Default)]
struct Counts {
    queued: AtomicU64,
    queued_bytes: AtomicUsize,
    dropped: AtomicU64,
}

/// Waits up to 200 ms for queued lines when it is dropped.
pub(crate) struct FlushGuard(Arc<Counts>);

impl LogWriter {
    /// Starts the writer thread; at most this many lines and bytes are queued.
    pub(super) fn spawn(
        out: impl Write + Send + 'static,
        (max_lines, max_bytes): (usize, usize),
    ) -> (Self, FlushGuard) {
        let (sender, receiver) = sync_channel(max_lines);
        let counts = Arc::new(Counts::default());
        let thread_counts = Arc::clone(&counts);
        // Without a thread, all lines are dropped.
        let _ = thread::Builder::new().name("log".into()).spawn(move || {
            write_lines(out, &receiver, &thread_counts);
        });
        (Self { sender, counts: Arc::clone(&counts), max_bytes }, FlushGuard(counts))
    }
}

fn write_lines(mut out: impl Write, lines: &Receiver<Vec<u8>>, counts: &Counts) {
    for line in lines {
        // The reader of stderr may have closed it.
        let _ = out.write_all(&line);
        counts.remove(line.len());
        let dropped = counts.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let _ = writeln!(
                out,
                "{dropped} lines of the log were dropped: stderr was not read in time"
            );
        }
    }
}

impl Counts {
    /// Counts a line; returns the queued bytes.
    fn add(&self, bytes: usize) -> usize {
        self.queued.fetch_add(1, Ordering::Relaxed);
        self.queued_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    fn remove(&self, bytes: usize) {
        self.queued.fetch_sub(1, Ordering::Relaxed);
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let queued_bytes = self.counts.add(line.len());
        if queued_bytes > self.max_bytes || self.sender.try_send(line.to_owned()).is_err() {
            self.counts.remove(line.len());
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            counter!("interlingua_log_dropped_total").increment(1);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for LogWriter {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

impl Drop for FlushGuard {
    fn drop(&mut self) {
        for _ in 0..MAX_FLUSH_POLLS {
            if self.0.queued.load(Ordering::Relaxed) == 0 {
                return;
            }
            thread::sleep(FLUSH_POLL_INTERVAL);
        }
    }
}

const MAX_FLUSH_POLLS: usize = 100;
const FLUSH_POLL_INTERVAL: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests;
