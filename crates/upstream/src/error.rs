//! Errors of provider calls, and their conversion to API errors without secrets.

use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use interlingua::{ApiError, JsonString};
use interlingua_model::{ApiErrorKind, ErrorOrigin, RetryAdvice};
use rustls::CertificateError;

/// Why a call has no readable response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UpstreamError {
    /// The provider has no endpoint for the operation.
    UnsupportedOperation,
    MissingModel,
    /// The base URL is not a valid http(s) URL.
    InvalidBaseUrl,
    /// A key or header value that HTTP cannot carry.
    InvalidHeader(&'static str),
    /// `SigV4` is required and there are no credentials.
    MissingAwsCredentials,
    /// The host name has no address.
    Dns,
    ConnectionRefused,
    /// The TCP connection failed for another reason.
    Unreachable,
    /// The proxy could not be reached or rejected the tunnel.
    ProxyConnect,
    /// The proxy is not an HTTP proxy.
    UnsupportedProxy,
    /// No connection within the limit.
    ConnectTimeout(Duration),
    /// The TLS handshake failed.
    Tls(String),
    /// No response head within the limit.
    HeadTimeout(Duration),
    /// No body data within the limit.
    IdleTimeout(Duration),
    /// The connection was closed before the response head.
    ClosedBeforeResponse,
    /// The connection was closed within the response body.
    IncompleteBody,
    /// The response is not valid HTTP.
    NotHttp,
    Redirect(u16),
    UnexpectedEncoding(String),
    BodyTooLarge(usize),
}

/// The DNS lookup failed.
#[derive(Debug)]
pub(crate) struct ResolveError(pub(crate) io::Error);

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ResolveError {}

pub(crate) fn to_api_error(name: &str, error: &UpstreamError) -> ApiError {
    let (error_origin, kind, status, retry) = error.classify();
    let message = match name {
        "" => JsonString::new(&error.to_string()),
        name => JsonString::new(&format!("{name}: {error}")),
    };
    ApiError {
        origin: error_origin,
        kind,
        status,
        retry,
        message,
        original: None,
        request_id: None,
    }
}

impl UpstreamError {
    fn classify(&self) -> (ErrorOrigin, ApiErrorKind, u16, RetryAdvice) {
        use ApiErrorKind::{Authentication, InvalidRequest, NotFound, ServerError, Timeout};
        match self {
            Self::UnsupportedOperation => (ErrorOrigin::Client, NotFound, 404, RetryAdvice::No),
            Self::MissingModel => (ErrorOrigin::Client, InvalidRequest, 400, RetryAdvice::No),
            Self::MissingAwsCredentials => {
                (ErrorOrigin::Gateway, Authentication, 401, RetryAdvice::No)
            }
            Self::InvalidBaseUrl | Self::InvalidHeader(_) | Self::UnsupportedProxy => {
                (ErrorOrigin::Gateway, ServerError, 500, RetryAdvice::No)
            }
            Self::Tls(_)
            | Self::Redirect(_)
            | Self::UnexpectedEncoding(_)
            | Self::BodyTooLarge(_) => (ErrorOrigin::Upstream, ServerError, 502, RetryAdvice::No),
            Self::ConnectTimeout(_) | Self::HeadTimeout(_) | Self::IdleTimeout(_) => {
                (ErrorOrigin::Upstream, Timeout, 504, RetryAdvice::Yes)
            }
            Self::Dns
            | Self::ConnectionRefused
            | Self::Unreachable
            | Self::ProxyConnect
            | Self::ClosedBeforeResponse
            | Self::IncompleteBody
            | Self::NotHttp => (ErrorOrigin::Upstream, ServerError, 502, RetryAdvice::Yes),
        }
    }
}

impl fmt::Display for UpstreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsupportedOperation => f.write_str("this provider has no such endpoint"),
            Self::MissingModel => f.write_str("the request names no model"),
            Self::InvalidBaseUrl => f.write_str("base_url is not a valid http or https URL"),
            Self::InvalidHeader(what) => {
                write!(f, "{what} has characters that are not allowed in a header")
            }
            Self::MissingAwsCredentials => f.write_str(
                "there are no AWS credentials to sign with: set AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK, or AWS_PROFILE",
            ),
            Self::Dns => f.write_str("the host name has no address (DNS)"),
            Self::ConnectionRefused => {
                f.write_str("no server listens at its address (connection refused)")
            }
            Self::Unreachable => f.write_str("its address cannot be reached"),
            Self::ProxyConnect => f.write_str("it cannot be reached through the proxy"),
            Self::UnsupportedProxy => {
                f.write_str("its proxy is of an unsupported kind; only HTTP proxies are supported")
            }
            Self::ConnectTimeout(time) => {
                write!(f, "no connection within {}", DisplayDuration(*time))
            }
            Self::Tls(reason) => write!(f, "no secure connection: {reason}"),
            Self::HeadTimeout(time) => write!(f, "no response within {}", DisplayDuration(*time)),
            Self::IdleTimeout(time) => {
                write!(f, "the reply paused for more than {}", DisplayDuration(*time))
            }
            Self::ClosedBeforeResponse => {
                f.write_str("the connection was closed before the response")
            }
            Self::IncompleteBody => {
                f.write_str("the connection was closed before the reply was complete")
            }
            Self::NotHttp => f.write_str("its response is not HTTP"),
            Self::Redirect(status) => write!(
                f,
                "it responded with a redirect ({status}), which is not followed: \
                 base_url must be the final address"
            ),
            Self::UnexpectedEncoding(coding) => {
                write!(f, "its response has a content encoding that was not requested ({coding})")
            }
            Self::BodyTooLarge(limit) => write!(f, "its response is larger than {limit} bytes"),
        }
    }
}

impl Error for UpstreamError {}

/// Classifies an error of the pooled clients, which occurred before the response head.
pub(crate) fn map_hyper_error(error: &(dyn Error + 'static)) -> UpstreamError {
    let mut classified = UpstreamError::Unreachable;
    for error in ErrorChain(Some(error)) {
        if let Some(upstream_error) = error.downcast_ref::<UpstreamError>() {
            return upstream_error.clone();
        }
        if let Some(error) = error.downcast_ref::<hyper::Error>() {
            classified = if error.is_parse() {
                UpstreamError::NotHttp
            } else {
                UpstreamError::ClosedBeforeResponse
            };
        }
    }
    classified
}

/// Classifies an error of a connection attempt.
pub(crate) fn connect_error(error: &(dyn Error + 'static), is_tls: bool) -> UpstreamError {
    let mut classified = UpstreamError::Unreachable;
    for error in ErrorChain(Some(error)) {
        if let Some(upstream_error) = error.downcast_ref::<UpstreamError>() {
            return upstream_error.clone();
        }
        if error.is::<ResolveError>() {
            return UpstreamError::Dns;
        }
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return tls_error(error);
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            match error.kind() {
                io::ErrorKind::ConnectionRefused => classified = UpstreamError::ConnectionRefused,
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
                    if is_tls =>
                {
                    classified = UpstreamError::Tls(
                        "the server closed the connection during the handshake".into(),
                    );
                }
                _ => {}
            }
        }
    }
    classified
}

/// Describes a rustls error.
pub(crate) fn tls_error(error: &rustls::Error) -> UpstreamError {
    use CertificateError as Bad;
    let reason = match error {
        rustls::Error::InvalidCertificate(certificate_error) => match certificate_error {
            Bad::Expired | Bad::ExpiredContext { .. } => "its certificate has expired",
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
                "its certificate is not valid yet (or the clock here is wrong)"
            }
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
                "its certificate is for another host"
            }
            Bad::Revoked => "its certificate was revoked",
            Bad::UnknownIssuer | Bad::BadSignature => {
                "its certificate was not issued by an authority that this machine trusts \
                 (self-signed, or by an authority whose certificate must be added)"
            }
            _ => "its certificate is not valid (self-signed, perhaps)",
        },
        rustls::Error::InvalidMessage(_) => "the server does not speak TLS",
        rustls::Error::AlertReceived(alert) => {
            return UpstreamError::Tls(format!("the server rejected the handshake ({alert:?})"));
        }
        rustls::Error::PeerIncompatible(_) => "the server supports no safe version of TLS",
        rustls::Error::General(_) => "this machine has no certificates to trust",
        _ => "the handshake failed",
    };
    UpstreamError::Tls(reason.into())
}

/// Iterates over an error and its sources.
struct ErrorChain<'e>(Option<&'e (dyn Error + 'static)>);

impl<'e> Iterator for ErrorChain<'e> {
    type Item = &'e (dyn Error + 'static);

    fn next(&mut self) -> Option<Self::Item> {
        let error = self.0?;
        // An I/O error does not return its inner error as source.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        self.0 = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
        Some(error)
    }
}

struct DisplayDuration(Duration);

impl fmt::Display for DisplayDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.subsec_millis() {
            0 => write!(f, "{} s", self.0.as_secs()),
            _ => write!(f, "{} ms", self.0.as_millis()),
        }
    }
}
