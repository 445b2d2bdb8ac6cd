//! Runs a child process and forwards signals to it.

use std::io;
use std::process::ExitStatus;

use tokio::process::Command;

/// Runs a program to its end. The terminal sends Ctrl-C and Ctrl-\ to the child directly, so they
/// are ignored here; SIGTERM and SIGHUP are forwarded.
#[cfg(unix)]
pub(super) async fn run_child(mut command: Command) -> io::Result<ExitStatus> {
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut quit = signal(SignalKind::quit())?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut hung_up = signal(SignalKind::hangup())?;
    let mut child = command.spawn()?;
    loop {
        let forwarded = tokio::select! {
            status = child.wait() => return status,
            _ = interrupted.recv() => None,
            _ = quit.recv() => None,
            _ = terminated.recv() => Some(Signal::TERM),
            _ = hung_up.recv() => Some(Signal::HUP),
        };
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let (Some(signal), Some(id)) = (forwarded, id) {
            // The child may have ended in the meantime.
            let _ = kill_process(id, signal);
        }
    }
}

#[cfg(not(unix))]
pub(super) async fn run_child(mut command: Command) -> io::Result<ExitStatus> {
    let mut child = command.spawn()?;
    loop {
        tokio::select! {
            status = child.wait() => return status,
            result = tokio::signal::ctrl_c() => result?,
        }
    }
}

/// The exit code for an ended program; 128 plus the signal's number, as in shells, if a signal
/// ended it.
pub(super) fn exit_code(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return 128 + signal;
    }
    status.code().unwrap_or(1)
}
