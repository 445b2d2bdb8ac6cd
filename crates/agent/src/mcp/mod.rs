//! Connects to MCP servers and offers their tools.

mod content;
mod error;
mod http;

use std::fmt;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use interlingua::RawJson;
use interlingua_upstream::UpstreamClient;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, JsonObject,
};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ServiceExt as _, model};
use tokio::io::AsyncReadExt as _;
use tokio::process::{ChildStderr, Command};
use tokio::time::timeout;
use url::Url;

use crate::mcp::http::McpHttpClient;
use crate::{Tool, ToolOutput};

/// A connected MCP server. It is stopped when the last clone and the last of its tools are dropped.
#[derive(Clone)]
pub struct McpServer {
    name: String,
    client: Arc<Client>,
}

type Client = RunningService<RoleClient, ClientConfig>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpError {
    pub server: String,
    pub reason: String,
}

impl McpServer {
    /// Starts a server that communicates over its standard input and output; `on_stderr` gets the
    /// text that it writes to its standard error.
    pub async fn spawn(
        command: Command,
        on_stderr: impl FnMut(&str) + Send + 'static,
    ) -> Result<Self, McpError> {
        let name = command.as_std().get_program().to_string_lossy().into_owned();
        let to_mcp_error = |reason: String| McpError { server: name.clone(), reason };
        let spawned = TokioChildProcess::builder(command).stderr(Stdio::piped()).spawn();
        let (process, stderr) = spawned.map_err(|error| to_mcp_error(error.to_string()))?;
        let forwarding = stderr.map(|stderr| tokio::spawn(forward_stderr(stderr, on_stderr)));
        match client_info().serve(process).await {
            Ok(client) => Ok(Self { client: Arc::new(client), name }),
            Err(error) => {
                // What a server writes before it exits is often the cause.
                if let Some(forwarding) = forwarding {
                    let _ = timeout(STDERR_TIMEOUT, forwarding).await;
                }
                Err(to_mcp_error(error::connect_error(&error)))
            }
        }
    }

    /// Connects to a server over HTTP.
    pub async fn connect(url: &Url, upstream: Arc<UpstreamClient>) -> Result<Self, McpError> {
        let name = url.host_str().unwrap_or_default().to_owned();
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        let transport =
            StreamableHttpClientTransport::with_client(McpHttpClient::new(upstream), config);
        let client = client_info().serve(transport).await.map_err(|error| McpError {
            server: name.clone(),
            reason: error::connect_error(&error),
        })?;
        Ok(Self { client: Arc::new(client), name })
    }

    /// Lists its tools.
    pub async fn tools(&self) -> Result<Vec<Tool>, McpError> {
        let listed = self.client.list_all_tools().await;
        let listed = listed.map_err(|error| McpError {
            server: self.name.clone(),
            reason: error::request_error(&error),
        })?;
        Ok(listed.into_iter().map(|tool| self.tool(tool)).collect())
    }

    fn tool(&self, tool: model::Tool) -> Tool {
        let hints = tool.annotations.unwrap_or_default();
        let client = Arc::clone(&self.client);
        let name = tool.name.clone();
        let run = move |args: RawJson| {
            let (client, name) = (Arc::clone(&client), name.clone());
            async move {
                let mut params = CallToolRequestParams::new(name);
                params.arguments = serde_json::from_str::<JsonObject>(args.as_str()).ok();
                match client.call_tool(params).await {
                    Ok(result) => content::tool_output(result),
                    Err(error) => ToolOutput::error(&error::request_error(&error)),
                }
            }
        };
        let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
        let schema = RawJson::parse(schema).unwrap_or(RawJson::EMPTY_OBJECT);
        let mut converted =
            Tool::from_handler(&tool.name, &tool.description.unwrap_or_default(), schema, run);
        converted.is_read_only = hints.read_only_hint == Some(true);
        // Tools that only read, or are idempotent, may be run twice.
        let is_idempotent = [hints.read_only_hint, hints.idempotent_hint].contains(&Some(true));
        if is_idempotent { converted.idempotent() } else { converted }
    }
}

async fn forward_stderr(mut stderr: ChildStderr, mut on_text: impl FnMut(&str)) {
    let mut buffer = vec![0; 4096];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        on_text(&String::from_utf8_lossy(&buffer[..count]));
    }
}

fn client_info() -> ClientConfig {
    let version = env!("CARGO_PKG_VERSION");
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("interlingua", version))
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for McpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the MCP server '{}' cannot be used: {}", self.server, self.reason)
    }
}

impl std::error::Error for McpError {}

/// How long a server that could not be used may write to its standard error.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);
