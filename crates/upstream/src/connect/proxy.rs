//! Proxies, as the environment names them.

use std::fmt;
use std::net::IpAddr;

use http::Uri;
use http::header::HeaderValue;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use crate::Env;

/// Which calls go through a proxy. By default none does.
#[derive(Default)]
pub struct Proxies {
    matcher: Option<Matcher>,
}

impl Proxies {
    /// As `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say, in capitals or not.
    pub fn read(env: Env<'_>) -> Self {
        let value = |name: &str| {
            let said = env(name).or_else(|| env(&name.to_ascii_lowercase()));
            said.unwrap_or_default()
        };
        let [all, http, https] = ["ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY"].map(value);
        if all.is_empty() && http.is_empty() && https.is_empty() {
            return Self::default();
        }
        let matcher = Matcher::builder().all(all).http(http).https(https).no(value("NO_PROXY"));
        Self { matcher: Some(matcher.build()) }
    }

    /// The proxy on the way to an address. No proxy knows this machine better than it does itself.
    pub(crate) fn on_the_way(&self, to: &Uri) -> Option<Intercept> {
        self.matcher.as_ref()?.intercept(to).filter(|_| !is_here(to))
    }

    /// What a proxy that reads the request wants to see in it.
    pub(crate) fn leave(&self, to: &Uri) -> Option<HeaderValue> {
        if to.scheme_str() != Some("http") {
            return None;
        }
        let mut value = self.on_the_way(to)?.basic_auth()?.clone();
        value.set_sensitive(true);
        Some(value)
    }
}

fn is_here(to: &Uri) -> bool {
    let host = to.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address of a proxy may hold a password.
        f.debug_struct("Proxies").field("any", &self.matcher.is_some()).finish_non_exhaustive()
    }
}
