//! What each vendor's models accept, as data.

/// A row of models that accept the same.
#[derive(Debug)]
pub(super) struct Profile {
    /// Parts of their names.
    models: &'static [&'static str],
    /// The Messages API answers behind Converse.
    pub(super) claude: bool,
    /// The additional fields that are known, where a schema checks them.
    pub(super) fields: Option<&'static [&'static str]>,
    /// Additional fields that are refused, where it is known of some only, and in which of the words.
    pub(super) strange: Option<(&'static [&'static str], usize)>,
    /// Takes reasoning back only as it was redacted.
    pub(super) redacted_only: bool,
    /// Parts of the names that are invoked only through an inference profile.
    profiled: &'static [&'static str],
}

/// Whether a base model id is asked for that is invoked only through an inference profile. Names of
/// profiles begin with a region, or are resource names.
pub(super) fn needs_profile(model: &str) -> bool {
    let bare = |part: &&str| model.starts_with(part);
    profile(model).profiled.iter().any(bare)
}

/// The profile of a model; what is not known is the newest Claude.
pub(super) fn profile(model: &str) -> &'static Profile {
    let model = model.to_lowercase();
    let known = PROFILES.iter().find(|row| row.models.iter().any(|part| model.contains(part)));
    known.unwrap_or(&CLAUDE)
}

const CLAUDE: Profile = Profile {
    models: &["claude"],
    claude: true,
    fields: None,
    strange: None,
    redacted_only: false,
    profiled: &[
        "anthropic.claude-3-7",
        "anthropic.claude-fable",
        "anthropic.claude-haiku",
        "anthropic.claude-mythos",
        "anthropic.claude-opus",
        "anthropic.claude-sonnet",
    ],
};
const OTHER: Profile = Profile { models: &[], claude: false, profiled: &[], ..CLAUDE };

static PROFILES: &[Profile] = &[
    Profile {
        models: &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5"],
        fields: Some(&["top_k", "anthropic_beta", "anthropic_version", "metadata"]),
        profiled: &[],
        ..CLAUDE
    },
    CLAUDE,
    Profile {
        models: &["amazon.nova"],
        fields: Some(&["inferenceConfig", "reasoningConfig"]),
        profiled: &["amazon.nova-premier", "amazon.nova-2-"],
        ..OTHER
    },
    Profile {
        models: &["openai.gpt-5"],
        strange: Some((CLAUDES, 1)),
        redacted_only: true,
        ..OTHER
    },
    Profile { models: &["openai.gpt-oss"], strange: Some((CLAUDES, 0)), ..OTHER },
    Profile {
        models: &["deepseek.r1"],
        strange: Some((&["thinking", "reasoning_config"], 2)),
        profiled: &["deepseek.r1"],
        ..OTHER
    },
    Profile {
        models: &[
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
        profiled: &["meta.llama3-2", "meta.llama3-3", "meta.llama4", "mistral.pixtral-large"],
        ..OTHER
    },
];

/// What Claude is told, of which the API of GPT models knows nothing.
const CLAUDES: &[&str] = &["thinking", "reasoning_config", "top_k"];

/// How a field is refused that only Claude knows: by an open GPT model, by another of that house,
/// and by DeepSeek-R1.
pub(super) const STRANGE: &str = "The model returned the following errors: Failed to deserialize the JSON body into the target type: {key}: unknown field {key}, expected one of messages, model, store, reasoning_effort, metadata, frequency_penalty, logit_bias, logprobs, top_logprobs, max_tokens, max_completion_tokens, n, modalities, prediction, audio, presence_penalty, response_format, seed, service_tier, stop, stream, stream_options, temperature, top_p, tools, tool_choice, parallel_tool_calls, user, function_call, functions at line 1 column {column}\nThe model returned the following errors: Unknown parameter: '{key}'.\nValidation Error";
