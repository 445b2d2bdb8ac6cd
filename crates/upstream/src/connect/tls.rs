//! TLS configuration: trusted roots and protocol versions.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// CA certificates that are trusted for one provider, in addition to the system's.
#[derive(Clone, PartialEq, Eq)]
pub struct CaBundle {
    certificates: Vec<CertificateDer<'static>>,
}

/// The file has no certificates in PEM format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidCaBundle;

impl CaBundle {
    /// Parses PEM certificates.
    pub fn from_pem(pem: &[u8]) -> Result<Self, InvalidCaBundle> {
        let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates = parsed.ok().filter(|all| !all.is_empty()).ok_or(InvalidCaBundle)?;
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone()).map_err(|_| InvalidCaBundle)?;
        }
        Ok(Self { certificates })
    }
}

/// TLS 1.2 and 1.3 with the system's roots and additional ones.
pub(crate) fn client_config(extra_roots: Option<&CaBundle>) -> Result<ClientConfig, rustls::Error> {
    let crypto = Arc::new(aws_lc_rs::default_provider());
    let extra_roots =
        extra_roots.map(|authority| authority.certificates.clone()).unwrap_or_default();
    let verifier = Verifier::new_with_extra_roots(extra_roots, Arc::clone(&crypto))?;
    let config = ClientConfig::builder_with_provider(crypto)
        .with_safe_default_protocol_versions()?
        // `dangerous` is the API to set a custom verifier; this one verifies with the system's
        // roots.
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(config)
}

/// Configuration without roots for cleartext connections: loading the system's roots is slow.
pub(crate) fn cleartext_config() -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Ok(config)
}

impl fmt::Debug for CaBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CaBundle").field("certificates", &self.certificates.len()).finish()
    }
}

impl fmt::Display for InvalidCaBundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the file holds no certificates in PEM")
    }
}

impl std::error::Error for InvalidCaBundle {}
