//! What the API of each dialect has beside its bodies: how it lists models and counts tokens, and which
//! fields of a request only its own providers support.

use interlingua::Dialect;

/// The API of a dialect, as its clients know it.
#[derive(Debug)]
pub(crate) struct ClientApi {
    dialect: &'static str,
    /// A later request may continue a reply by its id (`previous_response_id`).
    pub(crate) supports_chaining: bool,
    /// Fields that refer to conversations and prompt templates stored at the provider.
    pub(crate) provider_state_fields: &'static [&'static str],
    /// The field that continues a conversation at the provider. It is never forwarded.
    pub(crate) thread_field: Option<&'static str>,
    /// A field that only providers of this dialect support.
    pub(crate) safeguards_field: Option<&'static str>,
    /// A field that bodies of another dialect have in place of this one's turns, and that dialect: some
    /// clients send the body of one API to the path of another.
    pub(crate) misdirected: Option<(&'static str, &'static str)>,
    pub(crate) model_list: ModelListFormat,
    pub(crate) count_request: Option<CountRequestShape>,
    /// The field of the number of tokens.
    pub(crate) count_field: Option<&'static str>,
}

/// The form of a list of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelListFormat {
    OpenAi,
    Anthropic,
    Gemini,
}

/// The shape of a request that counts tokens.
#[derive(Debug)]
pub(crate) struct CountRequestShape {
    /// The fields of a turn's request that the endpoint accepts.
    pub(crate) fields: &'static [&'static str],
    /// JSON text before and after these fields.
    pub(crate) wrapper: [&'static str; 2],
    /// The body also names the model.
    pub(crate) includes_model: bool,
}

impl ClientApi {
    pub(crate) fn from_dialect(dialect: &dyn Dialect) -> &'static Self {
        let id = dialect.id().0;
        CLIENT_APIS.iter().find(|api| api.dialect == id).unwrap_or(&OTHER)
    }
}

const OTHER: ClientApi = ClientApi {
    dialect: "",
    supports_chaining: false,
    provider_state_fields: &[],
    thread_field: None,
    safeguards_field: None,
    misdirected: None,
    model_list: ModelListFormat::OpenAi,
    count_request: None,
    count_field: None,
};

pub(crate) const CLIENT_APIS: &[ClientApi] = &[
    ClientApi {
        dialect: "anthropic",
        thread_field: Some("thread"),
        safeguards_field: Some("safeguards"),
        model_list: ModelListFormat::Anthropic,
        count_request: Some(CountRequestShape {
            fields: &[
                "model",
                "messages",
                "system",
                "tools",
                "tool_choice",
                "thinking",
                "mcp_servers",
                "context_management",
                "output_config",
                "output_format",
                "cache_control",
            ],
            wrapper: ["", ""],
            includes_model: false,
        }),
        count_field: Some("input_tokens"),
        ..OTHER
    },
    ClientApi { dialect: "openai-chat", misdirected: Some(("input", "openai-responses")), ..OTHER },
    ClientApi {
        dialect: "openai-responses",
        supports_chaining: true,
        provider_state_fields: &["conversation", "prompt"],
        misdirected: Some(("messages", "openai-chat")),
        count_request: Some(CountRequestShape {
            fields: &[
                "model",
                "input",
                "instructions",
                "tools",
                "tool_choice",
                "reasoning",
                "text",
                "truncation",
                "parallel_tool_calls",
                "previous_response_id",
                "conversation",
            ],
            wrapper: ["", ""],
            includes_model: false,
        }),
        count_field: Some("input_tokens"),
        ..OTHER
    },
    ClientApi {
        dialect: "gemini",
        model_list: ModelListFormat::Gemini,
        count_request: Some(CountRequestShape {
            fields: &["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"],
            wrapper: ["{\"generateContentRequest\":", "}"],
            includes_model: true,
        }),
        count_field: Some("totalTokens"),
        ..OTHER
    },
    ClientApi {
        dialect: "bedrock",
        count_request: Some(CountRequestShape {
            fields: &["messages", "system", "toolConfig", "additionalModelRequestFields"],
            wrapper: ["{\"input\":{\"converse\":", "}}"],
            includes_model: false,
        }),
        count_field: Some("inputTokens"),
        ..OTHER
    },
];
