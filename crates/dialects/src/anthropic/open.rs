//! What is open in a stream that is written.

use interlingua_wire::Text;

use crate::arguments::Streamed;

/// The block that is open, as far as it is written.
#[derive(Debug)]
pub(super) enum Open {
    Nothing,
    /// There is no place for it.
    LeftOut,
    Text,
    /// A text without a word so far. One that only carries somebody's seal is never written.
    Unsaid {
        sealed: bool,
    },
    Call(Streamed),
    /// Free text on its way as the one string of an object.
    Freeform,
    /// Written once there is something to see or to sign.
    Thinking {
        is_written: bool,
        seal: Option<Text>,
    },
    /// Written whole.
    Whole,
}
