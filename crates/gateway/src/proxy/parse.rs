//! Parses what is needed of a client's body before it is decoded: its JSON, its dialect, the name of
//! its model.

use bytes::Bytes;
use interlingua::{ApiError, Dialect, JsonDoc, JsonLimits, TranslateError, find_dialect};
use interlingua_model::ApiErrorKind;
use interlingua_wire::json::{JsonError, JsonErrorKind};

use crate::client_name::ModelName;
use crate::config::Limits;
use crate::http_util::client_api::ClientApi;
use crate::http_util::error_response::{ErrorResponse, failure};

/// The name of a model in a client's request.
pub(crate) fn parse_model_name(name: &str) -> Result<ModelName, ApiError> {
    ModelName::parse(name).map_err(|error| {
        let message = format!("model: the name of the model {error}");
        failure(ApiErrorKind::InvalidRequest, &message)
    })
}

pub(crate) fn parse_body(body: &Bytes, limits: &Limits) -> Result<JsonDoc, ErrorResponse> {
    interlingua::parse_object_with_limits(body.clone(), json_limits(limits)).map_err(|error| {
        if let TranslateError::InvalidJson(JsonError {
            kind: JsonErrorKind::TooManyValues { .. },
            ..
        }) = error
        {
            let message = format!("the body cannot be read: {error}");
            return failure(ApiErrorKind::RequestTooLarge, &message).into();
        }
        let (line, column) = error.line_and_column(body);
        let message = format!("the body cannot be read: {error} (line {line}, column {column})");
        failure(ApiErrorKind::InvalidRequest, &message).into()
    })
}

pub(crate) fn json_limits(limits: &Limits) -> JsonLimits {
    JsonLimits { max_bytes: limits.body, max_depth: limits.depth, max_values: limits.values }
}

/// The dialect of a body, which can differ from that of its path.
pub(crate) fn detect_dialect(
    body: &JsonDoc,
    dialect: &'static dyn Dialect,
) -> &'static dyn Dialect {
    let root = body.root();
    let misdirected = ClientApi::from_dialect(dialect)
        .misdirected
        .filter(|(field, _)| root.get(field).is_some() && root.get(dialect.turns_key()).is_none());
    misdirected.and_then(|(_, name)| find_dialect(name)).unwrap_or(dialect)
}
