//! How connections are made.

use hyper_util::client::legacy::connect::HttpConnector;

/// Plain TCP, without delay.
pub(crate) fn plain() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    connector
}
