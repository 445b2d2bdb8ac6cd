//! What the terminal shows.

use std::io::{self, IsTerminal as _, Write as _};

use interlingua_agent::Progress;

use super::is_for_people;

/// What the model says goes to stdout, as it comes; everything else to stderr.
#[derive(Debug, Default)]
pub(super) struct Screen {
    /// Thoughts are shown, and not only that there are some.
    unfolded: bool,
    /// Bytes of thoughts that were folded.
    folded: usize,
    /// The line has not ended.
    open: bool,
}

impl Screen {
    pub(super) fn prompt(&mut self) {
        if is_for_people() {
            self.aside("\n> ");
        }
    }

    pub(super) fn unfold(&mut self) {
        self.unfolded = !self.unfolded;
        self.note(if self.unfolded { "Thoughts are shown." } else { "Thoughts are folded." });
    }

    pub(super) fn shows(&mut self, progress: &Progress<'_>) {
        if !matches!(progress, Progress::Thinking(_)) {
            self.fold();
        }
        match progress {
            Progress::Text(text) => {
                let mut stdout = io::stdout().lock();
                // Whoever stopped reading need not be told.
                let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
                self.open = !text.ends_with('\n');
            }
            Progress::Thinking(text) if self.unfolded => self.dim(text),
            Progress::Thinking(text) => self.folded += text.len(),
            Progress::Calls(call) => {
                let args = call.args.to_text();
                self.note(&format!("→ {}({})", call.name, shortened(&args.contents())));
            }
            Progress::Result(call, given) => {
                let mark = if given.is_error { "✗" } else { "←" };
                self.note(&format!("{mark} {}: {}", call.name, shortened(&given.words())));
            }
            Progress::Told(call, wrong) => {
                self.note(&format!("✗ {} was not run: {}", call.name, shortened(wrong)));
            }
            Progress::Empty => self.note("(An empty answer; asking again.)"),
            _ => {}
        }
    }

    /// The answer is over.
    pub(super) fn end(&mut self) {
        self.fold();
        self.end_line();
    }

    /// A line for people.
    pub(super) fn note(&mut self, text: &str) {
        self.end_line();
        self.dim(text);
        self.aside("\n");
    }

    fn fold(&mut self) {
        if self.folded > 0 {
            let bytes = std::mem::take(&mut self.folded);
            self.note(&format!("· thought {bytes} bytes (/thinking shows them)"));
        }
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.open) {
            let _ = writeln!(io::stdout().lock());
        }
    }

    fn dim(&self, text: &str) {
        if io::stderr().is_terminal() && !is_plain() {
            self.aside(&format!("\u{1b}[2m{text}\u{1b}[0m"));
        } else {
            self.aside(text);
        }
    }

    #[expect(clippy::unused_self, reason = "the screen is what is written to")]
    fn aside(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }
}

/// Whether somebody wants no colours (<https://no-color.org>).
fn is_plain() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|said| !said.is_empty())
}

/// On one line that fits a terminal.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

const LONGEST: usize = 200;
