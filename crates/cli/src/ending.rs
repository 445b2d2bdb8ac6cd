//! How a command that keeps running is asked to end.

use std::io;

/// Done when Ctrl-C comes, or a request to end; heard from now on. Within a runtime.
#[cfg(unix)]
pub(crate) fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupted = signal(SignalKind::interrupt())?;
    let mut ended = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = ended.recv() => {}
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn asked_to_end() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a way to be asked it listens on.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
