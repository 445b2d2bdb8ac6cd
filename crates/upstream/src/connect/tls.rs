//! Whom to trust.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Who may vouch for a provider, beyond those whom the machine trusts.
#[derive(Clone, PartialEq, Eq)]
pub struct Authority {
    certificates: Vec<CertificateDer<'static>>,
}

/// A file that holds no certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAuthority;

impl Authority {
    /// Reads certificates in PEM.
    pub fn read(pem: &[u8]) -> Result<Self, NotAuthority> {
        let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = read.ok().filter(|all| !all.is_empty()).ok_or(NotAuthority)?;
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|_| NotAuthority)?;
        }
        Ok(Self { certificates })
    }
}

/// How TLS is spoken: 1.2 and 1.3, and the machine's roots decide, with an authority added.
pub(crate) fn config(more: Option<&Authority>) -> Result<ClientConfig, rustls::Error> {
    let crypto = Arc::new(aws_lc_rs::default_provider());
    let more = more.map(|authority| authority.certificates.clone()).unwrap_or_default();
    let verifier = Verifier::new_with_extra_roots(more, Arc::clone(&crypto))?;
    let config = ClientConfig::builder_with_provider(crypto)
        .with_safe_default_protocol_versions()?
        // Not a danger: this is how a verifier of the machine's own is given.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

/// For connections without TLS, so that nobody reads the machine's roots who does not need them.
pub(crate) fn unused() -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Ok(config)
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").field("certificates", &self.certificates.len()).finish()
    }
}

impl fmt::Display for NotAuthority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file holds no certificates in PEM")
    }
}

impl std::error::Error for NotAuthority {}
