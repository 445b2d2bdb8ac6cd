//! Limits the bytes of all request bodies in memory, shared between keys.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use interlingua::ApiError;
use interlingua_model::{ApiErrorKind, RetryAdvice};

use crate::http_util::error_response::failure;

/// The bytes of request bodies in progress.
#[derive(Debug, Default)]
pub(crate) struct BodyBudget(Mutex<BodyBytes>);

#[derive(Debug, Default)]
struct BodyBytes {
    total: usize,
    by_owner: HashMap<String, usize>,
}

/// The bytes of one body, until this is dropped.
#[derive(Debug)]
pub(crate) struct BodyPermit<'o> {
    budget: &'o BodyBudget,
    owner: &'o str,
    max: usize,
    reserved: usize,
}

impl BodyBudget {
    /// A permit for a body of this owner, which has no bytes yet. `max` is the limit for all
    /// bodies.
    pub(crate) fn permit<'o>(&'o self, owner: &'o str, max: usize) -> BodyPermit<'o> {
        BodyPermit { budget: self, owner, max, reserved: 0 }
    }

    fn lock(&self) -> MutexGuard<'_, BodyBytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyPermit<'_> {
    /// Reserves memory for a body of `bytes` so far. Short bodies are not counted: the number of
    /// requests limits them.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), ApiError> {
        if bytes <= UNCOUNTED_BYTES || bytes <= self.reserved {
            return Ok(());
        }
        let more = bytes - self.reserved;
        let mut body_bytes = self.budget.lock();
        let owned = body_bytes.by_owner.get(self.owner).copied().unwrap_or_default();
        if !is_within_budget(body_bytes.total, owned, more, self.max) {
            return Err(budget_exceeded());
        }
        body_bytes.total += more;
        match body_bytes.by_owner.get_mut(self.owner) {
            Some(owned) => *owned += more,
            None => {
                body_bytes.by_owner.insert(self.owner.to_owned(), more);
            }
        }
        self.reserved = bytes;
        Ok(())
    }
}

impl Drop for BodyPermit<'_> {
    fn drop(&mut self) {
        if self.reserved == 0 {
            return;
        }
        let mut body_bytes = self.budget.lock();
        body_bytes.total -= self.reserved;
        if let Some(owned) = body_bytes.by_owner.get_mut(self.owner) {
            *owned -= self.reserved;
            if *owned == 0 {
                body_bytes.by_owner.remove(self.owner);
            }
        }
    }
}

/// An owner may use up to [`OWNER_SHARE`] times what remains free: alone, three quarters of all;
/// with others that want as much, the same as each of them. Something always remains for an owner
/// that has nothing yet. A single body is accepted whatever the limit.
fn is_within_budget(total: usize, owned: usize, more: usize, max: usize) -> bool {
    let Some(free) = max.checked_sub(total.saturating_add(more)) else { return total == 0 };
    total == 0 || owned.saturating_add(more) <= free.saturating_mul(OWNER_SHARE)
}

fn budget_exceeded() -> ApiError {
    let message = "too many bytes of request bodies are in progress";
    let retry = RetryAdvice::AfterMillis(RETRY_AFTER_MS);
    ApiError { status: 503, retry, ..failure(ApiErrorKind::Overloaded, message) }
}

/// Bodies up to this size are not counted, so that short requests take no lock.
const UNCOUNTED_BYTES: usize = 64 * 1024;
const OWNER_SHARE: usize = 3;
const RETRY_AFTER_MS: u64 = 1000;

#[cfg(test)]
mod tests {
    use super::BodyBudget;

    const MIB: usize = 1 << 20;

    #[test]
    fn a_key_leaves_room_for_others() {
        let budget = BodyBudget::default();
        let mut permits: Vec<_> = (0..16).map(|_| budget.permit("a", 16 * MIB)).collect();
        let accepted = permits.iter_mut().filter_map(|permit| permit.reserve(MIB).ok()).count();
        assert_eq!(accepted, 12);
        let mut other = budget.permit("b", 16 * MIB);
        assert!(other.reserve(MIB).is_ok());
        drop(permits);
        assert!(other.reserve(12 * MIB).is_ok());
        drop(other);
        assert_eq!(budget.lock().total, 0);
        assert!(budget.lock().by_owner.is_empty());
    }

    #[test]
    fn short_bodies_and_a_single_body_are_always_accepted() {
        let budget = BodyBudget::default();
        let mut first = budget.permit("a", MIB);
        assert!(first.reserve(30 * MIB).is_ok());
        let mut second = budget.permit("b", MIB);
        assert!(second.reserve(60 * 1024).is_ok());
        let error = second.reserve(MIB).unwrap_err();
        assert_eq!(error.status, 503);
    }
}
