//! Tests of the limit of connections per address.

use std::net::IpAddr;

use super::PerIpLimit;

#[test]
fn each_address_has_its_own_limit_and_loopback_has_none() {
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    let (first_ip, second_ip) = (address("192.0.2.1"), address("2001:db8::1"));
    let limit = PerIpLimit::default();
    let first = limit.try_acquire(first_ip, 2);
    let second = limit.try_acquire(first_ip, 2);
    assert!(first.is_some() && second.is_some());
    assert!(limit.try_acquire(first_ip, 2).is_none(), "the limit is two");
    assert!(
        limit.try_acquire(address("::ffff:192.0.2.1"), 2).is_none(),
        "the same address, mapped to IPv6"
    );
    assert!(limit.try_acquire(second_ip, 2).is_some());
    drop(first);
    assert!(limit.try_acquire(first_ip, 2).is_some(), "one connection was closed");
    drop(second);
    let network = ["2001:db8::1", "2001:db8::2", "2001:db8:0:0:a::", "2001:db8:0:1::"]
        .map(|text| limit.try_acquire(address(text), 2));
    let is_accepted = network.each_ref().map(Option::is_some);
    assert_eq!(is_accepted, [true, true, false, true], "the first 64 bits count");
    drop(network);
    assert!(limit.0.lock().unwrap().is_empty(), "no address is stored");
    let here: Vec<_> = (0..9)
        .map(|_| [address("127.0.0.1"), address("::1"), address("::ffff:127.0.0.1")])
        .collect();
    let here: Vec<_> = here.iter().flatten().map(|from| limit.try_acquire(*from, 1)).collect();
    assert!(here.iter().all(Option::is_some));
}
