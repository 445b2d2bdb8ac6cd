//! The fields of Converse: what is not known is ignored there.

use super::{ANY, Fields};

pub(super) const FIELDS: Fields = Fields { ..ANY };
