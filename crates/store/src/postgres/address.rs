//! Where a PostgreSQL is, and how it is spoken to.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The address says nothing that could be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAddress(pub(super) String);

/// A database, and the certificates that it must show.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: ClientConfig,
    /// As it is called in the log: without its user and password.
    pub(super) name: String,
}

impl Address {
    /// From `postgres://USER:PASSWORD@HOST/DATABASE?…`, with the parameters that PostgreSQL's own programs
    /// know. Certificates are verified, whatever `sslmode` says, if there are any.
    pub(super) fn read(url: &str) -> Result<Self, BadAddress> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(BadAddress("it begins with postgres://".into()));
        }
        let (place, parameters) = url.split_once('?').unwrap_or((url, ""));
        let (mut roots, mut mode, mut others) = (None, None, Vec::new());
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", path)) => roots = Some(path.replace("%2F", "/")),
                Some(("sslmode", "verify-ca" | "verify-full")) => mode = Some(SslMode::Require),
                Some(("sslmode", _)) => {
                    mode = Some(SslMode::Prefer);
                    others.push(parameter);
                }
                _ => others.push(parameter),
            }
        }
        let parameters = others.join("&");
        let mark = if parameters.is_empty() { "" } else { "?" };
        // The error of the parser tells which part is wrong, and not what is in it.
        let mut config: Config = format!("{place}{mark}{parameters}")
            .parse()
            .map_err(|error| BadAddress(super::link::words(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(BadAddress("it names no host".into()));
        }
        match mode {
            Some(SslMode::Require) => drop(config.ssl_mode(SslMode::Require)),
            // Nobody listens between this machine and itself.
            None if config.get_hosts().iter().all(is_here) => {
                config.ssl_mode(SslMode::Disable);
            }
            _ => {}
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(SILENCE);
        }
        if config.get_application_name().is_none() {
            config.application_name("interlingua");
        }
        let name = name(&config);
        Ok(Self { config, tls: tls(roots.as_deref())?, name })
    }
}

fn is_here(host: &Host) -> bool {
    match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
    }
}

fn name(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        Some(Host::Tcp(name)) => name.clone(),
        None => "localhost".to_owned(),
    };
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("PostgreSQL {host}/{database}")
}

fn tls(roots: Option<&str>) -> Result<ClientConfig, BadAddress> {
    let bad = |error: rustls::Error| BadAddress(error.to_string());
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(bad)?;
    let Some(path) = roots else {
        return Ok(builder.with_platform_verifier().map_err(bad)?.with_no_client_auth());
    };
    let unread = |why: &dyn fmt::Display| BadAddress(format!("sslrootcert: {path}: {why}"));
    let mut store = RootCertStore::empty();
    let found = CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| unread(&error))?;
    for certificate in found {
        let certificate = certificate.map_err(|error| unread(&error))?;
        store.add(certificate).map_err(|error| unread(&error))?;
    }
    if store.is_empty() {
        return Err(unread(&"there is no certificate in it"));
    }
    Ok(builder.with_root_certificates(store).with_no_client_auth())
}

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not the address of a PostgreSQL: {}", self.0)
    }
}

impl std::error::Error for BadAddress {}

/// For a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// Before a connection on which nothing is heard is given up.
const SILENCE: Duration = Duration::from_secs(10);
