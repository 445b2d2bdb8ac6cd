//! What can go wrong on the way to a provider, as a failure that names it and nothing secret.

use std::error::Error;
use std::io;
use std::time::Duration;

use interlingua::model::{Blame, FailureKind, Retry};
use interlingua::{Failure, Text};

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
    Refused,
    /// No connection, for a reason of the network.
    Unreachable,
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
    let words = trouble.words();
    let (blame, kind, status, retry) = trouble.class();
    let message = match name {
        "" => Text::new(&words),
        name => Text::new(&format!("{name}: {words}")),
    };
    Failure { blame, kind, status, retry, message, written: None }
}

impl Trouble {
    fn class(&self) -> (Blame, FailureKind, u16, Retry) {
        use FailureKind::{NotFound, Shape, Timeout, Upstream};
        match self {
            Self::NotAsked => (Blame::Client, NotFound, 404, Retry::No),
            Self::NoModel => (Blame::Client, Shape, 400, Retry::No),
            Self::Address | Self::Header(_) => (Blame::Gateway, Upstream, 500, Retry::No),
            Self::Redirect(_) | Self::Encoded(_) | Self::TooLarge(_) => {
                (Blame::Upstream, Upstream, 502, Retry::No)
            }
            Self::Head(_) | Self::Idle(_) => (Blame::Upstream, Timeout, 504, Retry::Yes),
            Self::Refused | Self::Unreachable | Self::Reset | Self::CutShort | Self::NotHttp => {
                (Blame::Upstream, Upstream, 502, Retry::Yes)
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Self::NotAsked => "this provider has no such endpoint".into(),
            Self::NoModel => "the request names no model".into(),
            Self::Address => "its base_url is not an address that can be asked".into(),
            Self::Header(what) => format!("{what} has characters that no header can carry"),
            Self::Refused => "nobody listens at its address (connection refused)".into(),
            Self::Unreachable => "its address cannot be reached".into(),
            Self::Head(time) => format!("no answer within {}", seconds(*time)),
            Self::Idle(time) => format!("the reply paused for more than {}", seconds(*time)),
            Self::Reset => "the connection was closed before an answer came".into(),
            Self::CutShort => "the connection was closed before the reply was complete".into(),
            Self::NotHttp => "what it answers is not HTTP".into(),
            Self::Redirect(status) => format!(
                "it answers with a redirect ({status}), which is not followed: \
                 base_url must be the address itself"
            ),
            Self::Encoded(coding) => format!("it compressed its reply ({coding}) unasked"),
            Self::TooLarge(limit) => format!("its reply is larger than {limit} bytes"),
        }
    }
}

/// What an error of the HTTP client comes down to, when no answer had come.
pub(crate) fn trouble(error: &(dyn Error + 'static)) -> Trouble {
    let mut next = Some(error);
    let mut found = Trouble::Unreachable;
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            found = if error.is_parse() { Trouble::NotHttp } else { Trouble::Reset };
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            found = of_io(error).unwrap_or(found);
        }
        next = error.source();
    }
    found
}

fn of_io(error: &io::Error) -> Option<Trouble> {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Some(Trouble::Refused),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => Some(Trouble::Reset),
        _ => None,
    }
}

fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}
