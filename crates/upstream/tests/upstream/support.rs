//! Test providers on this machine, and requests for them.

use interlingua_providers::preset::ProviderPreset;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use interlingua::find_dialect;
use interlingua_simulator::{ServerHandle, Simulator};
use interlingua_upstream::{
    ApiError, Operation, Provider, Timeouts, UpstreamClient, UpstreamRequest,
};
use secrecy::SecretString;
use url::Url;

pub(crate) fn simulator() -> ServerHandle {
    Simulator::default().listen(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0)).unwrap()
}

pub(crate) fn upstream() -> UpstreamClient {
    UpstreamClient::new(Timeouts::default()).unwrap()
}

/// A client with short timeouts.
pub(crate) fn upstream_with_short_timeouts() -> UpstreamClient {
    let patience = Duration::from_millis(200);
    UpstreamClient::new(Timeouts { connect: patience, response_head: patience, idle: patience })
        .unwrap()
}

/// A known provider, played by the simulator.
pub(crate) fn simulated_provider(name: &str, base: &str, running: &ServerHandle) -> Provider {
    let row = ProviderPreset::find(name).unwrap();
    let base = Url::parse(&format!("http://{}/{name}{base}", running.addr)).unwrap();
    let mut provider = Provider::new(name, find_dialect(row.dialect).unwrap(), base);
    provider.flavor = row.flavor;
    provider.auth = row.auth;
    provider.with_api_key(&SecretString::from(KEY))
}

/// A provider with a key at this address.
pub(crate) fn test_provider(base: &str) -> Provider {
    let base = Url::parse(base).unwrap();
    let provider = Provider::new("lab", find_dialect("openai-chat").unwrap(), base);
    provider.with_api_key(&SecretString::from(KEY))
}

/// The provider with its host replaced by this machine; its paths stay.
pub(crate) fn moved_to(provider: &Provider, addr: SocketAddr) -> Provider {
    let mut provider = provider.clone();
    let moved = |url: &mut Url| {
        url.set_scheme("http").unwrap();
        url.set_ip_host(addr.ip()).unwrap();
        url.set_port(Some(addr.port())).unwrap();
    };
    moved(&mut provider.base_url);
    provider.models_url.as_mut().map(moved);
    provider
}

pub(crate) fn turn_request(provider: &Provider) -> UpstreamRequest<'_> {
    let body = Bytes::from_static(br#"{"messages":[]}"#).into();
    let operation = Operation::Turn { stream: false };
    UpstreamRequest { provider, operation, model: "some-model", headers: HeaderMap::new(), body }
}

/// The error of a call, which names the provider and contains no secret.
pub(crate) async fn call_error(upstream: &UpstreamClient, call: UpstreamRequest<'_>) -> ApiError {
    let name = call.provider.name.clone();
    let error = match upstream.call(call).await {
        Err(error) => error,
        Ok(response) => panic!("{response:?}"),
    };
    assert_names_provider(&error, &name);
    error
}

/// Asserts that an error names its provider, and neither address nor key.
pub(crate) fn assert_names_provider(error: &ApiError, name: &str) {
    let message = error.to_string();
    assert!(message.starts_with(&format!("{name}: ")), "{message}");
    for secret in [KEY, "://", "127.0.0.1", "authorization", "x-api-key"] {
        assert!(!format!("{error:?}").contains(secret), "{error:?}");
    }
}

pub(crate) const KEY: &str = "sk-canary-4711";
pub(crate) const BODY_LIMIT: usize = 1 << 20;
