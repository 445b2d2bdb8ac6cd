//! The built-in models, which need no provider.

#[cfg(not(feature = "builtin-models"))]
mod absent;
#[cfg(feature = "builtin-models")]
mod simulated;

use bytes::Bytes;
use http::header::HeaderMap;
use interlingua::{ApiError, Dialect, find_dialect};
use interlingua_upstream::{Operation, UpstreamResponse};

#[cfg(not(feature = "builtin-models"))]
use self::absent::ModelSource;
#[cfg(feature = "builtin-models")]
use self::simulated::ModelSource;
use crate::config::{HAS_BUILTIN_MODELS, ModelName};

pub(crate) struct BuiltinModels {
    source: ModelSource,
    pub(crate) dialect: &'static dyn Dialect,
}

impl Default for BuiltinModels {
    fn default() -> Self {
        let dialect = find_dialect(DIALECT).unwrap_or(interlingua::DIALECTS[0]);
        Self { source: ModelSource::default(), dialect }
    }
}

impl BuiltinModels {
    pub(crate) fn simulator_model(name: &ModelName) -> ModelName {
        name.with_prefix(MODEL_PREFIX)
    }

    pub(crate) async fn call(
        &self,
        operation: Operation,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<UpstreamResponse, ApiError> {
        self.source.call(operation, headers, body).await
    }
}

const DIALECT: &str = "anthropic";
/// The built-in provider's name, as the simulator's models begin with it.
const MODEL_PREFIX: &str = "sim/";

/// Names and descriptions of the models that need no provider.
pub(crate) const BUILTIN_MODELS: &[(&str, &str)] = if HAS_BUILTIN_MODELS {
    &[("sim/agent", "an agent with reasoning and tool calls"), ("sim/echo", "echoes the prompt")]
} else {
    &[]
};
