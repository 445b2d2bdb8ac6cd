//! The type in which the judges list the fields that they know.

use std::collections::BTreeMap;

/// The fields by the path of their object, and whether each is required. `[]` stands for the
/// elements of a list, and a tag in parentheses for the objects with this type or role; Gemini's
/// objects have the names of their message types.
pub type ObjectFields = BTreeMap<String, BTreeMap<String, bool>>;
