//! A simulator that listens, and providers that are found there.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http::HeaderMap;
use interlingua::find;
use interlingua_simulator::{Running, Simulator};
use interlingua_upstream::{Ask, Call, Provider, Row, Timeouts, Upstream};
use secrecy::SecretString;
use url::Url;

pub(crate) const LOOPBACK: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

pub(crate) fn simulator() -> Running {
    Simulator::default().start(LOOPBACK).unwrap()
}

pub(crate) fn upstream() -> Upstream {
    Upstream::new(Timeouts::default()).unwrap()
}

/// A known provider, played at this address.
pub(crate) fn played(name: &str, base: &str, addr: SocketAddr) -> Provider {
    let row = Row::find(name).unwrap();
    let base = Url::parse(&format!("http://{addr}/{name}{base}")).unwrap();
    let mut provider = Provider::new(name, find(row.dialect).unwrap(), base);
    provider.flavor = row.flavor;
    provider.auth = row.auth;
    provider.with_key(&SecretString::from(KEY))
}

pub(crate) fn call<'a>(provider: &'a Provider, ask: Ask, model: &'a str, body: &str) -> Call<'a> {
    Call {
        provider,
        ask,
        model,
        headers: HeaderMap::new(),
        body: Bytes::copy_from_slice(body.as_bytes()),
    }
}

pub(crate) const KEY: &str = "sk-canary-4711";
pub(crate) const LIMIT: usize = 1 << 20;
