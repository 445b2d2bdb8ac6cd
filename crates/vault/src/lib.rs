//! What a model thought, kept as it was sealed, and put back where a client has lost it.
//!
//! Providers sign what their models think and want it back untouched, in its place, with everything
//! that was said beside it. Most clients cannot do that: their dialect has no room for it, or they
//! strip, merge, reorder or reword it. So every reply with reasoning in it is [`Kept`], under
//! [`keys`](keys_of) by which the same turn is known again; and when the conversation comes back to
//! its [`Origin`], [`restore`] says what each of its [`runs`] is to be.
//!
//! This crate only knows what belongs together; where it is kept is somebody else's business.

mod history;
mod kept;
mod keys;
mod run;
mod said;
mod stable;

pub use history::{History, Link, Span};
pub use kept::{Kept, Origin};
pub use keys::{key_of_reply, keys_of};
pub use run::{Run, Runs, restore, runs};
pub use stable::{Stable, hash};
