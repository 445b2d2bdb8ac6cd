//! Tools of MCP servers.

mod content;
mod http;
mod trouble;

use std::fmt;
use std::sync::Arc;

use interlingua::Json;
use interlingua_upstream::Upstream;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, JsonObject,
};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ServiceExt as _, model};
use tokio::process::Command;
use url::Url;

use crate::mcp::http::Http;
use crate::{Given, Tool};

/// An MCP server that was started or found. It is stopped when nobody holds it or a tool of it.
#[derive(Clone)]
pub struct Server {
    name: String,
    client: Arc<Client>,
}

type Client = RunningService<RoleClient, ClientConfig>;

/// A server that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoServer {
    pub server: String,
    pub why: String,
}

impl Server {
    /// Starts a server that speaks over its standard input and output.
    pub async fn start(command: Command) -> Result<Self, NoServer> {
        let name = command.as_std().get_program().to_string_lossy().into_owned();
        let no = |why: String| NoServer { server: name.clone(), why };
        let process = TokioChildProcess::new(command).map_err(|error| no(error.to_string()))?;
        let client = info().serve(process).await.map_err(|error| no(trouble::greeting(&error)))?;
        Ok(Self { client: Arc::new(client), name })
    }

    /// A server that is reached over HTTP.
    pub async fn at(url: &Url, upstream: Arc<Upstream>) -> Result<Self, NoServer> {
        let name = url.host_str().unwrap_or_default().to_owned();
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        let transport = StreamableHttpClientTransport::with_client(Http::new(upstream), config);
        let client = info()
            .serve(transport)
            .await
            .map_err(|error| NoServer { server: name.clone(), why: trouble::greeting(&error) })?;
        Ok(Self { client: Arc::new(client), name })
    }

    /// What it offers.
    pub async fn tools(&self) -> Result<Vec<Tool>, NoServer> {
        let listed = self.client.list_all_tools().await;
        let listed = listed.map_err(|error| NoServer {
            server: self.name.clone(),
            why: trouble::asking(&error),
        })?;
        Ok(listed.into_iter().map(|tool| self.tool(tool)).collect())
    }

    fn tool(&self, tool: model::Tool) -> Tool {
        let hints = tool.annotations.unwrap_or_default();
        let client = Arc::clone(&self.client);
        let called = tool.name.clone();
        let run = move |args: Json| {
            let (client, called) = (Arc::clone(&client), called.clone());
            async move {
                let mut params = CallToolRequestParams::new(called);
                params.arguments = serde_json::from_str::<JsonObject>(args.as_str()).ok();
                match client.call_tool(params).await {
                    Ok(result) => content::given(result),
                    Err(error) => Given::error(&trouble::asking(&error)),
                }
            }
        };
        let schema = serde_json::to_string(&*tool.input_schema).unwrap_or_default();
        let schema = Json::parse(schema).unwrap_or(Json::EMPTY_OBJECT);
        let offered = Tool::giving(&tool.name, &tool.description.unwrap_or_default(), schema, run);
        // Who only reads, or comes to the same each time, may be asked twice.
        let harmless = [hints.read_only_hint, hints.idempotent_hint].contains(&Some(true));
        if harmless { offered.repeatable() } else { offered }
    }
}

fn info() -> ClientConfig {
    let version = env!("CARGO_PKG_VERSION");
    ClientConfig::new(ClientCapabilities::default(), Implementation::new("interlingua", version))
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for NoServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the MCP server '{}' cannot be used: {}", self.server, self.why)
    }
}

impl std::error::Error for NoServer {}
