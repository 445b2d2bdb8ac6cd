//! The log of commands that keep running: to stderr, as much as `INTERLINGUA_LOG` says.

mod lines;

use std::{io, panic};

use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::lines::{Lines, Rest};

/// Starts it; a second time does nothing. What is left is written when the result is dropped.
pub(crate) fn start() -> Rest {
    start_at(LevelFilter::INFO)
}

/// As [`start`], for a command that talks to people: only what they should know.
pub(crate) fn start_quietly() -> Rest {
    start_at(LevelFilter::ERROR)
}

fn start_at(usual: LevelFilter) -> Rest {
    let said = |name| std::env::var(name).ok();
    let level = said("INTERLINGUA_LOG").and_then(|level| level.parse::<LevelFilter>().ok());
    let level = level.unwrap_or(usual);
    let json = said("INTERLINGUA_LOG_FORMAT").is_some_and(|format| format == "json");
    let (lines, rest) = Lines::to(io::stderr(), WAITING);
    let log = fmt::layer().with_writer(lines).with_ansi(false).with_target(false);
    let registry = tracing_subscriber::registry().with(level);
    // Somebody else may have started one.
    let _ = if json {
        registry.with(log.json().flatten_event(true)).try_init()
    } else {
        registry.with(log).try_init()
    };
    // A fault of one request is told without making anybody wait, too.
    panic::set_hook(Box::new(|fault| tracing::error!("{fault}")));
    rest
}

/// Lines that wait for somebody who reads them.
const WAITING: usize = 4096;
