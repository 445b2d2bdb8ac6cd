//! The properties, one file each.
#![expect(clippy::panic, clippy::missing_panics_doc, reason = "a property that fails panics")]

mod frames;
mod scanner;

pub use frames::frames;
pub use scanner::scanner;
