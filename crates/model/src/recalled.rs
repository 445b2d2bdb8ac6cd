//! What the house remembers of a conversation that the client does not.

use crate::{Restored, Told};

/// Everything that is to be added to a conversation before it is sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// Results of calls, in the place of the client's or beside them.
    pub told: Vec<Told>,
    /// Turns of models that are to be what they were, in their order.
    pub restored: Vec<Restored>,
}
