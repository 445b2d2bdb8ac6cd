//! A simulator, and models behind each of its providers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use interlingua::model::Body;
use interlingua::{Json, find};
use interlingua_agent::{Agent, Progress, Remote, Session, Tool};
use interlingua_simulator::route::PROVIDERS;
use interlingua_simulator::{Options, Running, Script, Simulator};
use interlingua_upstream::{Auth, Provider, Timeouts, Upstream};
use serde_json::Value;

/// A provider of each dialect, with a model it knows.
pub(crate) const MODELS: &[(&str, &str)] = &[
    ("anthropic", "claude-sonnet-4-5"),
    ("openai", "gpt-4.1"),
    ("codex", "gpt-5.5-codex"),
    ("gemini", "gemini-2.5-pro"),
    ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
];

pub(crate) struct World {
    simulator: Running,
    upstream: Arc<Upstream>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Options::default())
    }

    /// With models that follow a script.
    pub(crate) fn playing(script: &str) -> Self {
        Self::with(Options { script: Some(Script::read(script).unwrap()), ..Options::default() })
    }

    fn with(options: Options) -> Self {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let simulator = Simulator::new(options).start(any).unwrap();
        let upstream = Arc::new(Upstream::new(Timeouts::default()).unwrap());
        Self { simulator, upstream }
    }

    pub(crate) fn model(&self, provider: &str, model: &str) -> Arc<Remote> {
        self.failing(provider, model, "")
    }

    /// A model whose provider has these faults.
    pub(crate) fn failing(&self, provider: &str, model: &str, faults: &str) -> Arc<Remote> {
        let played = PROVIDERS.iter().find(|played| played.name == provider).unwrap();
        let dialect = find(played.api.dialect()).unwrap();
        let base = format!("http://{}/{}{}", self.simulator.addr, played.name, played.base);
        let mut provider = Provider::new(played.name, dialect, base.parse().unwrap());
        provider.flavor = dialect.flavors().iter().copied().find(|known| *known == played.flavor);
        provider.key = Some("key".into());
        if provider.auth == Auth::SigV4 {
            provider.auth = Auth::Bearer;
        }
        if !faults.is_empty() {
            provider.headers.insert("x-sim-fault", faults.parse().unwrap());
        }
        Arc::new(Remote::new(Arc::clone(&self.upstream), Arc::new(provider), model))
    }

    /// An agent of this provider's model that can look.
    pub(crate) fn agent(&self, provider: &str, model: &str) -> Agent {
        Agent::new(self.model(provider, model)).instructions("Be brief.").tool(look())
    }

    /// What the providers were asked.
    pub(crate) fn log(&self) -> Vec<Value> {
        let log = self.simulator.simulator.log().read();
        log["requests"].as_array().cloned().unwrap_or_else(|| panic!("no log: {log}"))
    }

    /// Nothing that was sent so far was refused.
    pub(crate) fn assert_accepted(&self) {
        for entry in self.log() {
            assert_eq!(entry["status"], 200, "{entry:#}");
        }
    }
}

pub(crate) fn schema() -> Json {
    let schema =
        r#"{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}"#;
    Json::parse(schema).unwrap()
}

/// A tool that says what is where.
pub(crate) fn look() -> Tool {
    Tool::new("look", "Looks at a place.", schema(), |args: Json| async move {
        let args = args.doc();
        let place = args.root().get("place").map(|place| place.word().into_owned());
        place.map(|place| format!("boats at {place}")).ok_or_else(|| "no place".to_owned())
    })
}

/// What an agent told while it worked, in short.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<String>>>);

impl Heard {
    pub(crate) fn tell(&self) -> impl FnMut(Progress<'_>) + Send + use<> {
        let heard = Arc::clone(&self.0);
        move |progress| {
            let line = match progress {
                Progress::Thinking(text) => format!("thinks {text}"),
                Progress::Text(text) => format!("says {text}"),
                Progress::Calls(call) => format!("calls {}", call.name),
                Progress::Result(call, given) => format!("{} gave {}", call.name, given.words()),
                Progress::Told(call, wrong) => format!("{} told {wrong}", call.name),
                Progress::Empty => "empty".to_owned(),
                _ => return,
            };
            heard.lock().unwrap().push(line);
        }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, begins: &str) -> usize {
        self.lines().iter().filter(|line| line.starts_with(begins)).count()
    }
}

/// The results in a session, and whether each is an error.
pub(crate) fn results(session: &Session) -> Vec<(String, bool)> {
    let blocks = session.turns().iter().flat_map(|turn| &turn.blocks);
    let results = blocks.filter_map(|block| match &block.body {
        Body::ToolResult(result) => {
            let text = result.content.first().and_then(|block| block.body.as_text()).unwrap();
            Some((text.contents().into_owned(), result.is_error))
        }
        _ => None,
    });
    results.collect()
}
