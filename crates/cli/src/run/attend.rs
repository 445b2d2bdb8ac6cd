//! Being there while another program runs.

use std::io;
use std::process::ExitStatus;

use tokio::process::Command;

/// Runs a program to its end. What is typed at the terminal reaches it by itself, and is its business
/// alone; what is asked of this process is passed on.
#[cfg(unix)]
pub(super) async fn attend(mut command: Command) -> io::Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    let mut ended = signal(SignalKind::terminate())?;
    let mut hung_up = signal(SignalKind::hangup())?;
    let mut child = command.spawn()?;
    loop {
        let asked = tokio::select! {
            status = child.wait() => return status,
            _ = interrupted.recv() => None,
            _ = quit.recv() => None,
            _ = ended.recv() => Some(Signal::TERM),
            _ = hung_up.recv() => Some(Signal::HUP),
        };
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let (Some(signal), Some(id)) = (asked, id) {
            // It may have ended meanwhile.
            let _ = kill_process(id, signal);
        }
    }
}

#[cfg(not(unix))]
pub(super) async fn attend(mut command: Command) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    loop {
        tokio::select! {
            status = child.wait() => return status,
            heard = tokio::signal::ctrl_c() => heard?,
        }
    }
}

/// The code to end with after a program has ended; as a shell says it where a signal ended it.
pub(super) fn code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
