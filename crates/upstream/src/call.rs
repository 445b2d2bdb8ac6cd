//! A question as a request: its address, its headers, its key.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Uri, Version};
use interlingua::{Failure, Spliced};
use secrecy::{ExposeSecret as _, SecretString};

use crate::error::{Trouble, failure};
use crate::ready::Heading;
use crate::way::Way;
use crate::{Ask, Auth, Provider, aws};

/// One question to one provider.
#[derive(Clone)]
pub struct Call<'a> {
    pub provider: &'a Provider,
    pub ask: Ask,
    /// As the provider names it; for dialects that have it in the path.
    pub model: &'a str,
    /// What goes along from the client, by the gateway's list of what may.
    pub headers: HeaderMap,
    pub body: Spliced,
}

impl Call<'_> {
    /// The request as it leaves, which nothing is left of in the call.
    pub(crate) fn request(&mut self) -> Result<(Arc<Heading>, Spliced), Failure> {
        let mut body = mem::take(&mut self.body);
        if self.ask == Ask::Models {
            body = Spliced::default();
        }
        let (provider, has_body) = (self.provider, !body.is_empty());
        let mut heading = match self.ask {
            ask @ Ask::Turn { stream } if has_body && self.headers.is_empty() => {
                let stays = || provider.has_one_address(ask);
                provider.ready.heading(stream, stays, || self.heading(has_body))?
            }
            _ => self.heading(has_body)?,
        };
        if provider.auth == Auth::SigV4 {
            let (mut head, ()) = heading.into_request().into_parts();
            let whole = body.joined();
            self.sign(&head.method, &head.uri, &mut head.headers, &whole)?;
            heading = Heading::new(Request::from_parts(head, ()));
            body = whole.into();
        }
        Ok((heading, body))
    }

    fn heading(&mut self, has_body: bool) -> Result<Arc<Heading>, Failure> {
        let uri = self.provider.address(self.ask, self.model)?;
        let mut headers = mem::take(&mut self.headers);
        if !headers.is_empty() {
            for name in &OURS {
                headers.remove(name);
            }
        }
        if has_body {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in self.usual() {
            headers.entry(name).or_insert(value);
        }
        for (name, value) in &self.provider.headers {
            headers.insert(name, value.clone());
        }
        self.show_key(&mut headers)?;
        let mut request = Request::new(());
        *request.method_mut() = self.ask.method();
        *request.uri_mut() = uri;
        *request.version_mut() = Version::HTTP_11;
        *request.headers_mut() = headers;
        Ok(Heading::new(request))
    }

    /// What is sent unless the client or the configuration says otherwise.
    fn usual(&self) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
        let dialect = self.provider.dialect;
        let accept = match self.ask {
            Ask::Turn { stream: true } => match dialect.framing() {
                interlingua::Framing::AwsEvents => "application/vnd.amazon.eventstream",
                _ => "text/event-stream",
            },
            _ => "application/json",
        };
        [(header::ACCEPT, accept), (header::USER_AGENT, AGENT)]
            .into_iter()
            .chain(
                Way::of(dialect.id().0)
                    .headers
                    .iter()
                    .map(|(name, value)| (HeaderName::from_static(name), *value)),
            )
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
    }

    fn sign(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &mut HeaderMap,
        body: &[u8],
    ) -> Result<(), Failure> {
        let name = &self.provider.name;
        let Some(signer) = &self.provider.signer else {
            return Err(failure(name, &Trouble::NoCredentials));
        };
        for name in &KEYS {
            headers.remove(name);
        }
        aws::sign(signer, method, uri, headers, body, SystemTime::now())
            .ok_or_else(|| failure(name, &Trouble::Header("what AWS calls are signed with")))
    }

    fn show_key(&self, headers: &mut HeaderMap) -> Result<(), Failure> {
        let provider = self.provider;
        let Some(key) = &provider.key else { return Ok(()) };
        let (name, before) = match provider.auth {
            Auth::None | Auth::SigV4 => return Ok(()),
            Auth::Bearer => (header::AUTHORIZATION, "Bearer "),
            Auth::XApiKey => (X_API_KEY, ""),
            Auth::GoogApiKey => (X_GOOG_API_KEY, ""),
            Auth::ApiKey => (API_KEY, ""),
        };
        // Whatever the client showed is not for the provider when there is a key for it.
        for name in &KEYS {
            headers.remove(name);
        }
        let value = secret(before, key)
            .ok_or_else(|| failure(&provider.name, &Trouble::Header("its key")))?;
        headers.insert(name, value);
        Ok(())
    }
}

fn secret(before: &str, key: &SecretString) -> Option<HeaderValue> {
    let mut text = Vec::with_capacity(before.len() + key.expose_secret().len());
    text.extend_from_slice(before.as_bytes());
    text.extend_from_slice(key.expose_secret().as_bytes());
    let mut value = HeaderValue::from_maybe_shared(Bytes::from(text)).ok()?;
    value.set_sensitive(true);
    Some(value)
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("provider", &self.provider)
            .field("ask", &self.ask)
            .field("model", &self.model)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("body", &self.body.len())
            .finish()
    }
}

const AGENT: &str = concat!("interlingua/", env!("CARGO_PKG_VERSION"));

/// What is between us and the provider alone, and what we cannot read when it is asked for.
const OURS: [HeaderName; 11] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::TE,
    header::TRAILER,
    header::UPGRADE,
    header::EXPECT,
    header::PROXY_AUTHORIZATION,
    header::ACCEPT_ENCODING,
    header::COOKIE,
];

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");
const X_GOOG_API_KEY: HeaderName = HeaderName::from_static("x-goog-api-key");
const API_KEY: HeaderName = HeaderName::from_static("api-key");
const KEYS: [HeaderName; 4] = [header::AUTHORIZATION, X_API_KEY, X_GOOG_API_KEY, API_KEY];
