//! Tests a real MCP server, if one is installed: `cargo xtask agents` installs it and sets
//! `INTERLINGUA_TEST_MCP` to the directory of its package.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use interlingua_agent::Session;
use interlingua_agent::mcp::McpServer;
use interlingua_upstream::{Timeouts, UpstreamClient};
use tokio::process::Command;

use crate::support::{TestEnv, results};

fn server_command(transport: &str) -> Option<Command> {
    let folder = PathBuf::from(std::env::var_os("INTERLINGUA_TEST_MCP")?);
    let mut command = Command::new("node");
    command.arg(folder.join("dist").join("index.js")).arg(transport).kill_on_drop(true);
    Some(command)
}

/// Lets the model call the server's echo tool, and checks the result.
async fn check_echo(server: &McpServer) {
    let env = TestEnv::new();
    let mut agent = env.agent("openai", "gpt-4.1");
    agent.tools = server.tools().await.unwrap();
    assert!(agent.tools.len() > 3, "{:?}", agent.tools);
    let mut session = Session::new();
    let prompt = r#"sim:call=echo sim:arguments={"message":"boats"}"#;
    let output = agent.ask(&mut session, prompt, &mut |_| {}).await.unwrap();
    assert_eq!(results(&session), vec![("Echo: boats".to_owned(), false)]);
    assert!(output.text().contains("Echo: boats"), "{}", output.text());
    env.assert_accepted();
}

#[tokio::test]
async fn a_server_over_standard_input_and_output() {
    let Some(command) = server_command("stdio") else { return };
    let server = McpServer::spawn(command, |_| {}).await.unwrap();
    check_echo(&server).await;
}

#[tokio::test]
async fn a_server_over_http() {
    let Some(mut command) = server_command("streamableHttp") else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = command.env("PORT", port.to_string()).spawn().unwrap();
    let upstream = Arc::new(UpstreamClient::new(Timeouts::default()).unwrap());
    let url = format!("http://127.0.0.1:{port}/mcp").parse().unwrap();
    let mut server = McpServer::connect(&url, Arc::clone(&upstream)).await;
    for _ in 0..100 {
        if server.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        server = McpServer::connect(&url, Arc::clone(&upstream)).await;
    }
    check_echo(&server.unwrap()).await;
    child.kill().await.unwrap();
}

#[tokio::test]
async fn an_error_names_the_server() {
    let missing = McpServer::spawn(Command::new("no-such-program"), |_| {}).await.unwrap_err();
    assert!(missing.to_string().contains("'no-such-program' cannot be used"), "{missing}");
    let silent_server = McpServer::spawn(Command::new("true"), |_| {}).await.unwrap_err();
    assert_eq!(silent_server.server, "true");
}
