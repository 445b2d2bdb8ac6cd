//! Limits the number of connections per client address, or network of IPv6 addresses.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::http_util::client_network::client_network;

/// Connections per address, except loopback.
#[derive(Clone, Default)]
pub(crate) struct PerIpLimit(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A connection that counts for its address until this is dropped.
pub(crate) struct IpPermit {
    limit: PerIpLimit,
    /// `None` for loopback, which is not limited.
    ip: Option<IpAddr>,
}

impl PerIpLimit {
    /// `None` if the address already has `max` connections.
    pub(crate) fn try_acquire(&self, ip: IpAddr, max: usize) -> Option<IpPermit> {
        let address = Some(client_network(ip)).filter(|address| !address.is_loopback());
        if let Some(address) = address {
            let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let count = counts.entry(address).or_default();
            if *count >= max {
                return None;
            }
            *count += 1;
        }
        Some(IpPermit { limit: self.clone(), ip: address })
    }
}

impl Drop for IpPermit {
    fn drop(&mut self) {
        let Some(address) = self.ip else { return };
        let mut counts = self.limit.0.lock().unwrap_or_else(PoisonError::into_inner);
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
