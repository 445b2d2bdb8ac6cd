//! The agents that can be started, one row each.

use std::collections::BTreeSet;

/// How an agent is pointed at the gateway. In texts, `{base}` is the gateway's address, `{key}` what is
/// shown to it, `{model}` the model's name, and `{read}` and `{written}` the tokens that it reads and writes at most; what
/// needs something that is not known is left out.
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) program: &'static str,
    pub(crate) install: &'static str,
    /// Of those with the same name, the first that can be filled in counts.
    environment: &'static [(&'static str, &'static str)],
    /// As these, where the user does not say otherwise.
    unless_set: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    with_model: &'static [&'static str],
    /// For an agent that takes its address from the environment and how to show a key from a file.
    pub(crate) home: Option<Home>,
}

/// Where an agent is pointed.
pub(crate) struct Way<'w> {
    pub(crate) base: &'w str,
    pub(crate) key: &'w str,
    pub(crate) model: Option<&'w str>,
    pub(crate) tokens: Option<Tokens>,
}

/// How many tokens a model reads and writes at most.
#[derive(Clone, Copy)]
pub(crate) struct Tokens {
    pub(crate) read: u64,
    pub(crate) written: u64,
}

/// A home of the gateway's own for an agent, so that the user's is not touched.
pub(crate) struct Home {
    /// What tells the agent where it is.
    pub(crate) variable: &'static str,
    /// In the home.
    pub(crate) file: &'static str,
    pub(crate) says: &'static str,
    /// A user whose own file has this in it needs no other home.
    pub(crate) unless: &'static str,
    /// What the agent calls the models of its small tasks; the file says which one they are.
    pub(crate) small_tasks: &'static [&'static str],
}

impl Agent {
    /// The variables that it is started with, where `is_set` tells which of them the user has set.
    pub(crate) fn environment(
        &self,
        way: &Way<'_>,
        is_set: impl Fn(&str) -> bool,
    ) -> Vec<(&'static str, String)> {
        let open = self.unless_set.iter().filter(|(name, _)| !is_set(name));
        let all = self.environment.iter().chain(open);
        let mut seen = BTreeSet::new();
        let filled = all.filter_map(|(name, text)| Some((*name, way.fill(text)?)));
        filled.filter(|(name, _)| seen.insert(*name)).collect()
    }

    pub(crate) fn arguments(&self, way: &Way<'_>) -> Vec<String> {
        let all = self.arguments.iter().chain(self.with_model);
        let with_model = if way.model.is_some() { usize::MAX } else { self.arguments.len() };
        all.take(with_model).filter_map(|text| way.fill(text)).collect()
    }

    /// What a person types.
    pub(crate) fn line(&self, way: &Way<'_>) -> String {
        if self.home.is_some() {
            let model = way.model.unwrap_or("PROVIDER/MODEL");
            return format!("interlingua run {} --model {}", self.name, quoted(model));
        }
        let environment = self.environment(way, |_| false);
        let environment =
            environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let arguments = self.arguments(way);
        let arguments = arguments.iter().map(|argument| quoted(argument));
        let program = std::iter::once(self.program.to_owned());
        environment.chain(program).chain(arguments).collect::<Vec<_>>().join(" ")
    }
}

impl Way<'_> {
    fn fill(&self, text: &str) -> Option<String> {
        let read = self.tokens.map(|tokens| tokens.read.to_string());
        let written = self.tokens.map(|tokens| tokens.written.to_string());
        let known = [
            ("{base}", Some(self.base)),
            ("{key}", Some(self.key)),
            ("{model}", self.model),
            ("{read}", read.as_deref()),
            ("{written}", written.as_deref()),
        ];
        let mut filled = text.to_owned();
        for (name, value) in known {
            if filled.contains(name) {
                filled = filled.replace(name, value?);
            }
        }
        Some(filled)
    }
}

/// As a shell reads it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,{}".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.contains('{') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

pub(crate) const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        title: "Claude Code",
        program: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        environment: &[("ANTHROPIC_BASE_URL", "{base}"), ("ANTHROPIC_AUTH_TOKEN", "{key}")],
        // Sub-agents and small tasks ask for models by these names.
        unless_set: &[
            ("ANTHROPIC_DEFAULT_OPUS_MODEL", "{model}"),
            ("ANTHROPIC_DEFAULT_SONNET_MODEL", "{model}"),
            ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "{model}"),
            // Of models that it does not know, it believes that they read a million.
            ("CLAUDE_CODE_MAX_CONTEXT_TOKENS", "{read}"),
        ],
        arguments: &[],
        with_model: &["--model", "{model}"],
        home: None,
    },
    Agent {
        name: "codex",
        title: "Codex",
        program: "codex",
        install: "npm install -g @openai/codex",
        environment: &[("INTERLINGUA_KEY", "{key}")],
        unless_set: &[],
        arguments: &[
            "-c",
            "model_provider=\"interlingua\"",
            "-c",
            "model_providers.interlingua={name=\"Interlingua\",base_url=\"{base}/v1\",env_key=\"INTERLINGUA_KEY\",wire_api=\"responses\"}",
        ],
        with_model: &["-c", "model=\"{model}\"", "--config=model_context_window={read}"],
        home: None,
    },
    Agent {
        name: "opencode",
        title: "opencode",
        program: "opencode",
        install: "npm install -g opencode-ai",
        environment: &[
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider":{"interlingua":{"npm":"@ai-sdk/anthropic","options":{"baseURL":"{base}/v1","apiKey":"{key}"},"models":{"{model}":{"limit":{"context":{read},"output":{written}}}}}},"model":"interlingua/{model}","small_model":"interlingua/{model}"}"#,
            ),
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider":{"interlingua":{"npm":"@ai-sdk/anthropic","options":{"baseURL":"{base}/v1","apiKey":"{key}"},"models":{"{model}":{}}}},"model":"interlingua/{model}","small_model":"interlingua/{model}"}"#,
            ),
            // The models that it knows by itself.
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider":{"anthropic":{"options":{"baseURL":"{base}/v1","apiKey":"{key}"}},"openai":{"options":{"baseURL":"{base}/v1","apiKey":"{key}"}},"google":{"options":{"baseURL":"{base}/v1beta","apiKey":"{key}"}}}}"#,
            ),
        ],
        unless_set: &[],
        arguments: &[],
        with_model: &[],
        home: None,
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        program: "gemini",
        install: "npm install -g @google/gemini-cli",
        environment: &[("GOOGLE_GEMINI_BASE_URL", "{base}"), ("GEMINI_API_KEY", "{key}")],
        unless_set: &[],
        arguments: &[],
        with_model: &["-m", "{model}"],
        // Pointed elsewhere, it does not take its key from the environment unless its settings say so.
        home: Some(Home {
            variable: "GEMINI_CLI_HOME",
            file: ".gemini/settings.json",
            says: "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}\n",
            unless: "\"gemini-api-key\"",
            small_tasks: &[
                "gemini-2.5-flash-base",
                "gemini-3-flash-base",
                "gemini-3.5-flash-base",
                "classifier",
                "prompt-completion",
                "fast-ack-helper",
                "edit-corrector",
                "summarizer-default",
                "summarizer-shell",
                "loop-detection-double-check",
                "chat-compression-default",
                "agent-history-provider-summarizer",
            ],
        }),
    },
];
