//! Test helpers: a simulator, and models behind each of its providers.

use interlingua_providers::endpoints::AuthScheme;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use interlingua::{RawJson, find_dialect};
use interlingua_agent::{Agent, Progress, RemoteModel, Session, Tool};
use interlingua_model::BlockContent;
use interlingua_simulator::route::PROVIDERS;
use interlingua_simulator::{Options, Script, ServerHandle, Simulator};
use interlingua_upstream::{Provider, Timeouts, UpstreamClient};
use serde_json::Value;

/// A provider of each dialect, with one of its models.
pub(crate) const MODELS: &[(&str, &str)] = &[
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-4.1"),
    ("codex", "gpt-5.5-codex"),
    ("gemini", "gemini-2.5-pro"),
    ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
];

pub(crate) struct TestEnv {
    simulator: ServerHandle,
    upstream: Arc<UpstreamClient>,
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        Self::with(Options::default())
    }

    /// A simulator that follows a script.
    pub(crate) fn with_script(script: &str) -> Self {
        Self::with(Options { script: Some(Script::parse(script).unwrap()), ..Options::default() })
    }

    fn with(options: Options) -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let simulator = Simulator::new(options).listen(address).unwrap();
        let upstream = Arc::new(UpstreamClient::new(Timeouts::default()).unwrap());
        Self { simulator, upstream }
    }

    pub(crate) fn model(&self, provider: &str, model: &str) -> Arc<RemoteModel> {
        self.model_with_faults(provider, model, "")
    }

    /// A model with injected provider faults.
    pub(crate) fn model_with_faults(
        &self,
        provider: &str,
        model: &str,
        faults: &str,
    ) -> Arc<RemoteModel> {
        let simulated = PROVIDERS.iter().find(|simulated| simulated.name == provider).unwrap();
        let dialect = find_dialect(simulated.api.dialect()).unwrap();
        let base =
            format!("http://{}/{}{}", self.simulator.addr, simulated.name, simulated.base_path);
        let mut provider = Provider::new(simulated.name, dialect, base.parse().unwrap());
        provider.flavor =
            dialect.flavors().iter().copied().find(|flavor| *flavor == simulated.flavor);
        provider.api_key = Some("key".into());
        if provider.auth == AuthScheme::SigV4 {
            provider.auth = AuthScheme::Bearer;
        }
        if !faults.is_empty() {
            provider.headers.insert("x-sim-fault", faults.parse().unwrap());
        }
        Arc::new(RemoteModel::new(Arc::clone(&self.upstream), Arc::new(provider), model))
    }

    /// An agent with the tool `look`.
    pub(crate) fn agent(&self, provider: &str, model: &str) -> Agent {
        Agent::new(self.model(provider, model)).instructions("Be brief.").tool(look_tool())
    }

    /// The requests to the providers.
    pub(crate) fn log(&self) -> Vec<Value> {
        let log = self.simulator.simulator.log().to_json();
        log["requests"].as_array().cloned().unwrap_or_else(|| panic!("no log: {log}"))
    }

    /// Checks that no request was rejected.
    pub(crate) fn assert_accepted(&self) {
        for entry in self.log() {
            assert_eq!(entry["status"], 200, "{entry:#}");
        }
    }
}

pub(crate) fn schema() -> RawJson {
    let schema =
        r#"{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}"#;
    RawJson::parse(schema).unwrap()
}

pub(crate) fn look_tool() -> Tool {
    Tool::new("look", "Looks at a place.", schema(), |args: RawJson| async move {
        let args = args.to_doc();
        let place = args.root().get("place").map(|place| place.str_or_empty().into_owned());
        place.map(|place| format!("boats at {place}")).ok_or_else(|| "no place".to_owned())
    })
}

/// An agent's progress as short lines.
#[derive(Clone, Default)]
pub(crate) struct ProgressLog(Arc<Mutex<Vec<String>>>);

impl ProgressLog {
    pub(crate) fn callback(&self) -> impl FnMut(Progress<'_>) + Send + use<> {
        let lines = Arc::clone(&self.0);
        move |progress| {
            let line = match progress {
                Progress::Reasoning(text) => format!("reasoning {text}"),
                Progress::Text(text) => format!("text {text}"),
                Progress::ToolCall(call) => format!("calls {}", call.name),
                Progress::ToolResult(call, output) => {
                    format!("{} returned {}", call.name, output.to_text())
                }
                Progress::CallRejected(call, message) => {
                    format!("{} rejected: {message}", call.name)
                }
                Progress::EmptyReply => "empty".to_owned(),
                _ => return,
            };
            lines.lock().unwrap().push(line);
        }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, prefix: &str) -> usize {
        self.lines().iter().filter(|line| line.starts_with(prefix)).count()
    }
}

/// The results in a session, and whether each is an error.
pub(crate) fn results(session: &Session) -> Vec<(String, bool)> {
    let blocks = session.turns().iter().flat_map(|turn| &turn.blocks);
    let results = blocks.filter_map(|block| match &block.content {
        BlockContent::ToolResult(result) => {
            let text = result.content.first().and_then(|block| block.content.as_text()).unwrap();
            Some((text.unescape().into_owned(), result.is_error))
        }
        _ => None,
    });
    results.collect()
}
