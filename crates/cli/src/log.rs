//! The log of commands that keep running: to stderr, as much as `INTERLINGUA_LOG` says.

use std::io;

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Starts it; a second time does nothing.
pub(crate) fn start() {
    let said = |name| std::env::var(name).ok();
    let level = said("INTERLINGUA_LOG").and_then(|level| level.parse::<LevelFilter>().ok());
    let level = level.unwrap_or(LevelFilter::INFO);
    let json = said("INTERLINGUA_LOG_FORMAT").is_some_and(|format| format == "json");
    let log = fmt::layer().with_writer(io::stderr).with_ansi(false).with_target(false);
    let registry = tracing_subscriber::registry().with(level);
    // Somebody else may have started one.
    let _ = if json {
        registry.with(log.json().flatten_event(true)).try_init()
    } else {
        registry.with(log).try_init()
    };
}
