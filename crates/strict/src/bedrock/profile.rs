//! Profiles of the vendors' models on Bedrock: the fields and features that each accepts.

/// A row of models with equal behaviour.
#[derive(Debug)]
pub(super) struct Profile {
    /// Substrings of model names.
    name_parts: &'static [&'static str],
    /// Whether Converse passes requests on to the Messages API.
    pub(super) is_claude: bool,
    /// The accepted additional fields, for models with a schema of their fields.
    pub(super) known_fields: Option<&'static [&'static str]>,
    /// Additional fields that are known to be rejected, and the line of the error message in
    /// [`STRANGE_FIELD_ERRORS`].
    pub(super) rejected_fields: Option<(&'static [&'static str], usize)>,
    /// Whether reasoning is only accepted back in redacted form.
    pub(super) accepts_redacted_only: bool,
    /// Prefixes of base model ids that require an inference profile.
    needs_inference_profile: &'static [&'static str],
}

/// Whether this is a base model id that requires an inference profile. Ids of profiles begin with a
/// region, or are resource names.
pub(super) fn needs_inference_profile(model: &str) -> bool {
    let is_base_id = |part: &&str| model.starts_with(part);
    profile(model).needs_inference_profile.iter().any(is_base_id)
}

/// The profile of a model; unknown models get the newest Claude's.
pub(super) fn profile(model: &str) -> &'static Profile {
    let model = model.to_lowercase();
    let found = PROFILES.iter().find(|row| row.name_parts.iter().any(|part| model.contains(part)));
    found.unwrap_or(&CLAUDE)
}

const CLAUDE: Profile = Profile {
    name_parts: &["claude"],
    is_claude: true,
    known_fields: None,
    rejected_fields: None,
    accepts_redacted_only: false,
    needs_inference_profile: &[
        "anthropic.claude-3-7",
        "anthropic.claude-fable",
        "anthropic.claude-haiku",
        "anthropic.claude-mythos",
        "anthropic.claude-opus",
        "anthropic.claude-sonnet",
    ],
};
const NON_CLAUDE: Profile =
    Profile { name_parts: &[], is_claude: false, needs_inference_profile: &[], ..CLAUDE };

static PROFILES: &[Profile] = &[
    Profile {
        name_parts: &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5"],
        known_fields: Some(&["top_k", "anthropic_beta", "anthropic_version", "metadata"]),
        needs_inference_profile: &[],
        ..CLAUDE
    },
    CLAUDE,
    Profile {
        name_parts: &["amazon.nova"],
        known_fields: Some(&["inferenceConfig", "reasoningConfig"]),
        needs_inference_profile: &["amazon.nova-premier", "amazon.nova-2-"],
        ..NON_CLAUDE
    },
    Profile {
        name_parts: &["openai.gpt-5"],
        rejected_fields: Some((CLAUDE_FIELDS, 1)),
        accepts_redacted_only: true,
        ..NON_CLAUDE
    },
    Profile {
        name_parts: &["openai.gpt-oss"],
        rejected_fields: Some((CLAUDE_FIELDS, 0)),
        ..NON_CLAUDE
    },
    Profile {
        name_parts: &["deepseek.r1"],
        rejected_fields: Some((&["thinking", "reasoning_config"], 2)),
        needs_inference_profile: &["deepseek.r1"],
        ..NON_CLAUDE
    },
    Profile {
        name_parts: &[
            "amazon.",
            "meta.",
            "mistral.",
            "cohere.",
            "deepseek.",
            "qwen.",
            "openai.",
            "moonshot",
            "minimax.",
            "ai21.",
            "writer.",
            "zai.",
            "google.",
            "nvidia.",
            "twelvelabs.",
            "xai.",
        ],
        needs_inference_profile: &[
            "meta.llama3-2-3b",
            "meta.llama3-2-11b",
            "meta.llama3-2-90b",
            "meta.llama3-3",
            "meta.llama4",
            "mistral.pixtral-large",
        ],
        ..NON_CLAUDE
    },
];

/// Claude's settings, which other vendors' APIs do not have.
const CLAUDE_FIELDS: &[&str] = &["thinking", "reasoning_config", "top_k"];

/// The errors for a field that only Claude has: of open-weight GPT models, of `OpenAI`'s other
/// models, and of DeepSeek-R1.
pub(super) const STRANGE_FIELD_ERRORS: &str = "The model returned the following errors: Failed to deserialize the JSON body into the target type: {key}: unknown field {key}, expected one of messages, model, store, reasoning_effort, metadata, frequency_penalty, logit_bias, logprobs, top_logprobs, max_tokens, max_completion_tokens, n, modalities, prediction, audio, presence_penalty, response_format, seed, service_tier, stop, stream, stream_options, temperature, top_p, tools, tool_choice, parallel_tool_calls, user, function_call, functions at line 1 column {column}\nThe model returned the following errors: Unknown parameter: '{key}'.\nValidation Error";
