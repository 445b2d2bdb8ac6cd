//! Logs long-running commands to stderr, at the level of `INTERLINGUA_LOG`.

mod escape;
mod writer;

use std::{io, panic};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use self::escape::EscapedJson;
use self::writer::{FlushGuard, LogWriter};

/// Starts the log; a second call does nothing. Queued lines are written when the result is dropped.
pub(crate) fn start() -> FlushGuard {
    start_at(LevelFilter::INFO)
}

/// As [`start`], at error level, for interactive commands.
pub(crate) fn start_errors_only() -> FlushGuard {
    start_at(LevelFilter::ERROR)
}

/// How stderr is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Off,
    Text,
    Json,
}

pub(crate) fn format() -> LogFormat {
    let is = |name: &str, value: &str| {
        std::env::var(name).is_ok_and(|set| set.eq_ignore_ascii_case(value))
    };
    if is("INTERLINGUA_LOG", "off") {
        LogFormat::Off
    } else if is("INTERLINGUA_LOG_FORMAT", "json") {
        LogFormat::Json
    } else {
        LogFormat::Text
    }
}

fn start_at(default_level: LevelFilter) -> FlushGuard {
    let env_var = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (level_name, format) = (env_var("INTERLINGUA_LOG"), env_var("INTERLINGUA_LOG_FORMAT"));
    let parsed = level_name.as_deref().map(str::parse::<LevelFilter>);
    let level =
        parsed.as_ref().and_then(|level| level.as_ref().ok().copied()).unwrap_or(default_level);
    let (writer, flush_guard) =
        LogWriter::spawn(io::stderr(), (MAX_QUEUED_LINES, MAX_QUEUED_BYTES));
    let log = fmt::layer().with_writer(writer).with_ansi(false).with_target(false);
    // Errors of the MCP library are reported by its caller in clearer form.
    let library_level = if level_name.is_some() { level } else { LevelFilter::OFF };
    let levels = Targets::new().with_default(level).with_target("rmcp", library_level);
    let registry = tracing_subscriber::registry().with(levels);
    // A test may have installed a subscriber already.
    let _ = if self::format() == LogFormat::Json {
        registry.with(log.json().flatten_event(true).map_writer(EscapedJson)).try_init()
    } else {
        registry.with(log).try_init()
    };
    if let (Some(level_name), Some(Err(_))) = (level_name, parsed) {
        tracing::warn!("INTERLINGUA_LOG cannot be `{level_name}`; the levels are {LEVELS}");
    }
    if let Some(format) =
        format.filter(|format| !FORMATS.contains(&format.to_ascii_lowercase().as_str()))
    {
        tracing::warn!("INTERLINGUA_LOG_FORMAT cannot be `{format}`; the formats are text, json");
    }
    // Panics are logged without blocking, too.
    panic::set_hook(Box::new(|info| tracing::error!("{info}")));
    flush_guard
}

const LEVELS: &str = "off, error, warn, info, debug";
const FORMATS: [&str; 2] = ["text", "json"];
/// Maximum lines and bytes that are queued for a slow reader of stderr.
const MAX_QUEUED_LINES: usize = 4096;
const MAX_QUEUED_BYTES: usize = 8 << 20;
