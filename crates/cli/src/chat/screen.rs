//! Output of a chat.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use interlingua_agent::Progress;

use crate::output;

/// The screen of the chat's loop, of its questions and of its tool servers.
#[derive(Clone, Default)]
pub(super) struct SharedScreen(Arc<Mutex<Screen>>);

impl SharedScreen {
    pub(super) fn lock(&self) -> MutexGuard<'_, Screen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Prints the model's text to stdout as it arrives, everything else to stderr.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// Thinking is printed; otherwise only its size.
    shows_thinking: bool,
    /// Bytes of thinking that were not printed.
    hidden_bytes: usize,
    /// The output line has not ended.
    is_mid_line: bool,
}

impl Screen {
    pub(super) fn prompt(&mut self) {
        self.end_line();
        if is_interactive() {
            output::print_stderr("\n> ");
        }
    }

    pub(super) fn toggle_thinking(&mut self) {
        self.shows_thinking = !self.shows_thinking;
        self.note(if self.shows_thinking { "Thinking is shown." } else { "Thinking is hidden." });
    }

    pub(super) fn print_progress(&mut self, progress: &Progress<'_>) {
        if !matches!(progress, Progress::Reasoning(_)) {
            self.print_hidden_bytes();
        }
        match progress {
            Progress::Text(text) => {
                // A closed stdout is not an error here.
                let _ = output::print(text.as_bytes());
                self.is_mid_line = !text.ends_with('\n');
            }
            Progress::Reasoning(text) if self.shows_thinking => output::print_stderr_dim(text),
            Progress::Reasoning(text) => self.hidden_bytes += text.len(),
            Progress::ToolCall(call) => {
                let args = call.args.to_json_string();
                self.note(&format!("→ {}({})", call.name, truncate(&args.unescape())));
            }
            Progress::ToolResult(call, tool_output) => {
                let symbol = if tool_output.is_error { "✗" } else { "←" };
                self.note(&format!("{symbol} {}: {}", call.name, truncate(&tool_output.to_text())));
            }
            Progress::CallRejected(call, reason) => {
                self.note(&format!("✗ {} was not run: {}", call.name, truncate(reason)));
            }
            Progress::EmptyReply => self.note("(The answer is empty; the request is sent again.)"),
            _ => {}
        }
    }

    /// Ends the output of an answer.
    pub(super) fn finish_answer(&mut self) {
        self.print_hidden_bytes();
        self.end_line();
    }

    /// Prints a line to stderr.
    pub(super) fn note(&mut self, text: &str) {
        self.end_line();
        output::print_stderr_dim(text);
        output::print_stderr("\n");
    }

    /// Prints a question; the answer is typed behind it.
    pub(super) fn ask(&mut self, question: &str) {
        self.finish_answer();
        output::print_stderr(question);
    }

    /// Prints what a tool server writes to its standard error.
    pub(super) fn print_server_text(&mut self, text: &str) {
        self.end_line();
        output::print_stderr_dim(text);
    }

    fn print_hidden_bytes(&mut self) {
        if self.hidden_bytes > 0 {
            let bytes = std::mem::take(&mut self.hidden_bytes);
            self.note(&format!("· {bytes} bytes of thinking (/thinking shows them)"));
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_mid_line) {
            let _ = output::print(b"\n");
        }
    }
}

/// The text on one line, truncated.
fn truncate(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LINE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

const MAX_LINE_CHARS: usize = 200;

/// Whether stdin and stderr are terminals.
pub(super) fn is_interactive() -> bool {
    io::stdin().is_terminal() && output::is_stderr_terminal()
}
