//! What is wrong with a server, in words for people: the library names its own types before the reason.

use interlingua::Failure;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

/// Why a server did not begin.
pub(super) fn greeting(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => carried(error),
        ClientInitializeError::ConnectionClosed(_) => "it ended before it answered".to_owned(),
        other => other.to_string(),
    }
}

/// Why it did not answer.
pub(super) fn asking(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => carried(error),
        other => other.to_string(),
    }
}

fn carried(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<StreamableHttpError<Failure>>() {
        Some(StreamableHttpError::Client(failure)) => failure.message.contents().into_owned(),
        _ => error.error.to_string(),
    }
}
