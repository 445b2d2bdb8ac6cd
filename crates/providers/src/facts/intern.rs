//! Gives values of a configuration file the lifetime of the constants that they replace.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The values of each type by the text that identifies them.
type Pool = HashMap<(TypeId, String), &'static (dyn Any + Send + Sync)>;

/// The value of this type and text. Each distinct one is allocated once for the life of the process,
/// so that reading a file again takes no memory.
pub(crate) fn intern<T: Send + Sync + 'static>(text: &str, make: impl FnOnce() -> T) -> &'static T {
    let key = (TypeId::of::<T>(), text.to_owned());
    let find = |pool: &Pool| pool.get(&key).and_then(|value| value.downcast_ref());
    let lock = || POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = find(&lock()) {
        return known;
    }
    // Without the lock: the value may consist of others that are interned.
    let value = make();
    let mut pool = lock();
    if let Some(known) = find(&pool) {
        return known;
    }
    let value: &'static T = Box::leak(Box::new(value));
    pool.insert(key, value);
    value
}

static POOL: LazyLock<Mutex<Pool>> = LazyLock::new(Mutex::default);
