//! What can go wrong on the way to a provider, as a failure that names it and nothing secret.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use interlingua::model::{Blame, FailureKind, Retry};
use interlingua::{Failure, Text};
use rustls::CertificateError;

use crate::connect::Unresolved;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The provider has nothing of the kind to ask for.
    NotAsked,
    NoModel,
    /// The base address is none.
    Address,
    /// A key or header that HTTP cannot carry.
    Header(&'static str),
    /// Nothing to sign with.
    NoCredentials,
    /// The name of the host has no address.
    Unresolved,
    Refused,
    /// No connection, for a reason of the network.
    Unreachable,
    /// No way through the proxy.
    Proxy,
    /// A proxy of a kind that is not known.
    ProxyKind,
    /// No connection in time.
    Connect(Duration),
    /// No trust between the two.
    Tls(String),
    /// Nothing was answered in time.
    Head(Duration),
    /// Nothing came for so long.
    Idle(Duration),
    /// The connection ended before an answer.
    Reset,
    /// The connection ended within the answer.
    CutShort,
    /// What came is no HTTP.
    NotHttp,
    Redirect(u16),
    Encoded(String),
    TooLarge(usize),
}

pub(crate) fn failure(name: &str, trouble: &Trouble) -> Failure {
    let (blame, kind, status, retry) = trouble.class();
    let message = match name {
        "" => Text::new(&trouble.to_string()),
        name => Text::new(&format!("{name}: {trouble}")),
    };
    Failure { blame, kind, status, retry, message, written: None, request: None }
}

impl Trouble {
    fn class(&self) -> (Blame, FailureKind, u16, Retry) {
        use FailureKind::{Auth, NotFound, Shape, Timeout, Upstream};
        match self {
            Self::NotAsked => (Blame::Client, NotFound, 404, Retry::No),
            Self::NoModel => (Blame::Client, Shape, 400, Retry::No),
            Self::NoCredentials => (Blame::Gateway, Auth, 401, Retry::No),
            Self::Address | Self::Header(_) | Self::ProxyKind => {
                (Blame::Gateway, Upstream, 500, Retry::No)
            }
            Self::Tls(_) | Self::Redirect(_) | Self::Encoded(_) | Self::TooLarge(_) => {
                (Blame::Upstream, Upstream, 502, Retry::No)
            }
            Self::Connect(_) | Self::Head(_) | Self::Idle(_) => {
                (Blame::Upstream, Timeout, 504, Retry::Yes)
            }
            Self::Unresolved
            | Self::Refused
            | Self::Unreachable
            | Self::Proxy
            | Self::Reset
            | Self::CutShort
            | Self::NotHttp => (Blame::Upstream, Upstream, 502, Retry::Yes),
        }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked => f.write_str("this provider has no such endpoint"),
            Self::NoModel => f.write_str("the request names no model"),
            Self::Address => f.write_str("its base_url is not an address that can be asked"),
            Self::Header(what) => write!(f, "{what} has characters that no header can carry"),
            Self::NoCredentials => f.write_str(
                "there are no AWS credentials to sign with: set AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE",
            ),
            Self::Unresolved => f.write_str("the name of its host has no address (DNS)"),
            Self::Refused => f.write_str("nobody listens at its address (connection refused)"),
            Self::Unreachable => f.write_str("its address cannot be reached"),
            Self::Proxy => f.write_str("there is no way to it through the proxy"),
            Self::ProxyKind => {
                f.write_str("its proxy is of a kind that is not known here; HTTP proxies are")
            }
            Self::Connect(time) => write!(f, "no connection within {}", Seconds(*time)),
            Self::Tls(reason) => write!(f, "no secure connection: {reason}"),
            Self::Head(time) => write!(f, "no answer within {}", Seconds(*time)),
            Self::Idle(time) => write!(f, "the reply paused for more than {}", Seconds(*time)),
            Self::Reset => f.write_str("the connection was closed before an answer came"),
            Self::CutShort => {
                f.write_str("the connection was closed before the reply was complete")
            }
            Self::NotHttp => f.write_str("what it answers is not HTTP"),
            Self::Redirect(status) => write!(
                f,
                "it answers with a redirect ({status}), which is not followed: \
                 base_url must be the address itself"
            ),
            Self::Encoded(coding) => write!(f, "it compressed its reply unasked ({coding})"),
            Self::TooLarge(limit) => write!(f, "its reply is larger than {limit} bytes"),
        }
    }
}

impl Error for Trouble {}

/// What an error of the HTTP client comes down to, when no answer had come.
pub(crate) fn trouble(error: &(dyn Error + 'static)) -> Trouble {
    let mut found = Trouble::Unreachable;
    for error in Causes(Some(error)) {
        if let Some(trouble) = error.downcast_ref::<Trouble>() {
            return trouble.clone();
        }
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            found = if error.is_parse() { Trouble::NotHttp } else { Trouble::Reset };
        }
    }
    found
}

/// What an error of a connection that was not made comes down to.
pub(crate) fn of_connecting(error: &(dyn Error + 'static), secure: bool) -> Trouble {
    let mut found = Trouble::Unreachable;
    for error in Causes(Some(error)) {
        if let Some(trouble) = error.downcast_ref::<Trouble>() {
            return trouble.clone();
        }
        if error.is::<Unresolved>() {
            return Trouble::Unresolved;
        }
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return of_tls(error);
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            match error.kind() {
                io::ErrorKind::ConnectionRefused => found = Trouble::Refused,
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
                    if secure =>
                {
                    found = Trouble::Tls("it closed the connection during the handshake".into());
                }
                _ => {}
            }
        }
    }
    found
}

/// Why there is no trust.
pub(crate) fn of_tls(error: &rustls::Error) -> Trouble {
    use CertificateError as Bad;
    let reason = match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::Expired | Bad::ExpiredContext { .. } => "its certificate has expired",
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
                "its certificate is not valid yet (or the clock here is wrong)"
            }
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
                "its certificate is for another host"
            }
            Bad::Revoked => "its certificate was revoked",
            Bad::UnknownIssuer | Bad::BadSignature => {
                "its certificate comes from nobody this machine trusts (self-signed, or by an \
                 authority whose certificate must be added)"
            }
            _ => "its certificate is not valid (self-signed, perhaps)",
        },
        rustls::Error::InvalidMessage(_) => "what answers there does not speak TLS",
        rustls::Error::AlertReceived(alert) => {
            return Trouble::Tls(format!("it refused the handshake ({alert:?})"));
        }
        rustls::Error::PeerIncompatible(_) => "it speaks no version of TLS that is safe",
        rustls::Error::General(_) => "this machine has no certificates to trust",
        _ => "the handshake failed",
    };
    Trouble::Tls(reason.into())
}

/// An error and what caused it, down to the first cause.
struct Causes<'e>(Option<&'e (dyn Error + 'static)>);

impl<'e> Iterator for Causes<'e> {
    type Item = &'e (dyn Error + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.0?;
        // An IO error shows what it wraps, not as its source.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        self.0 = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
        Some(error)
    }
}

struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.subsec_millis() {
            0 => write!(f, "{} s", self.0.as_secs()),
            _ => write!(f, "{} ms", self.0.as_millis()),
        }
    }
}
