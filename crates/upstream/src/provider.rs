//! One configured upstream: its dialect, base URL, credentials and headers.

use interlingua_providers::endpoints::{AuthScheme, DialectEndpoints, EndpointPaths};
use std::fmt;
use std::sync::{Arc, OnceLock};

use http::{HeaderMap, Uri};
use interlingua::{ApiError, Dialect, DialectId};
use interlingua_providers::quirks::base_flavor;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::aws::AwsCredentials;
use crate::connect::CaBundle;
use crate::endpoints::{Operation, is_fixed_path, request_uri};
use crate::error::{UpstreamError, to_api_error};
use crate::redaction::{CachedRedactor, Redactor};
use crate::request_head::CachedHeads;

/// One configured upstream, immutable once it is in use. Start from [`Provider::new`] or
/// [`ProviderFromEnv::provider`](crate::ProviderFromEnv::provider) and change fields.
#[derive(Clone)]
pub struct Provider {
    pub name: String,
    pub dialect: &'static dyn Dialect,
    pub flavor: Option<&'static str>,
    /// The base URL as the dialect's SDK expects it.
    pub base_url: Url,
    pub auth: AuthScheme,
    /// `None` if the provider requires no key, or if the client's key is passed on.
    pub api_key: Option<SecretString>,
    /// Credentials for `SigV4`, if requests are signed.
    pub aws_credentials: Option<Arc<AwsCredentials>>,
    /// CA certificates that this provider is trusted with, in addition to the system's.
    pub ca_bundle: Option<Arc<CaBundle>>,
    /// Headers that are sent with every call. Sensitive values are overwritten in responses.
    pub headers: HeaderMap,
    /// The same provider in its other dialects.
    pub alternates: Vec<Arc<Provider>>,
    pub paths: &'static EndpointPaths,
    /// The URL of the model list, if it is not below the base URL.
    pub models_url: Option<Url>,
    key_fingerprint: OnceLock<String>,
    pub(crate) heads: CachedHeads,
    redactor: CachedRedactor,
}

impl Provider {
    /// Creates a provider without a key, with the endpoints that the dialect's vendor has.
    pub fn new(name: impl Into<String>, dialect: &'static dyn Dialect, base_url: Url) -> Self {
        let dialect_endpoints = DialectEndpoints::for_dialect(dialect.id().0);
        Self {
            name: name.into(),
            dialect,
            flavor: None,
            base_url,
            auth: dialect_endpoints.auth,
            api_key: None,
            aws_credentials: None,
            ca_bundle: None,
            headers: HeaderMap::new(),
            alternates: Vec::new(),
            paths: &dialect_endpoints.paths,
            models_url: None,
            key_fingerprint: OnceLock::new(),
            heads: CachedHeads::default(),
            redactor: CachedRedactor::default(),
        }
    }

    /// Sets the key in every dialect. A provider with `SigV4` uses the key as a bearer token.
    #[must_use]
    pub fn with_api_key(mut self, key: &SecretString) -> Self {
        self.for_each_variant(&|provider| {
            provider.api_key = Some(key.clone());
            provider.key_fingerprint = OnceLock::new();
            if provider.auth == AuthScheme::SigV4 {
                provider.auth = AuthScheme::Bearer;
            }
        });
        self
    }

    /// Adds CA certificates in every dialect.
    #[must_use]
    pub fn with_ca_bundle(mut self, authority: CaBundle) -> Self {
        let authority = Arc::new(authority);
        self.for_each_variant(&|provider| provider.ca_bundle = Some(Arc::clone(&authority)));
        self
    }

    /// Sets headers that are sent with every call, in every dialect.
    #[must_use]
    pub fn with_headers(mut self, headers: &HeaderMap) -> Self {
        self.for_each_variant(&|provider| provider.headers.clone_from(headers));
        self
    }

    /// Changes the base URL in every dialect. Dialects with a separate base URL are dropped, and so
    /// is the vendor's own flavor: any server that speaks the dialect may be there.
    #[must_use]
    pub fn with_base_url(mut self, base: &Url) -> Self {
        let old = self.base_url.clone();
        self.alternates.retain(|other| other.base_url == old);
        self.for_each_variant(&|provider| {
            provider.base_url.clone_from(base);
            if CHAT_TEMPLATE_DIALECTS.contains(&provider.dialect.id().0) {
                let vendor_flavor = provider.dialect.flavors().first();
                provider.flavor = provider.flavor.filter(|flavor| Some(flavor) != vendor_flavor);
            }
        });
        self.models_url = None;
        self
    }

    /// Identifies the account of the key without revealing the key.
    pub fn key_fingerprint(&self) -> &str {
        self.key_fingerprint.get_or_init(|| {
            let digest = |key: &SecretString| Sha256::digest(key.expose_secret().as_bytes());
            let digest: Option<[u8; 32]> = self.api_key.as_ref().map(|key| digest(key).into());
            let first = digest.as_ref().and_then(|digest| digest.first_chunk());
            first.map_or_else(String::new, |first| format!("{:016x}", u64::from_be_bytes(*first)))
        })
    }

    /// Overwrites this provider's secrets in its responses; `None` if it has none.
    pub(crate) fn redactor(&self) -> Option<Arc<Redactor>> {
        self.redactor.get_or_build(|| {
            let aws = self.aws_credentials.as_deref();
            let aws_secrets = aws.into_iter().flat_map(|credentials| {
                [Some(&credentials.secret_access_key), credentials.session_token.as_ref()]
            });
            let keys = aws_secrets.flatten().chain(self.api_key.as_ref());
            let headers = self.headers.values().filter(|value| value.is_sensitive());
            // `Bearer KEY` may come back as `KEY`.
            let words = headers.flat_map(|value| value.as_bytes().split(|byte| *byte == b' '));
            Redactor::new(keys.map(SecretString::expose_secret).map(str::as_bytes).chain(words))
        })
    }

    /// Whether several instruction texts are sent as one string: nothing is known of the server
    /// except that it is not the vendor's, and chat templates may read only the first text.
    pub fn joins_instructions(&self) -> bool {
        base_flavor(self.flavor).is_none()
            && CHAT_TEMPLATE_DIALECTS.contains(&self.dialect.id().0)
            && !self.is_openai_host()
    }

    fn is_openai_host(&self) -> bool {
        let host = self.base_url.host_str().unwrap_or_default();
        let is_host_of = |domain: &&str| {
            let prefix = host.strip_suffix(domain);
            prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('.'))
        };
        OPENAI_DOMAINS.iter().any(is_host_of)
    }

    /// Whether the provider has an endpoint for this operation.
    pub fn supports(&self, operation: Operation) -> bool {
        let is_known = operation != Operation::Compact
            || base_flavor(self.flavor).map_or_else(
                || self.is_openai_host(),
                |flavor| COMPACTING_FLAVORS.contains(&flavor),
            );
        is_known && operation.path(self.paths).is_some()
    }

    /// Whether the URI of this operation is the same for every model.
    pub(crate) fn has_fixed_uri(&self, operation: Operation) -> bool {
        operation.path(self.paths).is_some_and(is_fixed_path)
    }

    pub(crate) fn request_uri(&self, operation: Operation, model: &str) -> Result<Uri, ApiError> {
        let models_url = self.models_url.as_ref().filter(|_| operation == Operation::ListModels);
        let base = models_url.unwrap_or(&self.base_url);
        let path = operation.path(self.paths).ok_or(UpstreamError::UnsupportedOperation);
        path.and_then(|path| request_uri(base, path, model))
            .map_err(|error| to_api_error(&self.name, &error))
    }

    fn for_each_variant(&mut self, change: &dyn Fn(&mut Self)) {
        change(self);
        self.heads = CachedHeads::default();
        self.redactor = CachedRedactor::default();
        for other in &mut self.alternates {
            Arc::make_mut(other).for_each_variant(change);
        }
    }

    /// This provider in one of its dialects.
    pub fn variant(&self, dialect: DialectId) -> Option<&Self> {
        self.variants().find(|other| other.dialect.id() == dialect)
    }

    /// This provider in each of its dialects, the default one first.
    pub fn variants(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.alternates.iter().map(AsRef::as_ref))
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("dialect", &self.dialect.id())
            .field("flavor", &self.flavor)
            .field("host", &self.base_url.host_str())
            .field("auth", &self.auth)
            .field("has_key", &self.api_key.is_some())
            .field("aws_credentials", &self.aws_credentials)
            .field("ca_bundle", &self.ca_bundle)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field(
                "alternates",
                &self.alternates.iter().map(|other| other.dialect.id()).collect::<Vec<_>>(),
            )
            .finish_non_exhaustive()
    }
}

/// Dialects in which local servers render the instructions with the model's chat template.
const CHAT_TEMPLATE_DIALECTS: &[&str] = &["openai-chat", "openai-responses"];

/// Flavors of servers that compact conversations themselves, by their endpoint and by a
/// `compaction_trigger`: `POST /openai/v1/responses/compact` in Azure's reference (`compactconversation`),
/// and `supports_remote_compaction` in Codex for the others. Copies of the API do not.
const COMPACTING_FLAVORS: &[&str] = &["openai", "azure", "codex"];

/// Domains where the vendor of these dialects, or Azure for it, answers.
const OPENAI_DOMAINS: &[&str] = &[
    "openai.com",
    "chatgpt.com",
    "openai.azure.com",
    "services.ai.azure.com",
    "cognitiveservices.azure.com",
];
