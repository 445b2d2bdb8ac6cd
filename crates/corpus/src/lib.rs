//! The corpus: cases in JSON that any implementation can run. This crate reads and runs them.
//!
//! - [`Case`]: one case; its input is kept as the bytes that stand in the file.
//! - [`run`]: takes the case down the road and gives a [`Verdict`] that says what differs, and where.
//! - [`stream`]: the events of a stream, the stream of events, and whether events are lawful.
//!
//! The format is described in the corpus folder's `README.md` and `schema.json`.

mod case;
mod compare;
mod input;
mod run;
pub mod stream;
pub mod walk;

pub use case::{BadCase, Case, Expect};
pub use compare::{Difference, compare};
pub use input::Input;
pub use run::{Verdict, run, sent};
