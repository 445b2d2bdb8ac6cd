//! Parsers of argument values that several commands have.

use std::net::SocketAddr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use interlingua::{DIALECTS, Dialect, find_dialect};

/// Names come from the registry, so that help and suggestions list every dialect.
pub(crate) fn dialect_parser() -> impl TypedValueParser<Value = &'static dyn Dialect> {
    let names = PossibleValuesParser::new(DIALECTS.iter().map(|dialect| dialect.id().0));
    names.try_map(|name| find_dialect(&name).ok_or("there is no such dialect"))
}

/// Parses an address and a port; `localhost` is the loopback address, as in the configuration.
pub(crate) fn parse_socket_addr(text: &str) -> Result<SocketAddr, &'static str> {
    let parsed = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}").parse(),
        None => text.parse(),
    };
    parsed.map_err(|_| "it must be an address and a port, such as 127.0.0.1:8787 or localhost:8787")
}
