//! Holds a profile row: the static one, or a copy that lessons changed.

use std::ops::{Deref, DerefMut};

/// A static row, copied on the first change.
#[derive(Clone, Debug)]
pub enum ProfileRow<T: 'static> {
    Static(&'static T),
    Learned(Box<T>),
}

impl<T> Deref for ProfileRow<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Static(row) => row,
            Self::Learned(row) => row,
        }
    }
}

impl<T: Clone> DerefMut for ProfileRow<T> {
    fn deref_mut(&mut self) -> &mut T {
        loop {
            match self {
                Self::Static(row) => *self = Self::Learned(Box::new(row.clone())),
                Self::Learned(row) => return row,
            }
        }
    }
}
