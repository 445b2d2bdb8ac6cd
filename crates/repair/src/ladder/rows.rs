//! The words in which providers refuse what a ladder is for, as rows. The first row that fits counts.

use interlingua_model::Habit;

use super::{At, Row, Says};

const CLAUDE: &[&str] = &["anthropic", "bedrock"];
const OPENAI: &[&str] = &["openai-chat", "openai-responses"];
const CHAT: &[&str] = &["openai-chat"];
const RESPONSES: &[&str] = &["openai-responses"];
const GOOGLE: &[&str] = &["gemini", "openai-chat"];
/// Whoever answers for somebody else passes on its words.
const ANY: &[&str] = &[];

pub(super) static ROWS: &[Row] = &[
    // Empty texts between reasoning.
    row(ANY, "messages: text content blocks must be non-empty", Says::EmptyText, At::Nowhere),
    row(
        ANY,
        "messages: text content blocks must contain non-whitespace text",
        Says::EmptyText,
        At::Nowhere,
    ),
    row(
        CLAUDE,
        "{path}.text: cache_control cannot be set for empty text blocks",
        Says::EmptyText,
        At::Words,
    ),
    row(
        CLAUDE,
        "The text field in the ContentBlock object at {path} is blank.",
        Says::EmptyText,
        At::Words,
    ),
    // Seals.
    row(
        ANY,
        "{path}: Invalid {any} block. The block is bound to a different conversation.",
        Says::Prefix,
        At::Words,
    ),
    row(ANY, "{path}: Invalid `signature` in `thinking` block", Says::Seal, At::Words),
    row(ANY, "{path}: Invalid `data` in `redacted_thinking` block", Says::Seal, At::Words),
    row(
        ANY,
        "{path}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        Says::Modified,
        At::Words,
    ),
    row(OPENAI, "The encrypted content {any} could not be verified.", Says::Seal, At::Nowhere),
    row(GOOGLE, "Corrupted thought signature.", Says::Seal, At::Nowhere),
    row(GOOGLE, "Thought signature is not valid", Says::Seal, At::Nowhere),
    // Thinking, required or forbidden.
    thinking(CLAUDE, "\"thinking.type.enabled\" is not supported for this model.", Habit::Adaptive),
    thinking(CLAUDE, "adaptive thinking is not supported on this model", Habit::Budget),
    thinking(CLAUDE, "\"thinking.type.disabled\" is not supported for this model.", Habit::Always),
    thinking(CLAUDE, "To turn thinking off on this model, send \"thinking\":", Habit::BetweenTools),
    thinking(
        CLAUDE,
        "\"thinking.type.between_tools\" is not supported for this model.",
        Habit::Off,
    ),
    thinking(
        CLAUDE,
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block",
        Habit::OpensLoop,
    ),
    thinking(
        CLAUDE,
        "If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`.",
        Habit::First,
    ),
    thinking(
        CLAUDE,
        "Thinking may not be enabled when tool_choice forces tool use.",
        Habit::Unforced,
    ),
    thinking(ANY, "Thinking mode does not support this tool_choice", Habit::Unforced),
    thinking(
        CHAT,
        "The tool_choice parameter does not support being set to required or object in thinking mode",
        Habit::Unforced,
    ),
    thinking(
        CHAT,
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        Habit::Echo,
    ),
    thinking(
        CHAT,
        "Missing `reasoning_content` field in the assistant message at message index",
        Habit::Echo,
    ),
    thinking(
        CHAT,
        "thinking is enabled but reasoning_content is missing in assistant tool call message",
        Habit::Echo,
    ),
    thinking(
        &["bedrock"],
        "This model doesn't support the reasoningContent.reasoningText.text field for assistant messages.",
        Habit::Redacted,
    ),
    thinking(
        &["gemini"],
        "Budget 0 is invalid. This model only works in thinking mode.",
        Habit::Least,
    ),
    thinking(&["gemini"], "The model does not support setting thinking_budget to 0", Habit::Least),
    row(
        &["gemini"],
        "Thinking level is not supported for this model.",
        Says::Field,
        At::Fixed("generationConfig.thinkingConfig.thinkingLevel"),
    ),
    row(
        &["gemini"],
        "You can only set only one of thinking budget and thinking level.",
        Says::Field,
        At::Fixed("generationConfig.thinkingConfig.thinkingLevel"),
    ),
    row(
        CLAUDE,
        "This model does not support the effort parameter.",
        Says::Field,
        At::Fixed("output_config.effort"),
    ),
    field(CHAT, "{path}: reasoning is not supported with this model"),
    // Parameters that this model does not take.
    field(
        OPENAI,
        "Unsupported parameter: '{path}' is not supported with this model. Use '{instead}' instead.",
    ),
    field(OPENAI, "Unsupported parameter: '{path}' is not supported with this model."),
    field(
        RESPONSES,
        "Unsupported parameter: '{path}'. In the Responses API, this parameter has moved to '{instead}'.",
    ),
    field(RESPONSES, "Unsupported parameter: {path}"),
    field(OPENAI, "Unsupported value: '{path}' does not support {any} with this model."),
    row(
        RESPONSES,
        "Unsupported value: '{any}' is not supported with the '{any}' model.",
        Says::Field,
        At::Beside,
    ),
    field(CHAT, "Model {any} does not support parameter {path}"),
    field(CHAT, "Argument not supported on this model: {path}"),
    row(
        CHAT,
        "invalid temperature: only 1 is allowed for this model",
        Says::Field,
        At::Fixed("temperature"),
    ),
    field(CLAUDE, "`{path}` is deprecated for this model."),
    field(CLAUDE, "`{path}` may only be set to 1 when thinking is enabled"),
    field(
        CLAUDE,
        "`{path}` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    ),
    field(CLAUDE, "`{path}` must be unset when thinking is enabled."),
    field(CLAUDE, "` and `{path}` cannot both be specified for this model."),
    // Fields that are not known.
    field(CLAUDE, "{path}: Extra inputs are not permitted"),
    row(CHAT, "Extra inputs are not permitted", Says::Field, At::Beside),
    field(&["bedrock"], "extraneous key [{path}] is not permitted"),
    field(OPENAI, "Unknown parameter: '{path}'."),
    field(CHAT, "Unrecognized request argument supplied: {path}"),
    field(CHAT, "Additional properties are not allowed ('{name}' was unexpected) - '{path}'"),
    field(CHAT, "[('{path}' : property '{name}' is unsupported)]"),
    field(CHAT, "{path}: property '{any}' is unsupported"),
    field(CHAT, "property '{path}' is unsupported"),
    field(GOOGLE, "Unknown name \"{name}\" at '{path}': Cannot find field."),
    field(GOOGLE, "Unknown name \"{path}\": Cannot find field."),
    // The length of an answer.
    length(ANY, "max_tokens: {any} > {most}, which is the maximum allowed number of output tokens"),
    length(OPENAI, "This model supports at most {most} completion tokens"),
    length(ANY, "the valid range of max_tokens is [1, {most}]"),
    length(ANY, "Range of max_tokens should be [1, {most}]"),
    length(CHAT, "`max_tokens` must be less than or equal to `{most}`"),
    // Whose turn it is.
    row(
        CHAT,
        "onversation roles must alternate user/assistant/user/assistant/...",
        Says::Roles,
        At::Nowhere,
    ),
    row(
        CHAT,
        "onversation roles must alternate user and assistant roles except for tool calls and results",
        Says::Roles,
        At::Nowhere,
    ),
    // The provider's own search.
    row(OPENAI, "Hosted tool 'web_search{any}' is not supported with", Says::Search, At::Nowhere),
    row(
        OPENAI,
        "tools cannot be used with reasoning.effort 'minimal': web_search",
        Says::Search,
        At::Nowhere,
    ),
    row(CLAUDE, "does not support tool types: web_search", Says::Search, At::Nowhere),
    row(GOOGLE, "Search Grounding is not supported", Says::Search, At::Nowhere),
    // Images.
    row(
        ANY,
        "image exceeds {any} MB maximum: {any} bytes > {most} bytes",
        Says::ImageSize,
        At::Nowhere,
    ),
    row(
        ANY,
        "image dimensions exceed max allowed size: {any} pixels > {most} pixels",
        Says::ImageSide,
        At::Nowhere,
    ),
    row(
        ANY,
        "exceed max allowed size for many-image requests: {most} pixels",
        Says::CrowdSide,
        At::Nowhere,
    ),
];

const fn row(dialects: &'static [&'static str], words: &'static str, says: Says, at: At) -> Row {
    Row { dialects, words, says, at }
}

const fn length(dialects: &'static [&'static str], words: &'static str) -> Row {
    row(dialects, words, Says::Length, At::Nowhere)
}

const fn thinking(dialects: &'static [&'static str], words: &'static str, habit: Habit) -> Row {
    row(dialects, words, Says::Thinking(habit), At::Nowhere)
}

/// A field that is named in the words.
const fn field(dialects: &'static [&'static str], words: &'static str) -> Row {
    row(dialects, words, Says::Field, At::Words)
}
