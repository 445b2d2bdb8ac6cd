//! A program without built-in models. No model resolves to them.

use bytes::Bytes;
use http::header::HeaderMap;
use interlingua::{ApiError, Dialect};
use interlingua_model::ApiErrorKind;
use interlingua_upstream::{Operation, UpstreamResponse};

use super::default_dialect;
use crate::config::BUILTIN_MODELS_MISSING;
use crate::http_util::error_response::failure;

pub(crate) struct BuiltinModels {
    pub(crate) dialect: &'static dyn Dialect,
}

impl Default for BuiltinModels {
    fn default() -> Self {
        Self { dialect: default_dialect() }
    }
}

impl BuiltinModels {
    #[expect(clippy::unused_async, reason = "the same interface as with the simulator")]
    pub(crate) async fn call(
        &self,
        _: Operation,
        _: HeaderMap,
        _: Bytes,
    ) -> Result<UpstreamResponse, ApiError> {
        Err(failure(ApiErrorKind::NotFound, BUILTIN_MODELS_MISSING))
    }
}
