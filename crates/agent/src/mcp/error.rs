//! Error messages for MCP servers; the library's own start with its type names.

use interlingua::ApiError;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;

pub(super) fn connect_error(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => transport_error(error),
        ClientInitializeError::ConnectionClosed(_) => "it exited before it replied".to_owned(),
        other => other.to_string(),
    }
}

pub(super) fn request_error(error: &ServiceError) -> String {
    match error {
        ServiceError::TransportSend(error) => transport_error(error),
        other => other.to_string(),
    }
}

fn transport_error(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<StreamableHttpError<ApiError>>() {
        Some(StreamableHttpError::Client(api_error)) => api_error.message.unescape().into_owned(),
        _ => error.error.to_string(),
    }
}
