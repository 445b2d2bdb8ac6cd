//! Why nobody can be heard at an address, and what helps.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;

use crate::problem::Problem;

pub(crate) fn cannot(listen: SocketAddr, error: &Error) -> Problem {
    let advice = match error.kind() {
        ErrorKind::AddrInUse => "Is one running already? --listen 127.0.0.1:0 takes a free port.",
        ErrorKind::AddrNotAvailable => {
            "This machine has no such address; 127.0.0.1 is its own, and 0.0.0.0 is all of them."
        }
        ErrorKind::PermissionDenied if error.raw_os_error().is_some() => {
            "Low ports are the system's: take one above 1023 with --listen."
        }
        _ => "",
    };
    Problem::usage(format!("cannot listen at {listen}: {error}"), advice)
}
