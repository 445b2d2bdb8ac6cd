//! MCP servers that are named on the command line.

use std::sync::Arc;

use interlingua_agent::Tool;
use interlingua_agent::mcp::Server;
use interlingua_upstream::Upstream;
use tokio::process::Command;

use crate::problem::Problem;

/// The tools of all servers. Where two have a tool of the same name, the later server's says which it is.
pub(super) async fn tools(
    servers: &[String],
    upstream: &Arc<Upstream>,
) -> Result<Vec<Tool>, Problem> {
    let mut all: Vec<Tool> = Vec::new();
    for (number, named) in servers.iter().enumerate() {
        let server = found(named, upstream).await?;
        let tools = server.tools().await;
        let tools = tools.map_err(|error| Problem::bad(error.to_string(), ""))?;
        for mut tool in tools {
            if all.iter().any(|other| other.name == tool.name) {
                tool.name = format!("{}_{}", tool.name, number + 1);
            }
            all.push(tool);
        }
    }
    Ok(all)
}

async fn found(named: &str, upstream: &Arc<Upstream>) -> Result<Server, Problem> {
    let advice = "--mcp takes a command with its arguments, or the address of a server.";
    if named.starts_with("http://") || named.starts_with("https://") {
        let url = named.parse();
        let url = url.map_err(|error| Problem::usage(format!("{named}: {error}"), advice))?;
        let server = Server::at(&url, Arc::clone(upstream)).await;
        return server.map_err(|error| Problem::bad(error.to_string(), advice));
    }
    let mut words = named.split_whitespace();
    let Some(program) = words.next() else {
        return Err(Problem::usage("--mcp names no server", advice));
    };
    let mut command = Command::new(program);
    command.args(words);
    Server::start(command).await.map_err(|error| Problem::bad(error.to_string(), advice))
}
