//! Rejects requests that a web page makes a browser send to a simulator on the loopback: by a host name
//! that was rebound to this machine, or from a page of another origin. The gateway has the same rule.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{HOST, HeaderValue, ORIGIN};
use hyper::http::Uri;

/// The header and its value for which a request is rejected.
pub(crate) struct ForeignHeader {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

/// A listener that other machines reach is open to all of them, so that nothing is checked there.
pub(crate) fn check_host_and_origin(
    listen: SocketAddr,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), ForeignHeader> {
    if !listen.ip().is_loopback() {
        return Ok(());
    }
    let text = |value: &HeaderValue| value.to_str().unwrap_or("?").to_owned();
    let reject = |name, value| Err(ForeignHeader { name, value });
    // A request to a proxy names the host of its target, and no page chooses a browser's proxy.
    let is_proxied = uri.authority().is_some();
    let mut hosts = headers.get_all(HOST).iter().map(text);
    if let Some(host) = hosts.find(|host| !is_proxied && !is_own_host(host)) {
        return reject("host", host);
    }
    let mut origins = headers.get_all(ORIGIN).iter().map(text);
    if let Some(origin) = origins.find(|origin| !is_own_origin(listen, origin)) {
        return reject("origin", origin);
    }
    let site = headers.get("sec-fetch-site").map(text);
    if site.as_deref() == Some("cross-site") && !headers.contains_key(ORIGIN) {
        return reject("sec-fetch-site", "cross-site".to_owned());
    }
    Ok(())
}

fn is_own_host(host: &str) -> bool {
    let (name, _) = split_port(host);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Pages of other local programs have the same host and another port.
fn is_own_origin(listen: SocketAddr, origin: &str) -> bool {
    let Some(host) = origin.strip_prefix("http://") else { return false };
    is_own_host(host) && split_port(host).1.unwrap_or("80") == listen.port().to_string()
}

/// Splits host and port; brackets of an IPv6 address are removed.
fn split_port(host: &str) -> (&str, Option<&str>) {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => (name, Some(port)),
        _ => (host, None),
    };
    (name.trim_start_matches('[').trim_end_matches(']'), port)
}
