//! MCP servers named on the command line.

use std::sync::Arc;

use interlingua_agent::Tool;
use interlingua_agent::mcp::McpServer;
use interlingua_upstream::UpstreamClient;
use tokio::process::Command;

use super::screen::SharedScreen;
use crate::error::CommandError;

/// The tools of all servers. If two tools have the same name, the later server's number is appended
/// to its tool.
pub(super) async fn tools(
    servers: &[String],
    upstream: &Arc<UpstreamClient>,
    screen: &SharedScreen,
) -> Result<Vec<Tool>, CommandError> {
    let mut all_tools: Vec<Tool> = Vec::new();
    for (number, name) in servers.iter().enumerate() {
        let server = connect(name, upstream, screen).await?;
        let tools = server.tools().await;
        let tools = tools.map_err(|error| CommandError::failed(error.to_string(), ""))?;
        for mut tool in tools {
            if all_tools.iter().any(|other| other.name == tool.name) {
                tool.name = format!("{}_{}", tool.name, number + 1);
            }
            all_tools.push(tool);
        }
    }
    Ok(all_tools)
}

async fn connect(
    spec: &str,
    upstream: &Arc<UpstreamClient>,
    screen: &SharedScreen,
) -> Result<McpServer, CommandError> {
    let hint = "--mcp takes a command with its arguments, or the URL of a server.";
    if spec.starts_with("http://") || spec.starts_with("https://") {
        let url = spec.parse();
        let url = url.map_err(|error| CommandError::usage(format!("{spec}: {error}"), hint))?;
        let server = McpServer::connect(&url, Arc::clone(upstream)).await;
        return server.map_err(|error| CommandError::failed(error.to_string(), hint));
    }
    let mut arguments = spec.split_whitespace();
    let Some(program) = arguments.next() else {
        return Err(CommandError::usage("--mcp: the server is missing", hint));
    };
    let mut command = Command::new(program);
    command.args(arguments);
    let screen = screen.clone();
    McpServer::spawn(command, move |text| screen.lock().print_server_text(text))
        .await
        .map_err(|error| CommandError::failed(error.to_string(), hint))
}
