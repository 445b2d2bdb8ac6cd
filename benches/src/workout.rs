//! The work at which the gateway is watched: clients of all dialects ask providers of all dialects.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use interlingua::{Dialect, Target, find, translate_request};
use serde_json::{Value, json};

use crate::load::{Process, Shot, fire, said};

/// What is asked, and how often by each client of each provider, whole and again as a stream.
#[derive(Debug)]
pub struct Exercise {
    /// `sim/echo` says the question back, `sim/agent` thinks and calls.
    pub model: &'static str,
    /// Rounds with a tool before the question, and how long each result is.
    pub rounds: usize,
    pub lines: usize,
    /// How often the question is said in a row.
    pub questions: usize,
    pub connections: usize,
    pub times: u64,
}

impl Exercise {
    /// Everyone asks everyone.
    pub fn run(&self, at: SocketAddr) -> Result<(), String> {
        for client in CLIENTS {
            let client = find(client).ok_or("an unknown dialect")?;
            for (provider, _) in PLAYED {
                self.ask(at, client, provider)?;
            }
        }
        Ok(())
    }

    fn ask(&self, at: SocketAddr, client: &dyn Dialect, provider: &str) -> Result<(), String> {
        for stream in [false, true] {
            let shot = self.shot(client, &format!("{provider}/{}", self.model), stream)?;
            let volley = fire(at, &shot, self.connections, self.times);
            if volley.errors > 0 {
                let name = client.id().0;
                return Err(format!("{} errors from {provider} for {name}", volley.errors));
            }
        }
        Ok(())
    }

    fn shot(&self, client: &dyn Dialect, model: &str, stream: bool) -> Result<Shot, String> {
        let from = find("anthropic").ok_or("an unknown dialect")?;
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
        Ok(Shot::new(&path, &body))
    }

    fn conversation(&self) -> Value {
        let mut messages = Vec::new();
        for round in 0..self.rounds {
            let id = format!("toolu_{round:024}");
            messages.push(json!({"role": "user", "content": "Look at the next file, please."}));
            messages.push(json!({"role": "assistant", "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": id, "name": "look", "input": {"place": "here"}}]}));
            let result = "fn parse() -> \"x\";\n".repeat(self.lines);
            messages.push(json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": result}]}));
            messages.push(json!({"role": "assistant", "content": "That is what it is."}));
        }
        let question = "And what else is there? ".repeat(self.questions);
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

/// All providers, played by one program.
pub fn simulator(program: &str) -> Result<(Process, SocketAddr), String> {
    let mut simulate = Command::new(program);
    // Where the program counts what it does, only what the gateway does counts.
    simulate.env("LLVM_PROFILE_FILE", "/dev/null");
    Process::listening(simulate.arg("simulate").args(LISTEN)).map_err(said)
}

/// A gateway with these providers at an address, and a file that vouches for them if they need one.
pub fn config(address: &str, vouching: Option<&Path>) -> String {
    let ca = vouching.map(|file| format!("ca = {:?}\n", file.display().to_string()));
    let provider = |(name, lines): &(&str, &str)| {
        let ca = ca.as_deref().unwrap_or_default();
        format!("[providers.{name}]\n{}\n{COMMON}{ca}", lines.replace("UPSTREAM", address))
    };
    PLAYED.iter().map(provider).collect()
}

/// Anywhere.
pub const LISTEN: [&str; 2] = ["--listen", "127.0.0.1:0"];

const CLIENTS: [&str; 4] = ["anthropic", "openai-chat", "openai-responses", "gemini"];
const PATHS: [(&str, &str); 3] = [
    ("anthropic", "/v1/messages"),
    ("openai-chat", "/v1/chat/completions"),
    ("openai-responses", "/v1/responses"),
];

const PLAYED: [(&str, &str); 4] = [
    ("anthropic", "base_url = \"UPSTREAM/anthropic\""),
    ("openai", "base_url = \"UPSTREAM/openai/v1\""),
    ("chat", "dialect = \"openai-chat\"\nbase_url = \"UPSTREAM/openai/v1\""),
    ("gemini", "base_url = \"UPSTREAM/gemini\""),
];
const COMMON: &str = "api_key = \"env:HOME\"\nheaders = { \"x-sim-fault\" = \"pieces=8\" }\n";
