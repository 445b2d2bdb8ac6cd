//! One generation of a family of models.

use crate::variant::Patch;

/// A generation of models, with everything in which it differs.
pub(crate) struct Generation {
    /// Patterns of [`ModelName`](crate::ModelName).
    pub(super) models: &'static [&'static str],
    /// The dialects with what differs in them.
    pub(super) patches: &'static [(&'static [&'static str], Patch)],
}

pub(super) const fn generation(
    models: &'static [&'static str],
    patches: &'static [(&'static [&'static str], Patch)],
) -> Generation {
    Generation { models, patches }
}
