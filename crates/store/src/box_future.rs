//! The type of futures that the stores return.

use std::pin::Pin;

/// A boxed future that a store returns.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
