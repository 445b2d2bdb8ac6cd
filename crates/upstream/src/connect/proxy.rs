//! Proxies from environment variables.

use std::fmt;
use std::net::IpAddr;

use http::Uri;
use http::header::HeaderValue;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use crate::env::Env;

/// Decides which calls use a proxy. By default none does.
#[derive(Default)]
pub struct Proxies {
    matcher: Option<Matcher>,
}

impl Proxies {
    /// Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case.
    pub fn from_env(env: Env<'_>) -> Self {
        let env_var = |name: &str| {
            let value = env(name).or_else(|| env(&name.to_ascii_lowercase()));
            value.unwrap_or_default()
        };
        let [all, http, https] = ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"].map(env_var);
        if all.is_empty() && http.is_empty() && https.is_empty() {
            return Self::default();
        }
        let matcher = Matcher::builder().all(all).http(http).https(https).no(env_var("NO_PROXY"));
        Self { matcher: Some(matcher.build()) }
    }

    /// The proxy for a URI; none for loopback addresses.
    pub(crate) fn proxy_for(&self, to: &Uri) -> Option<Intercept> {
        self.matcher.as_ref()?.intercept(to).filter(|_| !is_loopback(to))
    }

    /// The proxy-authorization header of a cleartext request through a proxy.
    pub(crate) fn proxy_authorization(&self, to: &Uri) -> Option<HeaderValue> {
        if to.scheme_str() != Some("http") {
            return None;
        }
        let mut value = self.proxy_for(to)?.basic_auth()?.clone();
        value.set_sensitive(true);
        Some(value)
    }
}

fn is_loopback(to: &Uri) -> bool {
    let host = to.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL of a proxy may contain a password.
        f.debug_struct("Proxies").field("any", &self.matcher.is_some()).finish_non_exhaustive()
    }
}
