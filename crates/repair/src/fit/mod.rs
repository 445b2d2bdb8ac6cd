//! Rules that ask what the target takes.

pub mod cache_lifetime;
pub mod cache_limit;
pub mod cache_place;
pub mod missing_tools;
pub mod unknown_block;
pub mod unknown_field;
