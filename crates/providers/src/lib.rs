//! What is known of model providers, as data: addresses and keys, how each spells a dialect, and what
//! it accepts.
//!
//! [`profile::resolve`] answers what a target accepts. Nothing here reads or writes requests.

pub mod endpoints;
pub mod preset;
mod presets;
pub mod profile;
pub mod shape;
pub mod spelling;
mod target;

pub use presets::PRESETS;
pub use target::{StopFlag, Target};
