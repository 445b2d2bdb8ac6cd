//! A workload for the gateway: clients of all dialects call providers of all dialects.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use interlingua::{Dialect, Target, find_dialect, translate_request};
use serde_json::{Value, json};

use crate::load::{LoadRequest, Process, error_text, run_load};

/// A kind of request, sent by each client to each provider, without and with streaming.
#[derive(Debug)]
pub struct Workload {
    /// `sim/echo` repeats the question, `sim/agent` thinks and calls a tool.
    pub model: &'static str,
    /// Rounds with a tool before the question.
    pub tool_rounds: usize,
    /// Lines of each tool result.
    pub result_lines: usize,
    /// Repetitions of the question text.
    pub question_repeats: usize,
    pub connections: usize,
    /// Requests for each client, provider and kind of reply.
    pub requests: u64,
}

impl Workload {
    /// Sends the requests of all clients to all providers.
    pub fn run(&self, at: SocketAddr) -> Result<(), String> {
        for client in CLIENTS {
            let client = find_dialect(client).ok_or("an unknown dialect")?;
            for (provider, _) in PROVIDERS {
                self.run_pair(at, client, provider)?;
            }
        }
        Ok(())
    }

    fn run_pair(&self, at: SocketAddr, client: &dyn Dialect, provider: &str) -> Result<(), String> {
        for stream in [false, true] {
            let request =
                self.load_request(client, &format!("{provider}/{}", self.model), stream)?;
            let load_stats = run_load(at, &request, self.connections, self.requests);
            if load_stats.errors > 0 {
                let name = client.id().0;
                return Err(format!("{} errors from {provider} for {name}", load_stats.errors));
            }
        }
        Ok(())
    }

    fn load_request(
        &self,
        client: &dyn Dialect,
        model: &str,
        stream: bool,
    ) -> Result<LoadRequest, String> {
        let from = find_dialect("anthropic").ok_or("an unknown dialect")?;
        let body = self.conversation().to_string().into();
        let translated = translate_request(body, from, client, &Target::default());
        let translated = translated.map_err(|error| error.to_string())?;
        let mut body: Value =
            serde_json::from_slice(&translated.body).map_err(|error| error.to_string())?;
        let path = match client.id().0 {
            "gemini" if stream => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            "gemini" => format!("/v1beta/models/{model}:generateContent"),
            other => {
                body["model"] = json!(model);
                body["stream"] = json!(stream);
                PATHS
                    .iter()
                    .find(|(name, _)| *name == other)
                    .map_or("", |(_, path)| path)
                    .to_owned()
            }
        };
        Ok(LoadRequest::new(&path, &body))
    }

    fn conversation(&self) -> Value {
        let mut messages = Vec::new();
        for round in 0..self.tool_rounds {
            let id = format!("toolu_{round:024}");
            messages.push(json!({"role": "user", "content": "Look at the next file, please."}));
            messages.push(json!({"role": "assistant", "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": id, "name": "look", "input": {"place": "here"}}]}));
            let result = "fn parse() -> \"x\";\n".repeat(self.result_lines);
            messages.push(json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": result}]}));
            messages.push(json!({"role": "assistant", "content": "That is what it is."}));
        }
        let question = "And what else is there? ".repeat(self.question_repeats);
        messages.push(json!({"role": "user", "content": question}));
        json!({
            "model": self.model, "max_tokens": 8000,
            "system": "Be brief. ".repeat(40),
            "tools": [{"name": "look", "description": "Looks.", "input_schema": {
                "type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}],
            "messages": messages,
        })
    }
}

/// Starts a simulator of all providers.
pub fn start_simulator(program: &str) -> Result<(Process, SocketAddr), String> {
    let mut simulate = Command::new(program);
    // An instrumented program must write only the profile of the gateway.
    simulate.env("LLVM_PROFILE_FILE", "/dev/null");
    Process::spawn_and_read_address(simulate.arg("simulate").args(LISTEN_ARGS)).map_err(error_text)
}

/// The configuration of a gateway with these providers at an address, and with a CA file for TLS.
pub fn gateway_config(address: &str, ca_file: Option<&Path>) -> String {
    let ca = ca_file.map(|file| format!("ca = {:?}\n", file.display().to_string()));
    let provider = |(name, lines): &(&str, &str)| {
        let ca = ca.as_deref().unwrap_or_default();
        format!("[providers.{name}]\n{}\n{COMMON_SETTINGS}{ca}", lines.replace("UPSTREAM", address))
    };
    PROVIDERS.iter().map(provider).collect()
}

/// Listens on a free port.
pub const LISTEN_ARGS: [&str; 2] = ["--listen", "127.0.0.1:0"];

const CLIENTS: [&str; 4] = ["anthropic", "openai-chat", "openai-responses", "gemini"];
const PATHS: [(&str, &str); 3] = [
    ("anthropic", "/v1/messages"),
    ("openai-chat", "/v1/chat/completions"),
    ("openai-responses", "/v1/responses"),
];

const PROVIDERS: [(&str, &str); 4] = [
    ("anthropic", "base_url = \"UPSTREAM/anthropic\""),
    ("openai", "base_url = \"UPSTREAM/openai/v1\""),
    ("chat", "dialect = \"openai-chat\"\nbase_url = \"UPSTREAM/openai/v1\""),
    ("gemini", "base_url = \"UPSTREAM/gemini\""),
];
const COMMON_SETTINGS: &str =
    "api_key = \"env:HOME\"\nheaders = { \"x-sim-fault\" = \"pieces=8\" }\n";
