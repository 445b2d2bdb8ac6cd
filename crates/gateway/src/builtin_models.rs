//! The built-in models: the simulator, called in-process without a network.

use bytes::Bytes;
use http::header::{HeaderMap, HeaderValue};
use http::{Method, Request};
use interlingua::{ApiError, Dialect, find_dialect};
use interlingua_model::ApiErrorKind;
use interlingua_simulator::model::ToolUse;
use interlingua_simulator::{Options, Simulator};
use interlingua_upstream::{Operation, UpstreamBody, UpstreamResponse};

use crate::client_name::ModelName;
use crate::refusal::failure;

pub(crate) struct BuiltinModels {
    simulator: Simulator,
    pub(crate) dialect: &'static dyn Dialect,
}

impl Default for BuiltinModels {
    fn default() -> Self {
        let dialect = find_dialect(DIALECT).unwrap_or(interlingua::DIALECTS[0]);
        let options = Options { tool_use: ToolUse::ReadOnly, ..Options::default() };
        Self { simulator: Simulator::new(options), dialect }
    }
}

impl BuiltinModels {
    pub(crate) fn simulator_model(name: &ModelName) -> ModelName {
        name.with_prefix(MODEL_PREFIX)
    }

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
        };
        headers.insert("x-api-key", HeaderValue::from_static("built-in"));
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        let mut request = Request::builder()
            .method(if operation == Operation::ListModels { Method::GET } else { Method::POST })
            .uri(path)
            .body(body)
            .map_err(|error| failure(ApiErrorKind::ServerError, &error.to_string()))?;
        *request.headers_mut() = headers;
        let result = self.simulator.handle_in_process(&request).await;
        let (head, body) = result
            .map_err(|error| failure(ApiErrorKind::ServerError, &error.to_string()))?
            .into_parts();
        let status = head.status.as_u16();
        Ok(UpstreamResponse { status, headers: head.headers.into(), body: UpstreamBody::new(body) })
    }
}

const DIALECT: &str = "anthropic";
/// The built-in provider's name, as the simulator's models begin with it.
const MODEL_PREFIX: &str = "sim/";

/// Names and descriptions of the models that need no provider.
pub(crate) const BUILTIN_MODELS: &[(&str, &str)] =
    &[("sim/agent", "an agent with reasoning and tool calls"), ("sim/echo", "echoes the prompt")];
