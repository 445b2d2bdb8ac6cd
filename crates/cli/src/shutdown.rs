//! Signals that end a long-running command.

use std::io;

/// Returns a future that completes on Ctrl-C or SIGTERM. Signals count from this call on. Must be
/// called within a runtime.
#[cfg(unix)]
pub(crate) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut terminated = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a signal handler the command cannot be ended this way.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
