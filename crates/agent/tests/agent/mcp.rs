//! Tools of a real MCP server, where one is installed: `cargo xtask agents` does that, and names the
//! folder of its package in `INTERLINGUA_TEST_MCP`.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use interlingua_agent::Session;
use interlingua_agent::mcp::Server;
use interlingua_upstream::{Timeouts, Upstream};
use tokio::process::Command;

use crate::world::{World, results};

fn command(way: &str) -> Option<Command> {
    let folder = PathBuf::from(std::env::var_os("INTERLINGUA_TEST_MCP")?);
    let mut command = Command::new("node");
    command.arg(folder.join("dist").join("index.js")).arg(way).kill_on_drop(true);
    Some(command)
}

/// Has the model call the server, and reads what came of it.
async fn echoes(server: &Server) {
    let world = World::new();
    let mut agent = world.agent("openai", "gpt-4.1");
    agent.tools = server.tools().await.unwrap();
    assert!(agent.tools.len() > 3, "{:?}", agent.tools);
    let mut session = Session::new();
    let said = r#"sim:call=echo sim:arguments={"message":"boats"}"#;
    let answer = agent.ask(&mut session, said, &mut |_| {}).await.unwrap();
    assert_eq!(results(&session), vec![("Echo: boats".to_owned(), false)]);
    assert!(answer.text().contains("Echo: boats"), "{}", answer.text());
    world.assert_accepted();
}

#[tokio::test]
async fn a_server_over_standard_input_and_output() {
    let Some(command) = command("stdio") else { return };
    let server = Server::start(command).await.unwrap();
    echoes(&server).await;
}

#[tokio::test]
async fn a_server_over_http() {
    let Some(mut command) = command("streamableHttp") else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut child = command.env("PORT", port.to_string()).spawn().unwrap();
    let upstream = Arc::new(Upstream::new(Timeouts::default()).unwrap());
    let url = format!("http://127.0.0.1:{port}/mcp").parse().unwrap();
    let mut found = Server::at(&url, Arc::clone(&upstream)).await;
    for _ in 0..100 {
        if found.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        found = Server::at(&url, Arc::clone(&upstream)).await;
    }
    echoes(&found.unwrap()).await;
    child.kill().await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_none_is_told_with_its_name() {
    let missing = Server::start(Command::new("no-such-program")).await.unwrap_err();
    assert!(missing.to_string().contains("'no-such-program' cannot be used"), "{missing}");
    let mute = Server::start(Command::new("true")).await.unwrap_err();
    assert_eq!(mute.server, "true");
}
