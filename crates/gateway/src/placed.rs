//! Futures where they stay.

use std::pin::Pin;

/// A future on the heap, made there. `Box::pin` makes it elsewhere and copies it with all the room it has for
/// what it will hold later, which is kilobytes for every request.
#[inline]
pub(crate) fn placed<F>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}
