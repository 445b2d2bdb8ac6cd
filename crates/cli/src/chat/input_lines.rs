//! The lines that the user types.

use std::collections::VecDeque;
use std::io::{self, BufRead as _};
use std::sync::Arc;
use std::thread;

use tokio::sync::{Mutex, mpsc};

/// The prompt reads from it, and a question while an answer is on its way.
pub(super) type SharedInput = Arc<Mutex<InputLines>>;

pub(super) struct InputLines {
    typed: mpsc::Receiver<String>,
    /// Lines that were typed before a question, for the prompt after it.
    kept: VecDeque<String>,
}

impl InputLines {
    /// Reads stdin in a thread, because a blocking read cannot be interrupted.
    pub(super) fn from_stdin() -> SharedInput {
        let (send, typed) = mpsc::channel(MAX_QUEUED_LINES);
        thread::spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { return };
                if send.blocking_send(line).is_err() {
                    return;
                }
            }
        });
        Arc::new(Mutex::new(Self { typed, kept: VecDeque::new() }))
    }

    /// The next line; `None` at the end of the input.
    pub(super) async fn next_line(&mut self) -> Option<String> {
        match self.kept.pop_front() {
            Some(line) => Some(line),
            None => self.typed.recv().await,
        }
    }

    pub(super) fn keep_typed_lines(&mut self) {
        while let Ok(line) = self.typed.try_recv() {
            self.kept.push_back(line);
        }
    }

    /// The next line after those that are kept.
    pub(super) async fn next_typed_line(&mut self) -> Option<String> {
        self.typed.recv().await
    }
}

/// Lines that are typed while an answer is on its way.
const MAX_QUEUED_LINES: usize = 256;
