//! Providers that are found on this machine, and questions for them.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use interlingua::find;
use interlingua_simulator::{Running, Simulator};
use interlingua_upstream::{Ask, Call, Failure, Provider, Row, Timeouts, Upstream};
use secrecy::SecretString;
use url::Url;

pub(crate) fn simulator() -> Running {
    Simulator::default().start(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)).unwrap()
}

pub(crate) fn upstream() -> Upstream {
    Upstream::new(Timeouts::default()).unwrap()
}

/// With little patience.
pub(crate) fn hasty() -> Upstream {
    let patience = Duration::from_millis(200);
    Upstream::new(Timeouts { connect: patience, head: patience, idle: patience }).unwrap()
}

/// A known provider, played by the simulator.
pub(crate) fn played(name: &str, base: &str, running: &Running) -> Provider {
    let row = Row::find(name).unwrap();
    let base = Url::parse(&format!("http://{}/{name}{base}", running.addr)).unwrap();
    let mut provider = Provider::new(name, find(row.dialect).unwrap(), base);
    provider.flavor = row.flavor;
    provider.auth = row.auth;
    provider.with_key(&SecretString::from(KEY))
}

/// Some provider with a key, at this address.
pub(crate) fn provider(base: &str) -> Provider {
    let base = Url::parse(base).unwrap();
    let provider = Provider::new("lab", find("openai-chat").unwrap(), base);
    provider.with_key(&SecretString::from(KEY))
}

/// A provider's host moved to this machine; its paths stay.
pub(crate) fn here(provider: &Provider, addr: SocketAddr) -> Provider {
    let mut provider = provider.clone();
    let moved = |url: &mut Url| {
        url.set_scheme("http").unwrap();
        url.set_ip_host(addr.ip()).unwrap();
        url.set_port(Some(addr.port())).unwrap();
    };
    moved(&mut provider.base);
    provider.catalogue.as_mut().map(moved);
    provider
}

pub(crate) fn turn(provider: &Provider) -> Call<'_> {
    let body = Bytes::from_static(br#"{"messages":[]}"#).into();
    let ask = Ask::Turn { stream: false };
    Call { provider, ask, model: "some-model", headers: HeaderMap::new(), body }
}

/// What a call fails with; it names the provider and shows no secret.
pub(crate) async fn fails(upstream: &Upstream, call: Call<'_>) -> Failure {
    let name = call.provider.name.clone();
    let failure = match upstream.call(call).await {
        Err(failure) => failure,
        Ok(answer) => panic!("{answer:?}"),
    };
    told(&failure, &name);
    failure
}

/// A failure says whose it is, and neither address nor key.
pub(crate) fn told(failure: &Failure, name: &str) {
    let message = failure.to_string();
    assert!(message.starts_with(&format!("{name}: ")), "{message}");
    for secret in [KEY, "://", "127.0.0.1", "authorization", "x-api-key"] {
        assert!(!format!("{failure:?}").contains(secret), "{failure:?}");
    }
}

pub(crate) const KEY: &str = "sk-canary-4711";
pub(crate) const LIMIT: usize = 1 << 20;
