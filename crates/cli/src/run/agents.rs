//! The agents that can be started, as data.

use std::collections::BTreeSet;

/// How an agent is configured for the gateway. In texts, `{base}` is the gateway's URL, `{key}` the
/// key for it, `{model}` the model's name, and `{read}` and `{written}` the maximum input and
/// output tokens of the model. A text with an unknown value is left out.
pub(crate) struct AgentPreset {
    pub(crate) name: &'static str,
    pub(crate) display_name: &'static str,
    pub(crate) program: &'static str,
    pub(crate) install: &'static str,
    /// Of entries with the same name, the first one with known values counts.
    env: &'static [(&'static str, &'static str)],
    /// Defaults for variables that the user has not set.
    default_env: &'static [(&'static str, &'static str)],
    args: &'static [&'static str],
    model_args: &'static [&'static str],
    /// For an agent that reads its URL from the environment, but needs a settings file to use a
    /// key.
    pub(crate) config_home: Option<ConfigHome>,
}

/// The gateway and model that an agent is configured for.
pub(crate) struct LaunchTarget<'w> {
    pub(crate) base_url: &'w str,
    pub(crate) api_key: &'w str,
    pub(crate) model: Option<&'w str>,
    pub(crate) token_limits: Option<TokenLimits>,
}

/// Maximum input and output tokens of a model.
#[derive(Clone, Copy)]
pub(crate) struct TokenLimits {
    pub(crate) max_input: u64,
    pub(crate) max_output: u64,
}

/// A separate configuration directory for an agent, so that the user's is not changed.
pub(crate) struct ConfigHome {
    /// Environment variable with the directory.
    pub(crate) env_var: &'static str,
    /// Path of the settings file in the directory.
    pub(crate) settings_file: &'static str,
    pub(crate) contents: &'static str,
    /// If the user's own settings file contains this text, no separate directory is needed.
    pub(crate) skip_if_contains: &'static str,
    /// The agent's names of the models for small tasks; the settings file maps them to a model.
    pub(crate) small_task_models: &'static [&'static str],
}

impl AgentPreset {
    /// The environment variables for the agent; `is_set` returns whether the user has set a
    /// variable.
    pub(crate) fn env(
        &self,
        launch_target: &LaunchTarget<'_>,
        is_set: impl Fn(&str) -> bool,
    ) -> Vec<(&'static str, String)> {
        let unset_defaults = self.default_env.iter().filter(|(name, _)| !is_set(name));
        let templates = self.env.iter().chain(unset_defaults);
        let mut names = BTreeSet::new();
        let filled =
            templates.filter_map(|(name, text)| Some((*name, launch_target.expand(text)?)));
        filled.filter(|(name, _)| names.insert(*name)).collect()
    }

    pub(crate) fn args(&self, launch_target: &LaunchTarget<'_>) -> Vec<String> {
        let templates = self.args.iter().chain(self.model_args);
        let with_model = if launch_target.model.is_some() { usize::MAX } else { self.args.len() };
        templates.take(with_model).filter_map(|text| launch_target.expand(text)).collect()
    }

    /// The command line for a user to type.
    pub(crate) fn command_line(&self, launch_target: &LaunchTarget<'_>) -> String {
        if self.config_home.is_some() {
            let model = launch_target.model.unwrap_or("PROVIDER/MODEL");
            return format!("interlingua run {} --model {}", self.name, shell_quote(model));
        }
        let environment = self.env(launch_target, |_| false);
        let environment =
            environment.iter().map(|(name, value)| format!("{name}={}", shell_quote(value)));
        let arguments = self.args(launch_target);
        let arguments = arguments.iter().map(|argument| shell_quote(argument));
        let program = std::iter::once(self.program.to_owned());
        environment.chain(program).chain(arguments).collect::<Vec<_>>().join(" ")
    }
}

impl LaunchTarget<'_> {
    fn expand(&self, text: &str) -> Option<String> {
        let max_input = self.token_limits.map(|tokens| tokens.max_input.to_string());
        let max_output = self.token_limits.map(|tokens| tokens.max_output.to_string());
        let values = [
            ("{base}", Some(self.base_url)),
            ("{key}", Some(self.api_key)),
            ("{model}", self.model),
            ("{read}", max_input.as_deref()),
            ("{written}", max_output.as_deref()),
        ];
        let mut expanded = text.to_owned();
        for (name, value) in values {
            if expanded.contains(name) {
                expanded = expanded.replace(name, value?);
            }
        }
        Some(expanded)
    }
}

/// The text quoted for a shell.
fn shell_quote(text: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,{}".contains(c);
    if !text.is_empty() && text.chars().all(is_safe) && !text.contains('{') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

pub(crate) const AGENTS: &[AgentPreset] = &[
    AgentPreset {
        name: "claude",
        display_name: "Claude Code",
        program: "claude",
        install: "npm install -g @anthropic-ai/claude-code",
        env: &[("ANTHROPIC_BASE_URL", "{base}"), ("ANTHROPIC_AUTH_TOKEN", "{key}")],
        // Sub-agents and small tasks use these names.
        default_env: &[
            ("ANTHROPIC_DEFAULT_OPUS_MODEL", "{model}"),
            ("ANTHROPIC_DEFAULT_SONNET_MODEL", "{model}"),
            ("ANTHROPIC_DEFAULT_HAIKU_MODEL", "{model}"),
            // For unknown models, it assumes a context window of a million tokens.
            ("CLAUDE_CODE_MAX_CONTEXT_TOKENS", "{read}"),
        ],
        args: &[],
        model_args: &["--model", "{model}"],
        config_home: None,
    },
    AgentPreset {
        name: "codex",
        display_name: "Codex",
        program: "codex",
        install: "npm install -g @openai/codex",
        env: &[("INTERLINGUA_KEY", "{key}")],
        default_env: &[],
        args: &[
            "-c",
            "model_provider=\"interlingua\"",
            "-c",
            "model_providers.interlingua={name=\"Interlingua\",base_url=\"{base}/v1\",env_key=\"INTERLINGUA_KEY\",wire_api=\"responses\"}",
        ],
        model_args: &["-c", "model=\"{model}\"", "--config=model_context_window={read}"],
        config_home: None,
    },
    AgentPreset {
        name: "opencode",
        display_name: "opencode",
        program: "opencode",
        install: "npm install -g opencode-ai",
        env: &[
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider":{"interlingua":{"npm":"@ai-sdk/anthropic","options":{"baseURL":"{base}/v1","apiKey":"{key}"},"models":{"{model}":{"limit":{"context":{read},"output":{written}}}}}},"model":"interlingua/{model}","small_model":"interlingua/{model}"}"#,
            ),
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider":{"interlingua":{"npm":"@ai-sdk/anthropic","options":{"baseURL":"{base}/v1","apiKey":"{key}"},"models":{"{model}":{}}}},"model":"interlingua/{model}","small_model":"interlingua/{model}"}"#,
            ),
            // The models that it knows itself.
            (
                "OPENCODE_CONFIG_CONTENT",
                r#"{"provider":{"anthropic":{"options":{"baseURL":"{base}/v1","apiKey":"{key}"}},"openai":{"options":{"baseURL":"{base}/v1","apiKey":"{key}"}},"google":{"options":{"baseURL":"{base}/v1beta","apiKey":"{key}"}}}}"#,
            ),
        ],
        default_env: &[],
        args: &[],
        model_args: &[],
        config_home: None,
    },
    AgentPreset {
        name: "gemini",
        display_name: "Gemini CLI",
        program: "gemini",
        install: "npm install -g @google/gemini-cli",
        env: &[("GOOGLE_GEMINI_BASE_URL", "{base}"), ("GEMINI_API_KEY", "{key}")],
        default_env: &[],
        args: &[],
        model_args: &["-m", "{model}"],
        // With another URL, it takes its key from the environment only if its settings say so.
        config_home: Some(ConfigHome {
            env_var: "GEMINI_CLI_HOME",
            settings_file: ".gemini/settings.json",
            contents: "{\"security\":{\"auth\":{\"selectedType\":\"gemini-api-key\"}}}\n",
            skip_if_contains: "\"gemini-api-key\"",
            small_task_models: &[
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
