//! Wordings of the rejections that a retry with lessons may avoid. The first pattern that matches
//! counts.

use interlingua_model::{MediaKind, ReasoningConstraint};

use super::pattern::{Meaning, PathSource, RejectionPattern};

const CLAUDE: &[&str] = &["anthropic", "bedrock"];
const OPENAI: &[&str] = &["openai-chat", "openai-responses"];
const OPENAI_CHAT: &[&str] = &["openai-chat"];
const OPENAI_RESPONSES: &[&str] = &["openai-responses"];
const GOOGLE: &[&str] = &["gemini", "openai-chat"];
/// Relays pass on the error messages of other vendors.
const ANY: &[&str] = &[];

pub(super) static PATTERNS: &[RejectionPattern] = &[
    // Empty texts between reasoning.
    pattern(
        ANY,
        "messages: text content blocks must be non-empty",
        Meaning::EmptyText,
        PathSource::Absent,
    ),
    pattern(
        ANY,
        "messages: text content blocks must contain non-whitespace text",
        Meaning::EmptyText,
        PathSource::Absent,
    ),
    pattern(
        CLAUDE,
        "{path}.text: cache_control cannot be set for empty text blocks",
        Meaning::EmptyText,
        PathSource::Message,
    ),
    pattern(
        CLAUDE,
        "The text field in the ContentBlock object at {path} is blank.",
        Meaning::EmptyText,
        PathSource::Message,
    ),
    // Seals.
    pattern(
        ANY,
        "{path}: Invalid {any} block. The block is bound to a different conversation.",
        Meaning::ModifiedPrefix,
        PathSource::Message,
    ),
    pattern(
        ANY,
        "{path}: Invalid `signature` in `thinking` block",
        Meaning::Seal,
        PathSource::Message,
    ),
    pattern(
        ANY,
        "{path}: Invalid `data` in `redacted_thinking` block",
        Meaning::Seal,
        PathSource::Message,
    ),
    pattern(
        ANY,
        "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        Meaning::ModifiedReasoning,
        PathSource::Message,
    ),
    pattern(
        OPENAI,
        "The encrypted content {any} could not be verified.",
        Meaning::Seal,
        PathSource::Absent,
    ),
    pattern(GOOGLE, "Corrupted thought signature.", Meaning::Seal, PathSource::Absent),
    pattern(GOOGLE, "Thought signature is not valid", Meaning::Seal, PathSource::Absent),
    // Reasoning that is required or forbidden.
    reasoning(
        CLAUDE,
        "\"thinking.type.enabled\" is not supported for this model.",
        ReasoningConstraint::AdaptiveOnly,
    ),
    reasoning(
        CLAUDE,
        "adaptive thinking is not supported on this model",
        ReasoningConstraint::BudgetOnly,
    ),
    reasoning(
        CLAUDE,
        "\"thinking.type.disabled\" is not supported for this model.",
        ReasoningConstraint::CannotDisable,
    ),
    reasoning(
        CLAUDE,
        "To turn thinking off on this model, send \"thinking\":",
        ReasoningConstraint::BetweenToolsWhenOff,
    ),
    reasoning(
        CLAUDE,
        "\"thinking.type.between_tools\" is not supported for this model.",
        ReasoningConstraint::CanDisable,
    ),
    reasoning(
        CLAUDE,
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block",
        ReasoningConstraint::MustOpenToolLoop,
    ),
    reasoning(
        CLAUDE,
        "If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`.",
        ReasoningConstraint::MustComeFirst,
    ),
    reasoning(
        CLAUDE,
        "Thinking may not be enabled when tool_choice forces tool use.",
        ReasoningConstraint::OffWithForcedCall,
    ),
    reasoning(
        ANY,
        "Thinking mode does not support this tool_choice",
        ReasoningConstraint::OffWithForcedCall,
    ),
    reasoning(
        OPENAI_CHAT,
        "The tool_choice parameter does not support being set to required or object in thinking mode",
        ReasoningConstraint::OffWithForcedCall,
    ),
    reasoning(
        OPENAI_CHAT,
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        ReasoningConstraint::EchoWithCalls,
    ),
    reasoning(
        OPENAI_CHAT,
        "Missing `reasoning_content` field in the assistant message at message index",
        ReasoningConstraint::EchoWithCalls,
    ),
    reasoning(
        OPENAI_CHAT,
        "thinking is enabled but reasoning_content is missing in assistant tool call message",
        ReasoningConstraint::EchoWithCalls,
    ),
    reasoning(
        &["bedrock"],
        "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages.",
        ReasoningConstraint::OnlyRedacted,
    ),
    reasoning(
        &["gemini"],
        "Budget 0 is invalid. This model only works in thinking mode.",
        ReasoningConstraint::MinimumWhenOff,
    ),
    reasoning(
        &["gemini"],
        "The model does not support setting thinking_budget to 0",
        ReasoningConstraint::MinimumWhenOff,
    ),
    pattern(
        &["gemini"],
        "Thinking level is not supported for this model.",
        Meaning::Field,
        PathSource::Fixed("generationConfig.thinkingConfig.thinkingLevel"),
    ),
    pattern(
        &["gemini"],
        "You can only set only one of thinking budget and thinking level.",
        Meaning::Field,
        PathSource::Fixed("generationConfig.thinkingConfig.thinkingLevel"),
    ),
    pattern(
        CLAUDE,
        "This model does not support the effort parameter.",
        Meaning::Field,
        PathSource::Fixed("output_config.effort"),
    ),
    field(OPENAI_CHAT, "{path}: reasoning is not supported with this model"),
    // Parameters that this model does not support.
    field(
        OPENAI,
        "Unsupported parameter: '{path}' is not supported with this model. Use '{instead}' instead.",
    ),
    field(OPENAI, "Unsupported parameter: '{path}' is not supported with this model."),
    field(
        OPENAI_RESPONSES,
        "Unsupported parameter: '{path}'. In the Responses API, this parameter has moved to '{instead}'.",
    ),
    field(OPENAI_RESPONSES, "Unsupported parameter: {path}"),
    field(OPENAI, "Unsupported value: '{path}' does not support {any} with this model."),
    pattern(
        OPENAI_RESPONSES,
        "Unsupported value: '{any}' is not supported with the '{any}' model.",
        Meaning::Field,
        PathSource::Body,
    ),
    field(OPENAI_CHAT, "Model {any} does not support parameter {path}"),
    field(OPENAI_CHAT, "Argument not supported on this model: {path}"),
    pattern(
        OPENAI_CHAT,
        "invalid temperature: only 1 is allowed for this model",
        Meaning::Field,
        PathSource::Fixed("temperature"),
    ),
    field(CLAUDE, "`{path}` is deprecated for this model."),
    field(CLAUDE, "`{path}` may only be set to 1 when thinking is enabled"),
    field(
        CLAUDE,
        "`{path}` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    ),
    field(CLAUDE, "`{path}` must be unset when thinking is enabled."),
    field(CLAUDE, "` and `{path}` cannot both be specified for this model."),
    // Unknown fields.
    field(CLAUDE, "{path}: Extra inputs are not permitted"),
    pattern(OPENAI_CHAT, "Extra inputs are not permitted", Meaning::Field, PathSource::Body),
    field(&["bedrock"], "extraneous key [{path}] is not permitted"),
    field(OPENAI, "Unknown parameter: '{path}'."),
    field(OPENAI_CHAT, "Unrecognized request argument supplied: {path}"),
    field(
        OPENAI_CHAT,
        "Additional properties are not allowed ('{name}' was unexpected) - '{path}'",
    ),
    field(OPENAI_CHAT, "[('{path}' : property '{name}' is unsupported)]"),
    field(OPENAI_CHAT, "{path}: property '{any}' is unsupported"),
    field(OPENAI_CHAT, "property '{path}' is unsupported"),
    field(GOOGLE, "Unknown name \"{name}\" at '{path}': Cannot find field."),
    field(GOOGLE, "Unknown name \"{path}\": Cannot find field."),
    // The limit of output tokens.
    max_tokens(
        ANY,
        "max_tokens: {any} > {most}, which is the maximum allowed number of output tokens",
    ),
    max_tokens(OPENAI, "This model supports at most {most} completion tokens"),
    max_tokens(ANY, "the valid range of max_tokens is [1, {most}]"),
    max_tokens(ANY, "Range of max_tokens should be [1, {most}]"),
    max_tokens(OPENAI_CHAT, "`max_tokens` must be less than or equal to `{most}`"),
    // Order of the roles.
    pattern(
        OPENAI_CHAT,
        "onversation roles must alternate user/assistant/user/assistant/...",
        Meaning::RoleOrder,
        PathSource::Absent,
    ),
    pattern(
        OPENAI_CHAT,
        "onversation roles must alternate user and assistant roles except for tool calls and results",
        Meaning::RoleOrder,
        PathSource::Absent,
    ),
    // The provider's web search.
    pattern(
        OPENAI,
        "Hosted tool 'web_search{any}' is not supported with",
        Meaning::WebSearch,
        PathSource::Absent,
    ),
    pattern(
        OPENAI,
        "tools cannot be used with reasoning.effort 'minimal': web_search",
        Meaning::WebSearch,
        PathSource::Absent,
    ),
    pattern(
        CLAUDE,
        "does not support tool types: web_search",
        Meaning::WebSearch,
        PathSource::Absent,
    ),
    pattern(GOOGLE, "Search Grounding is not supported", Meaning::WebSearch, PathSource::Absent),
    // Images.
    pattern(
        ANY,
        "image exceeds {any} MB maximum: {any} bytes > {most} bytes",
        Meaning::ImageSize,
        PathSource::Absent,
    ),
    pattern(
        ANY,
        "image dimensions exceed max allowed size: {any} pixels > {most} pixels",
        Meaning::ImageSide,
        PathSource::Absent,
    ),
    pattern(
        ANY,
        "exceed max allowed size for many-image requests: {most} pixels",
        Meaning::ManyImagesSide,
        PathSource::Absent,
    ),
    // Media that the model does not support.
    image(ANY, "image input is not supported"),
    image(ANY, "this model does not support image input"),
    image(ANY, "odel do not support image input"),
    image(ANY, "odel does not support images"),
    image(ANY, "No endpoints found that support image input"),
    image(ANY, "image_url is only supported by certain models"),
    image(ANY, "unknown variant `image_url`, expected `text`"),
    image(GOOGLE, "Image input modality is not enabled for"),
    image(ANY, "This model doesn't support the image field for user messages"),
    media(ANY, "audio input is not supported", Some(MediaKind::Audio)),
    document(ANY, "This model doesn't support documents"),
    document(ANY, "This model doesn't support the document field for user messages"),
    document(ANY, "unsupported content[].type"),
    document(OPENAI_CHAT, "Unsupported chat content part type: 'file'"),
    document(OPENAI_CHAT, "Unknown part type: file"),
    media(ANY, "is not a multimodal model", None),
];

const fn media(
    dialects: &'static [&'static str],
    wording: &'static str,
    kind: Option<MediaKind>,
) -> RejectionPattern {
    pattern(dialects, wording, Meaning::Media(kind), PathSource::Absent)
}

const fn image(dialects: &'static [&'static str], wording: &'static str) -> RejectionPattern {
    media(dialects, wording, Some(MediaKind::Image))
}

const fn document(dialects: &'static [&'static str], wording: &'static str) -> RejectionPattern {
    media(dialects, wording, Some(MediaKind::Document))
}

const fn pattern(
    dialects: &'static [&'static str],
    wording: &'static str,
    meaning: Meaning,
    path_source: PathSource,
) -> RejectionPattern {
    RejectionPattern { dialects, pattern: wording, meaning, path_source }
}

const fn max_tokens(dialects: &'static [&'static str], wording: &'static str) -> RejectionPattern {
    pattern(dialects, wording, Meaning::MaxTokens, PathSource::Absent)
}

const fn reasoning(
    dialects: &'static [&'static str],
    wording: &'static str,
    reasoning_constraint: ReasoningConstraint,
) -> RejectionPattern {
    pattern(dialects, wording, Meaning::Reasoning(reasoning_constraint), PathSource::Absent)
}

/// A field with its path in the message.
const fn field(dialects: &'static [&'static str], wording: &'static str) -> RejectionPattern {
    pattern(dialects, wording, Meaning::Field, PathSource::Message)
}
