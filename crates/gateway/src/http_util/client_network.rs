//! The network that counts as one client.

use std::net::{IpAddr, Ipv6Addr};

/// What limits per address count by. A client usually has a whole IPv6 network of 64 bits, so all its
/// addresses count as one; an IPv4 address, also one that is mapped to IPv6, counts alone.
pub(crate) fn client_network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) if !ip.is_loopback() => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        ip => ip,
    }
}
