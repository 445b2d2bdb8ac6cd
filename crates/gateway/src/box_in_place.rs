//! Boxes a future without copying it.

use std::pin::Pin;

/// Constructs a future directly on the heap. `Box::pin` constructs it on the stack and copies its
/// whole state machine, kilobytes for every request.
#[inline]
pub(crate) fn box_in_place<F>(make: impl FnOnce() -> F) -> Pin<Box<F>> {
    Box::into_pin(Box::write(Box::new_uninit(), make()))
}
