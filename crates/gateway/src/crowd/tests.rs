//! Who may connect once more.

use std::net::IpAddr;

use super::Crowd;

#[test]
fn each_address_has_its_own_count_and_this_machine_has_none() {
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    let (one, other) = (address("192.0.2.1"), address("2001:db8::1"));
    let crowd = Crowd::default();
    let first = crowd.admit(one, 2);
    let second = crowd.admit(one, 2);
    assert!(first.is_some() && second.is_some());
    assert!(crowd.admit(one, 2).is_none(), "two are the most");
    assert!(crowd.admit(address("::ffff:192.0.2.1"), 2).is_none(), "the same in other words");
    assert!(crowd.admit(other, 2).is_some());
    drop(first);
    assert!(crowd.admit(one, 2).is_some(), "one has left");
    drop(second);
    assert!(crowd.0.lock().unwrap().is_empty(), "nobody is remembered");
    let here: Vec<_> = (0..9)
        .map(|_| [address("127.0.0.1"), address("::1"), address("::ffff:127.0.0.1")])
        .collect();
    let here: Vec<_> = here.iter().flatten().map(|from| crowd.admit(*from, 1)).collect();
    assert!(here.iter().all(Option::is_some));
}
