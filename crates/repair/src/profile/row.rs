//! A row of a table: as it stands there, or as one target has it that taught better.

use std::ops::{Deref, DerefMut};

/// Most rows are looked at where they stand; one that is changed is a copy.
#[derive(Clone, Debug)]
pub enum Row<T: 'static> {
    Known(&'static T),
    Learned(Box<T>),
}

impl<T> Deref for Row<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Known(row) => row,
            Self::Learned(row) => row,
        }
    }
}

impl<T: Clone> DerefMut for Row<T> {
    fn deref_mut(&mut self) -> &mut T {
        loop {
            match self {
                Self::Known(row) => *self = Self::Learned(Box::new(row.clone())),
                Self::Learned(row) => return row,
            }
        }
    }
}
