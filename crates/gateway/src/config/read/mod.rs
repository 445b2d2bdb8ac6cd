//! A file as a configuration: all that is wrong with it is said at once.

mod access;
mod models;
mod provider;
mod providers;
mod secret;
mod sections;
mod store;
mod table;
mod telemetry;
mod units;

use std::net::SocketAddr;
use std::sync::Arc;

use toml::de::DeTable;

use self::table::{Item, Table};
use super::report::Report;
use super::{Config, Env, LISTEN, Mistake, Proxies, Warning};

impl Config {
    /// What a file says, with what is doubtful about it; or everything that is wrong with it.
    ///
    /// Secrets are fetched from where the file says they are.
    pub fn read(text: &str, env: Env<'_>) -> Result<(Self, Vec<Warning>), Vec<Mistake>> {
        read(text, env, None)
    }
}

/// The same, for a gateway that listens elsewhere than the file says.
pub(super) fn read(
    text: &str,
    env: Env<'_>,
    listen: Option<SocketAddr>,
) -> Result<(Config, Vec<Warning>), Vec<Mistake>> {
    let report = Report::new(text);
    let (tree, unreadable) = DeTable::parse_recoverable(text);
    for error in &unreadable {
        let at = error.span().map_or(text.len(), |span| span.start);
        report.mistake(at, error.message().trim_end());
    }
    // What a parser that has lost its way makes of the rest is not worth saying.
    let config = if unreadable.is_empty() {
        configuration(&Table::root(tree.get_ref(), &report), env, listen)
    } else {
        Config::from_nothing(env)
    };
    report.judge(config)
}

fn configuration(file: &Table<'_>, env: Env<'_>, elsewhere: Option<SocketAddr>) -> Config {
    let said = file.item("listen");
    let listen = elsewhere.or(said.as_ref().and_then(address)).unwrap_or(LISTEN);
    let loopback = listen.ip().is_loopback();
    let (access, locked) = access::read(&file.table("access"), env);
    if !loopback {
        // What the command line says stands nowhere in the file.
        let said = said.filter(|_| elsewhere.is_none());
        match (&said, locked) {
            (Some(item), false) => item.mistake(OPEN),
            (None, false) => file.report.wrong(format!("--listen {OPEN}")),
            (Some(item), true) => item.warn(CLEAR),
            (None, true) => file.report.note(format!("--listen {CLEAR}")),
        }
    }
    let mut providers = providers::read(&file.table("providers"), env);
    let models = models::read(&file.table("models"), &mut providers, env);
    let config = Config {
        listen,
        providers: providers.into_iter().filter_map(|named| named.provider).collect(),
        models,
        limits: sections::limits(&file.table("limits")),
        timeouts: sections::timeouts(&file.table("timeouts")),
        access,
        guard: sections::guard(&file.table("guard")),
        store: store::store(&file.table("store"), env),
        capture: sections::capture(&file.table("capture"), loopback),
        telemetry: telemetry::read(&file.table("telemetry"), env),
        proxies: Arc::new(Proxies::read(env)),
    };
    file.close();
    config
}

/// `localhost` is the loopback; other names could be anywhere.
fn address(item: &Item<'_>) -> Option<SocketAddr> {
    let text = item.string()?;
    let text = text
        .strip_prefix("localhost:")
        .map_or_else(|| text.to_owned(), |port| format!("{}:{port}", LISTEN.ip()));
    let address = text.parse().ok();
    if address.is_none() {
        item.mistake(r#"must be an address and a port, such as "127.0.0.1:8787" or "[::1]:8787""#);
    }
    address
}

const OPEN: &str =
    "is not loopback: others reach it there, so [access] keys must say who may use it";

const CLEAR: &str = "is not loopback: what is said there can be read on the way. Put a server that speaks TLS before it";
