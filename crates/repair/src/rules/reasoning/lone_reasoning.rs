//! Removes a reasoning item that lost the item it led to.
//!
//! A reasoning item is sent together with the item that followed it in the same reply, or not at
//! all.
//!
//! ## Why
//! > Item 'rs_1' of type 'reasoning' was provided without its required following item.
//!
//! ## Example
//! ```text
//! before   reasoning rs_1     user: "next"
//! after    user: "next"
//! ```

use crate::edit::lone_reasoning::remove_lone_reasoning;
use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    remove_lone_reasoning(work);
}
