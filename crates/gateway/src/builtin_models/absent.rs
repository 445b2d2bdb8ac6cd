//! A program without built-in models. No model resolves to them.

use bytes::Bytes;
use http::header::HeaderMap;
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;
use interlingua_upstream::{Operation, UpstreamResponse};

use crate::config::BUILTIN_MODELS_MISSING;
use crate::http_util::error_response::failure;

#[derive(Default)]
pub(crate) struct ModelSource;

impl ModelSource {
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
