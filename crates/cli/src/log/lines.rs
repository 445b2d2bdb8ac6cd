//! Lines for somebody who may not read them: nobody waits for that. What does not fit is counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use metrics::counter;
use tracing_subscriber::fmt::MakeWriter;

/// Takes lines, and hands them to a thread that writes them.
#[derive(Clone)]
pub(super) struct Lines {
    sender: SyncSender<Vec<u8>>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    waiting: AtomicU64,
    dropped: AtomicU64,
}

/// Dropped, it waits a moment for lines that are not written yet.
pub(crate) struct Rest(Arc<Counts>);

impl Lines {
    /// At most so many lines wait to be written.
    pub(super) fn to(out: impl Write + Send + 'static, most: usize) -> (Self, Rest) {
        let (sender, receiver) = sync_channel(most);
        let counts = Arc::new(Counts::default());
        let counted = Arc::clone(&counts);
        // Without a thread nobody takes them, and they are dropped.
        let _ = thread::Builder::new().name("log".into()).spawn(move || {
            write(out, &receiver, &counted);
        });
        (Self { sender, counts: Arc::clone(&counts) }, Rest(counts))
    }
}

fn write(mut out: impl Write, lines: &Receiver<Vec<u8>>, counts: &Counts) {
    for line in lines {
        // Nobody may be there to read it.
        let _ = out.write_all(&line);
        counts.waiting.fetch_sub(1, Ordering::Relaxed);
        let dropped = counts.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            let _ = writeln!(out, "{dropped} lines of the log were dropped: nobody read them");
        }
    }
}

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.counts.waiting.fetch_add(1, Ordering::Relaxed);
        if self.sender.try_send(line.to_owned()).is_err() {
            self.counts.waiting.fetch_sub(1, Ordering::Relaxed);
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            counter!("interlingua_log_dropped_total").increment(1);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        for _ in 0..LOOKS {
            if self.0.waiting.load(Ordering::Relaxed) == 0 {
                return;
            }
            thread::sleep(MOMENT);
        }
    }
}

const LOOKS: usize = 100;
const MOMENT: Duration = Duration::from_millis(2);

#[cfg(test)]
mod tests;
