//! The agent's errors.

use std::fmt;

use interlingua::ApiError;

/// Why there is no answer. The session has all turns so far and can continue.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AgentError {
    /// The model request failed.
    Model(Box<ApiError>),
    /// The model still called tools after this many steps.
    StepLimit(usize),
    /// The session could not be stored; no later step was executed.
    Persist(String),
}

impl From<ApiError> for AgentError {
    fn from(error: ApiError) -> Self {
        Self::Model(Box::new(error))
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(error) => write!(f, "the model request failed: {error}"),
            Self::StepLimit(steps) => {
                write!(
                    f,
                    "the model still calls tools after {steps} steps; send another message to continue"
                )
            }
            Self::Persist(reason) => write!(f, "the session could not be stored: {reason}"),
        }
    }
}

impl std::error::Error for AgentError {}
