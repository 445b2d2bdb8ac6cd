//! One configured upstream: who it is, what it speaks, where it is, and how it knows us.

use std::fmt;
use std::sync::{Arc, OnceLock};

use http::HeaderMap;
use interlingua::{Dialect, DialectId};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::aws::Signer;
use crate::ready::Ready;
use crate::way::Way;
use crate::{Authority, Paths};

/// One configured upstream; immutable once it is in use. Start from [`Provider::new`] or
/// [`Row::provider`](crate::Row::provider) and change fields.
#[derive(Clone)]
pub struct Provider {
    pub name: String,
    pub dialect: &'static dyn Dialect,
    pub flavor: Option<&'static str>,
    /// As the SDK of the dialect writes it.
    pub base: Url,
    pub auth: Auth,
    /// `None` for servers that ask for none, and where the client's own key is passed on.
    pub key: Option<SecretString>,
    /// Who signs, where every request is signed.
    pub signer: Option<Arc<Signer>>,
    /// Who may vouch for it, beyond those whom the machine trusts.
    pub authority: Option<Arc<Authority>>,
    /// Sent with every call.
    pub headers: HeaderMap,
    /// The same provider in other dialects that it speaks.
    pub also: Vec<Arc<Provider>>,
    pub paths: &'static Paths,
    /// Where the list of models is, if not at the base.
    pub catalogue: Option<Url>,
    account: OnceLock<String>,
    pub(crate) ready: Ready,
}

/// How a provider knows who is asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    None,
    /// `authorization: Bearer …`
    Bearer,
    /// `x-api-key`
    XApiKey,
    /// `x-goog-api-key`
    GoogApiKey,
    /// `api-key`
    ApiKey,
    /// Every request is signed.
    SigV4,
}

impl Provider {
    /// A provider without a key that speaks a dialect as its inventor does.
    pub fn new(name: impl Into<String>, dialect: &'static dyn Dialect, base: Url) -> Self {
        let way = Way::of(dialect.id().0);
        Self {
            name: name.into(),
            dialect,
            flavor: None,
            base,
            auth: way.auth,
            key: None,
            signer: None,
            authority: None,
            headers: HeaderMap::new(),
            also: Vec::new(),
            paths: &way.paths,
            catalogue: None,
            account: OnceLock::new(),
            ready: Ready::default(),
        }
    }

    /// With this key, in every dialect. Where requests are signed otherwise, a key is a bearer token.
    #[must_use]
    pub fn with_key(mut self, key: &SecretString) -> Self {
        self.each(&|provider| {
            provider.key = Some(key.clone());
            provider.account = OnceLock::new();
            if provider.auth == Auth::SigV4 {
                provider.auth = Auth::Bearer;
            }
        });
        self
    }

    /// With somebody more who may vouch for it.
    #[must_use]
    pub fn with_authority(mut self, authority: Authority) -> Self {
        let authority = Arc::new(authority);
        self.each(&|provider| provider.authority = Some(Arc::clone(&authority)));
        self
    }

    /// With these headers sent along, in every dialect.
    #[must_use]
    pub fn with_headers(mut self, headers: &HeaderMap) -> Self {
        self.each(&|provider| provider.headers.clone_from(headers));
        self
    }

    /// At another address. What it spoke at a third one is not known of this one.
    #[must_use]
    pub fn with_base(mut self, base: &Url) -> Self {
        let old = self.base.clone();
        self.also.retain(|other| other.base == old);
        self.each(&|provider| provider.base.clone_from(base));
        self.catalogue = None;
        self
    }

    /// Stands for the account that its key belongs to, and does not tell the key.
    pub fn account(&self) -> &str {
        self.account.get_or_init(|| {
            let digest = |key: &SecretString| Sha256::digest(key.expose_secret().as_bytes());
            let digest: Option<[u8; 32]> = self.key.as_ref().map(|key| digest(key).into());
            let first = digest.as_ref().and_then(|digest| digest.first_chunk());
            first.map_or_else(String::new, |first| format!("{:016x}", u64::from_be_bytes(*first)))
        })
    }

    fn each(&mut self, change: &dyn Fn(&mut Self)) {
        change(self);
        self.ready = Ready::default();
        for other in &mut self.also {
            Arc::make_mut(other).each(change);
        }
    }

    /// This provider in one of the dialects that it speaks.
    pub fn speaking(&self, dialect: DialectId) -> Option<&Self> {
        self.surfaces().find(|other| other.dialect.id() == dialect)
    }

    /// This provider in each of the dialects that it speaks, its usual one first.
    pub fn surfaces(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.also.iter().map(AsRef::as_ref))
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("dialect", &self.dialect.id())
            .field("flavor", &self.flavor)
            .field("host", &self.base.host_str())
            .field("auth", &self.auth)
            .field("has_key", &self.key.is_some())
            .field("signer", &self.signer)
            .field("authority", &self.authority)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("also", &self.also.iter().map(|other| other.dialect.id()).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
