//! Runs the binary on a pseudo-terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

pub(crate) struct TerminalSession {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<Vec<u8>>>,
    reader: JoinHandle<()>,
    /// Bytes of the screen that `wait_for` has matched.
    matched: usize,
}

impl TerminalSession {
    /// Starts `interlingua` with stdin, stdout and stderr on one terminal.
    pub(crate) fn start(arguments: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&controller).expect("it is ours");
        unlockpt(&controller).expect("it is unlocked");
        let path = ptsname(&controller, Vec::new()).expect("it has a name");
        let path = path.to_str().expect("its name is text");
        let terminal = File::options().read(true).write(true).open(path).expect("it opens");
        let stdio = || Stdio::from(terminal.try_clone().expect("a descriptor"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_interlingua"));
        command.args(arguments).stdin(stdio()).stdout(stdio()).stderr(stdio());
        change(&mut command);
        let child = command.spawn().expect("the binary starts");
        // The reader sees the end of the output once no process has the terminal open.
        drop((command, terminal));
        let keyboard = File::from(controller);
        let mut output = keyboard.try_clone().expect("a descriptor");
        let screen = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&screen);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Linux reports the end as an error.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                lines.lock().expect("no panic").extend_from_slice(&buffer[..count]);
            }
        });
        Self { child, keyboard, screen, reader, matched: 0 }
    }

    /// Waits until the text is on the screen, after the text of the last call.
    pub(crate) fn wait_for(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let screen = self.screen.lock().expect("no panic").clone();
            let new = &screen[self.matched..];
            let found = new.windows(text.len()).position(|bytes| bytes == text.as_bytes());
            if let Some(at) = found {
                self.matched += at + text.len();
                return;
            }
            let screen = String::from_utf8_lossy(&screen);
            assert!(start.elapsed() < Duration::from_mins(1), "no {text:?}:\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn type_line(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\n").as_bytes()).expect("it is typed");
    }

    /// Waits for the end; returns the exit code and all that was on the screen.
    pub(crate) fn finish(mut self) -> (i32, String) {
        let status = self.child.wait().expect("the binary ends");
        drop(self.keyboard);
        self.reader.join().expect("no panic");
        let screen = self.screen.lock().expect("no panic");
        (status.code().unwrap_or(-1), String::from_utf8_lossy(&screen).into_owned())
    }
}
