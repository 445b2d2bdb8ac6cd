//! Rules that ask what the target takes.

pub mod missing_tools;
