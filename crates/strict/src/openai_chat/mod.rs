//! The rules of Chat Completions servers: `OpenAI` and the providers that copied its API.
//!
//! Each server is a flavor. A rule's error messages define which flavors have it (`error_messages!
//! { FLAVORS => "…" }`): a flavor without a message does not have the rule. Differences between
//! models are in the rows of `profile`.

mod content;
mod empty_messages;
mod envelope;
mod error_messages;
mod fields;
mod flavor;
mod gemini_compat;
mod limits;
mod mint;
mod mistral;
mod pairing;
mod params;
mod profile;
mod required_fields;
mod roles;
mod schema;
mod signatures;
mod thinking;
mod tools;
mod types;
mod unsupported_params;
mod view;

pub use mint::{CallClaims, DetailClaims, call_signature, detail_seal};

use crate::rule::applies_to_all;
use crate::{Judge, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "openai-chat",
    flavors: flavor::FLAVORS,
    rules: RULES,
    applies: applies_to_all,
    envelope: envelope::envelope,
    not_json,
};

static RULES: &[Rule] = &[
    required_fields::MISSING_PARAMETER,
    required_fields::LLAMA_CPP_MISSING,
    required_fields::MISTRAL_MISSING,
    types::WRONG_TYPE,
    fields::UNKNOWN_PARAMETER,
    fields::UNKNOWN_MESSAGE_FIELD,
    fields::MISTRAL_EXTRA_FIELD,
    fields::GROQ_UNSUPPORTED_PROPERTY,
    fields::CEREBRAS_UNSUPPORTED_PROPERTY,
    roles::UNKNOWN_ROLE,
    roles::MISTRAL_ROLE,
    content::STRING_CONTENT,
    content::GROQ_NULL,
    content::NULL_CONTENT,
    required_fields::EMPTY_ARRAY,
    required_fields::CHOICE_WITHOUT_TOOLS,
    required_fields::STREAM_OPTIONS,
    params::MAX_TOKENS,
    params::MAX_TOKENS_TWICE,
    params::PARALLEL_WITHOUT_TOOLS,
    params::TEMPERATURE,
    params::MOONSHOT_TEMPERATURE,
    params::STOP,
    unsupported_params::REASONING_PARAMETER,
    gemini_compat::GEMINI_COMPAT_PARAMETER,
    unsupported_params::GROQ_PARAMETER,
    unsupported_params::GROQ_EFFORT,
    params::EFFORT,
    params::VERBOSITY,
    params::XAI_PARAMETER,
    params::LLAMA_CPP_WITH_TOOLS,
    params::OPENROUTER_EFFORT,
    params::RESPONSE_FORMAT,
    limits::OUT_OF_RANGE,
    limits::MAX_TOKENS_ABOVE_CAP,
    limits::OPENROUTER_LEAST_TOKENS,
    limits::NO_LENGTH,
    limits::TOP_LOGPROBS,
    limits::TOO_MANY,
    limits::TOO_MANY_STOPS,
    limits::CONTEXT_LENGTH,
    limits::TOO_LONG,
    limits::METADATA,
    thinking::MOONSHOT_THINKING_TYPE,
    thinking::FORCED_CHOICE,
    thinking::QWEN_NOT_STREAMED,
    thinking::QWEN_JSON,
    tools::NAMED_CHOICE,
    tools::CHOICE_SHAPE,
    tools::UNKNOWN_CHOICE,
    tools::MOONSHOT_REQUIRED_CHOICE,
    tools::TOOL_TYPE,
    tools::TOOL_NAME_PATTERN,
    tools::TOOL_NAME_LENGTH,
    tools::TOOL_DESCRIPTION_LENGTH,
    tools::TOOL_DUPLICATE,
    tools::CEREBRAS_MIXED_STRICT,
    schema::SCHEMA_ROOT,
    schema::SCHEMA_ARRAY_ITEMS,
    schema::SCHEMA_STRICT,
    schema::MOONSHOT_SCHEMA,
    schema::OLLAMA_SCHEMA,
    gemini_compat::GEMINI_COMPAT_SCHEMA_KEY,
    mistral::MISTRAL_TOOL_NAME,
    mistral::MISTRAL_TOOL_SCHEMA,
    params::TOOLS_WITH_EFFORT,
    roles::XAI_NAME,
    roles::ALTERNATION,
    roles::TRAILING_ASSISTANTS,
    mistral::MISTRAL_EMPTY,
    mistral::MISTRAL_FIRST_ROLE,
    mistral::MISTRAL_ROLE_ORDER,
    mistral::MISTRAL_LAST_ROLE,
    mistral::MISTRAL_CONTENT_OR_CALLS,
    content::PART_TYPE,
    content::IMAGE_OUTSIDE_USER,
    content::FILE_DATA,
    content::OLLAMA_IMAGE,
    empty_messages::MOONSHOT_EMPTY,
    empty_messages::XAI_EMPTY,
    content::JSON_WORD,
    pairing::CALL_ID_LENGTH,
    pairing::CALL_TYPE,
    pairing::ARGUMENTS,
    pairing::ORPHAN_RESULT,
    pairing::UNKNOWN_CALL_ID,
    pairing::UNANSWERED_CALL,
    pairing::GLM_MESSAGES,
    pairing::CALL_ID_EMPTY,
    mistral::MISTRAL_CALL_ID_MISSING,
    mistral::MISTRAL_CALL_ID,
    mistral::MISTRAL_DUPLICATE_ID,
    mistral::MISTRAL_UNEXPECTED_ID,
    mistral::MISTRAL_COUNTS,
    thinking::DEEPSEEK_REASONING,
    thinking::MOONSHOT_REASONING,
    thinking::GROQ_REASONING,
    signatures::OPENROUTER_DETAILS_MISSING,
    signatures::OPENROUTER_SIGNATURE,
    signatures::OPENROUTER_THOUGHT_SIGNATURE,
    signatures::OPENROUTER_ENCRYPTED_CONTENT,
    signatures::GEMINI_COMPAT_SIGNATURE_MISSING,
    signatures::GEMINI_COMPAT_SIGNATURE,
];

/// Equal for all flavors: the body is parsed before the flavor is known.
fn not_json(_complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: NOT_JSON_ERROR.to_owned(),
        param: None,
        code: None,
    }
}

const NOT_JSON_ERROR: &str = "We could not parse the JSON body of your request. (HINT: This likely means \
    you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what \
    was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact \
    us through our help center at help.openai.com.)";
