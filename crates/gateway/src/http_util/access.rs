//! Checks Host and Origin headers against DNS rebinding and cross-site requests.

use std::net::{IpAddr, SocketAddr};

use http::Version;
use http::header::{HOST, HeaderName, ORIGIN};
use http::request::Parts;
use interlingua::ApiError;
use interlingua_model::ApiErrorKind;

use crate::client_name::shortened;
use crate::config::Config;
use crate::http_util::error_response::failure;

/// Rejects requests that a page of another site makes a browser send: a Host name that was rebound
/// to this machine, or a foreign Origin.
pub(crate) fn check_host_and_origin(
    config: &Config,
    listen: SocketAddr,
    head: &Parts,
) -> Result<(), ApiError> {
    let check_host = |host: &str| {
        is_allowed_host(config, listen, host).then_some(()).ok_or_else(|| not_allowed("host", host))
    };
    let (mut has_host, mut has_origin, mut is_cross_site) = (false, false, false);
    for (name, value) in &head.headers {
        let value = || value.to_str().unwrap_or("?");
        if *name == HOST {
            has_host = true;
            check_host(value())?;
        } else if *name == ORIGIN {
            has_origin = true;
            if !is_allowed_origin(config, listen, value()) {
                return Err(not_allowed("origin", value()));
            }
        } else if *name == SEC_FETCH_SITE {
            is_cross_site |= value() == "cross-site";
        }
    }
    if let Some(authority) = head.uri.authority() {
        check_host(authority.as_str())?;
    }
    if is_cross_site && !has_origin {
        return Err(not_allowed("origin", "cross-site"));
    }
    if head.version == Version::HTTP_11 && !has_host {
        let message = "an HTTP/1.1 request needs a Host header";
        return Err(failure(ApiErrorKind::InvalidRequest, message));
    }
    Ok(())
}

fn not_allowed(kind: &str, value: &str) -> ApiError {
    let message = format!(
        "the {kind} `{value}` is not allowed; if it should be, add it to [access]",
        value = shortened(value)
    );
    ApiError { status: 403, ..failure(ApiErrorKind::Permission, &message) }
}

/// Accepts pages served by the gateway itself and configured origins. Pages of other local programs
/// (same host, another port) are rejected.
fn is_allowed_origin(config: &Config, listen: SocketAddr, origin: &str) -> bool {
    if config.access.origins.iter().any(|known| known == origin) {
        return true;
    }
    let Some((scheme @ ("http" | "https"), host)) = origin.split_once("://") else { return false };
    let (name, port) = split_port(host);
    let port = port.unwrap_or(if scheme == "https" { "443" } else { "80" });
    let has_own_port = !listen.ip().is_loopback() || port == listen.port().to_string();
    let is_configured = config.access.hosts.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_allowed_host(config, listen, host) && (has_own_port || is_configured)
}

/// Splits host and port; brackets of an IPv6 address are removed.
fn split_port(host: &str) -> (&str, Option<&str>) {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            (name, Some(port))
        }
        _ => (host, None),
    };
    (name.trim_start_matches('[').trim_end_matches(']'), port)
}

fn is_allowed_host(config: &Config, listen: SocketAddr, host: &str) -> bool {
    let (name, _) = split_port(host);
    let is_listed = |known: &String| known.eq_ignore_ascii_case(name) || known == host;
    if name.eq_ignore_ascii_case("localhost") || config.access.hosts.iter().any(is_listed) {
        return true;
    }
    match name.parse::<IpAddr>() {
        Ok(address) if address.is_loopback() => true,
        // Off loopback, keys are mandatory and the gateway cannot know its public addresses, so
        // every literal IP is accepted.
        Ok(address) => !listen.ip().is_loopback() && !address.is_unspecified(),
        Err(_) => !listen.ip().is_loopback() && config.access.hosts.is_empty(),
    }
}

/// Whether the listen address is loopback or API keys are configured.
pub(crate) fn is_protected(config: &Config, listen: SocketAddr) -> bool {
    listen.ip().is_loopback() || !config.access.keys.is_empty()
}

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
