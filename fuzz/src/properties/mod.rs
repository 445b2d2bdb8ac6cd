//! The properties, one file each.
#![expect(clippy::panic, clippy::missing_panics_doc, reason = "a property that fails panics")]

mod dialect_pair;
mod errors;
mod events;
mod frames;
mod guard;
mod replies;
mod requests;
mod scanner;
mod streams;

pub use errors::errors;
pub use events::events;
pub use frames::frames;
pub use guard::guard;
pub use replies::replies;
pub use requests::requests;
pub use scanner::scanner;
pub use streams::streams;
