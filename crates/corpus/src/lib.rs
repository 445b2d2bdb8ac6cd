//! Parses and runs the corpus: JSON test cases that any implementation can run.
//!
//! - [`Case`]: one case; its input keeps the bytes of the file.
//! - [`run_case`]: translates the input of a case; its [`CaseResult`] holds all differences.
//! - [`stream`]: converts between streams and events, and checks the event grammar.
//!
//! The format is described in the corpus folder's `README.md` and `schema.json`.

mod case;
mod case_error;
mod compare;
pub mod files;
mod input;
mod run;
pub mod stream;

pub use case::{Case, Expectation};
pub use case_error::CaseError;
pub use compare::{Difference, compare};
pub use input::Input;
pub use run::{CaseResult, run_case, translate_case};
