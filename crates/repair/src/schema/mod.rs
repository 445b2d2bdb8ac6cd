//! JSON Schema: what is wrong with one, and the same said in terms that a target takes.
//!
//! - [`look`]: whether a schema may stand as it is.
//! - [`root`]: the root as an object, and choices there merged.
//! - [`spell`]: keywords mended or left out, anywhere.
//! - [`inline`]: references followed.
//! - [`narrow`]: what a narrower kind of schema does not have, in terms of it.
//! - [`close`]: objects closed, anywhere.
//! - [`rekey`]: properties at the root under other names.
//! - [`own`]: whether a schema of a provider's own kind may stand as it is.

pub(crate) mod close;
pub(crate) mod inline;
pub(crate) mod look;
mod narrow;
pub(crate) mod own;
pub(crate) mod rekey;
pub(crate) mod root;
pub(crate) mod spell;
