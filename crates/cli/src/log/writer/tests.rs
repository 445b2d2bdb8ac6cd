//! A reader that blocks, and then reads.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::LogWriter;

/// A writer that blocks until it is released.
struct BlockedWriter {
    open: Receiver<()>,
    written: Sender<String>,
}

impl Write for BlockedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // It stays released when the sender is dropped.
        let _ = self.open.recv();
        let _ = self.written.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_blocked_reader_does_not_block_the_log() {
    let (open, opened) = channel();
    let (written, lines) = channel();
    let (mut log, rest) = LogWriter::spawn(BlockedWriter { open: opened, written }, (4, 1 << 20));
    let began = Instant::now();
    for number in 0..100 {
        log.write_all(format!("line {number}\n").as_bytes()).expect("never an error");
    }
    assert!(began.elapsed() < Duration::from_secs(1));
    drop(open);
    let all: String =
        (0..6).map_while(|_| lines.recv_timeout(Duration::from_secs(5)).ok()).collect();
    assert!(all.starts_with("line 0\n") && all.contains("lines of the log were dropped"), "{all}");
    drop(rest);
    log.write_all(b"one more\n").expect("never an error");
    let more = lines.iter().take(20).find(|line| line == "one more\n");
    assert!(more.is_some(), "the log continues");
}

#[test]
fn the_queue_is_bounded_in_bytes() {
    let (open, opened) = channel();
    let (written, lines) = channel();
    let (mut log, _rest) =
        LogWriter::spawn(BlockedWriter { open: opened, written }, (4096, 10_500));
    let line = [b'x'; 1000];
    for _ in 0..1000 {
        log.write_all(&line).expect("never an error");
    }
    drop(open);
    let mut queued = 0;
    while let Ok(text) = lines.recv_timeout(Duration::from_secs(5)) {
        if text.contains("dropped") {
            break;
        }
        queued += text.len();
    }
    assert!((1000..=10_600).contains(&queued), "{queued}");
}
