//! Explains why a listen address cannot be used.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

use crate::error::CommandError;

pub(crate) fn listen_error(listen: SocketAddr, error: &Error) -> CommandError {
    let hint = match error.kind() {
        ErrorKind::AddrInUse => "Is one running already? --listen 127.0.0.1:0 takes a free port.",
        ErrorKind::AddrNotAvailable => {
            "This machine has no such address. 127.0.0.1 is the loopback, 0.0.0.0 means all addresses."
        }
        ErrorKind::PermissionDenied if error.raw_os_error().is_some() => {
            "Ports below 1024 are reserved for the system: choose a higher one with --listen."
        }
        _ => "",
    };
    CommandError::usage(format!("cannot listen at {listen}: {error}"), hint)
}
