//! Parses a PostgreSQL URL into connection parameters and a TLS configuration.

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

use super::query_error::describe_error;

/// The text is not a usable PostgreSQL URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidDatabaseUrl(pub(super) String);

/// Connection parameters, and how server certificates are verified.
#[derive(Debug)]
pub(super) struct ConnectConfig {
    pub(super) config: Config,
    pub(super) tls: ClientConfig,
    /// Name for logs and errors, without user and password.
    pub(super) display_name: String,
}

impl ConnectConfig {
    /// Parses `postgres://USER:PASSWORD@HOST/DATABASE?…` with libpq's parameters. If TLS is used,
    /// certificates are always verified, whatever `sslmode` says.
    pub(super) fn parse(url: &str) -> Result<Self, InvalidDatabaseUrl> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(InvalidDatabaseUrl("it must begin with postgres://".into()));
        }
        let (base, parameters) = url.split_once('?').unwrap_or((url, ""));
        let (mut roots, mut mode, mut rest) = (None, None, Vec::new());
        for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", path)) => roots = Some(path.replace("%2F", "/")),
                Some(("sslmode", "verify-ca" | "verify-full")) => mode = Some(SslMode::Require),
                Some(("sslmode", _)) => {
                    mode = Some(SslMode::Prefer);
                    rest.push(parameter);
                }
                _ => rest.push(parameter),
            }
        }
        let parameters = rest.join("&");
        let separator = if parameters.is_empty() { "" } else { "?" };
        // The parser's error names the invalid part without its value, which may be a password.
        let mut config: Config = format!("{base}{separator}{parameters}")
            .parse()
            .map_err(|error| InvalidDatabaseUrl(describe_error(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(InvalidDatabaseUrl("it has no host".into()));
        }
        match mode {
            Some(SslMode::Require) => drop(config.ssl_mode(SslMode::Require)),
            // No TLS on the loopback interface by default.
            None if config.get_hosts().iter().all(is_local) => {
                config.ssl_mode(SslMode::Disable);
            }
            _ => {}
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(TCP_USER_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("interlingua");
        }
        let name = display_name(&config);
        Ok(Self { config, tls: tls_config(roots.as_deref())?, display_name: name })
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        #[cfg(unix)]
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback())
        }
    }
}

fn display_name(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        Some(Host::Tcp(name)) => name.clone(),
        None => "localhost".to_owned(),
    };
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("PostgreSQL {host}/{database}")
}

fn tls_config(roots: Option<&str>) -> Result<ClientConfig, InvalidDatabaseUrl> {
    let to_url_error = |error: rustls::Error| InvalidDatabaseUrl(error.to_string());
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(to_url_error)?;
    let Some(path) = roots else {
        return Ok(builder.with_platform_verifier().map_err(to_url_error)?.with_no_client_auth());
    };
    let file_error =
        |reason: &dyn fmt::Display| InvalidDatabaseUrl(format!("sslrootcert: {path}: {reason}"));
    let mut store = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(Path::new(path)).map_err(|error| file_error(&error))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| file_error(&error))?;
        store.add(certificate).map_err(|error| file_error(&error))?;
    }
    if store.is_empty() {
        return Err(file_error(&"it contains no certificate"));
    }
    Ok(builder.with_root_certificates(store).with_no_client_auth())
}

impl fmt::Display for InvalidDatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a valid PostgreSQL URL: {}", self.0)
    }
}

impl std::error::Error for InvalidDatabaseUrl {}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// How long sent data may stay unacknowledged before the connection is closed.
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(10);
