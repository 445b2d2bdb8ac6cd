//! How many connections each address has.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// The connections of addresses that are not of this machine.
#[derive(Clone, Default)]
pub(crate) struct Crowd(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A connection that counts for its address until this is dropped.
pub(crate) struct Member {
    crowd: Crowd,
    /// Nothing for this machine, which may have as many as there is room for.
    address: Option<IpAddr>,
}

impl Crowd {
    /// Lets one more connection in, unless its address has too many.
    pub(crate) fn admit(&self, from: IpAddr, most: usize) -> Option<Member> {
        let address = Some(from.to_canonical()).filter(|address| !address.is_loopback());
        if let Some(address) = address {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(address).or_default();
            if *count >= most {
                return None;
            }
            *count += 1;
        }
        Some(Member { crowd: self.clone(), address })
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        let Some(address) = self.address else { return };
        let mut counts = self.crowd.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests;
