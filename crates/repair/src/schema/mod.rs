//! Checks JSON Schemas and rewrites them for what a target supports.
//!
//! - [`check`]: whether a target accepts a schema unchanged.
//! - [`root`]: makes the root an object and merges its alternatives.
//! - [`keywords`]: corrects or removes keywords at any depth.
//! - [`inline`]: replaces references by their targets.
//! - [`names`]: indexed sets of names.
//! - [`narrow`]: rewrites keywords that a restricted schema language lacks.
//! - [`close_objects`]: closes objects at any depth.
//! - [`rename_properties`]: renames properties at the root.
//! - [`openapi`]: whether a target accepts a schema in `OpenAPI` format unchanged.

pub(crate) mod check;
pub(crate) mod close_objects;
pub(crate) mod inline;
pub(crate) mod keywords;
pub(crate) mod names;
mod narrow;
pub(crate) mod openapi;
pub(crate) mod rename_properties;
pub(crate) mod root;
