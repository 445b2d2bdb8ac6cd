//! A request that is sent repeatedly.

use serde_json::Value;

/// One kind of request that is sent repeatedly.
#[derive(Clone, Debug)]
pub struct LoadRequest {
    pub path: String,
    pub headers: String,
    pub body: Vec<u8>,
}

impl LoadRequest {
    /// A request with an API key and this body.
    pub fn new(path: &str, body: &Value) -> Self {
        let headers = "authorization: Bearer x\r\n".to_owned();
        Self { path: path.to_owned(), headers, body: body.to_string().into_bytes() }
    }
}
