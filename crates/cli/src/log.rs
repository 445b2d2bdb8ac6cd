//! The log of commands that keep running: to stderr, as much as `INTERLINGUA_LOG` says.

mod lines;

use std::{io, panic};

use tracing_subscriber::filter::{LevelFilter, Targets};
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
    let said = |name| std::env::var(name).ok().filter(|said| !said.is_empty());
    let (asked, format) = (said("INTERLINGUA_LOG"), said("INTERLINGUA_LOG_FORMAT"));
    let read = asked.as_deref().map(str::parse::<LevelFilter>);
    let level = read.as_ref().and_then(|level| level.as_ref().ok().copied()).unwrap_or(usual);
    let json = format.as_deref() == Some("json");
    let (lines, rest) = Lines::to(io::stderr(), WAITING);
    let log = fmt::layer().with_writer(lines).with_ansi(false).with_target(false);
    // What a library says of itself is told by whoever asked it, in words for people.
    let aside = if asked.is_some() { level } else { LevelFilter::OFF };
    let levels = Targets::new().with_default(level).with_target("rmcp", aside);
    let registry = tracing_subscriber::registry().with(levels);
    // Somebody else may have started one.
    let _ = if json {
        registry.with(log.json().flatten_event(true)).try_init()
    } else {
        registry.with(log).try_init()
    };
    if let (Some(asked), Some(Err(_))) = (asked, read) {
        tracing::warn!("INTERLINGUA_LOG cannot be `{asked}`; there are {LEVELS}");
    }
    if let Some(format) = format.filter(|format| !FORMATS.contains(&&**format)) {
        tracing::warn!("INTERLINGUA_LOG_FORMAT cannot be `{format}`; there are text, json");
    }
    // A fault of one request is told without making anybody wait, too.
    panic::set_hook(Box::new(|fault| tracing::error!("{fault}")));
    rest
}

const LEVELS: &str = "off, error, warn, info, debug";
const FORMATS: [&str; 2] = ["text", "json"];
/// Lines that wait for somebody who reads them.
const WAITING: usize = 4096;
