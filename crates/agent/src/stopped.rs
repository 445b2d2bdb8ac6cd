//! Why an agent gave up.

use std::fmt;

use interlingua::Failure;

/// There is no answer. The session holds what was said until then, and can go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stopped {
    /// The model could not be asked.
    Failed(Box<Failure>),
    /// After so many steps the model still called tools.
    Steps(usize),
    /// The session could not be kept: nothing was done that it would not know of.
    NotKept(String),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(failure) => write!(f, "the model did not answer: {failure}"),
            Self::Steps(steps) => {
                write!(f, "after {steps} steps the model still calls tools; say so to go on")
            }
            Self::NotKept(why) => write!(f, "the session could not be kept: {why}"),
        }
    }
}

impl std::error::Error for Stopped {}
