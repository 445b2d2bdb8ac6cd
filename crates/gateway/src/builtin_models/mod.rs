//! The built-in models, which need no provider.

#[cfg(not(feature = "builtin-models"))]
mod absent;
#[cfg(feature = "builtin-models")]
mod simulated;

use interlingua::{Dialect, find_dialect};

#[cfg(not(feature = "builtin-models"))]
pub(crate) use self::absent::BuiltinModels;
#[cfg(feature = "builtin-models")]
pub(crate) use self::simulated::BuiltinModels;
use crate::client_name::ModelName;
use crate::config::HAS_BUILTIN_MODELS;

impl BuiltinModels {
    pub(crate) fn simulator_model(name: &ModelName) -> ModelName {
        name.with_prefix(MODEL_PREFIX)
    }
}

fn default_dialect() -> &'static dyn Dialect {
    find_dialect(DIALECT).unwrap_or(interlingua::DIALECTS[0])
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
