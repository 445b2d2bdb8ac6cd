//! The simulator, called in-process without a network.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderValue};
use http::{Method, Request};
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use interlingua_simulator::model::ToolUse;
use interlingua_simulator::{Options, Simulator};
use interlingua_upstream::{Operation, UpstreamBody, UpstreamResponse};

use crate::http_util::error_response::failure;

pub(crate) struct ModelSource(Simulator);

impl Default for ModelSource {
    fn default() -> Self {
        let options = Options { tool_use: ToolUse::ReadOnly, ..Options::default() };
        Self(Simulator::new(options))
    }
}

impl ModelSource {
    pub(crate) async fn call(
        &self,
        operation: Operation,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<UpstreamResponse, ApiError> {
        let path = match operation {
            Operation::Turn { .. } => "/anthropic/v1/messages",
            Operation::CountTokens => "/anthropic/v1/messages/count_tokens",
            Operation::ListModels => "/anthropic/v1/models",
            Operation::Compact => return Err(failure(ApiErrorKind::NotFound, NO_COMPACTION)),
        };
        headers.insert("x-api-key", HeaderValue::from_static("built-in"));
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        let mut request = Request::builder()
            .method(if operation == Operation::ListModels { Method::GET } else { Method::POST })
            .uri(path)
            .body(body)
            .map_err(|error| failure(ApiErrorKind::ServerError, &error.to_string()))?;
        *request.headers_mut() = headers;
        let result = self.0.handle_in_process(&request).await;
        let (head, body) = result
            .map_err(|error| failure(ApiErrorKind::ServerError, &error.to_string()))?
            .into_parts();
        let status = head.status.as_u16();
        Ok(UpstreamResponse { status, headers: head.headers.into(), body: UpstreamBody::new(body) })
    }
}

const NO_COMPACTION: &str = "the built-in models have no endpoint for compaction";
