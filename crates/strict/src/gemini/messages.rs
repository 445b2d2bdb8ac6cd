//! The messages of a request.

use super::proto::{Field, Kind, Message};

use Kind::{Any, Bytes, Choice, MapOf, Number, Of, Struct, Text, Truth, Whole};

pub(super) static REQUEST: Message = Message {
    name: "GenerateContentRequest",
    one_of: None,
    fields: &[
        Field::new("model", Text),
        Field::many("contents", Of(&CONTENT)),
        Field::new("system_instruction", Of(&CONTENT)),
        Field::many("tools", Of(&TOOL)),
        Field::new("tool_config", Of(&TOOL_CONFIG)),
        Field::new("generation_config", Of(&GENERATION_CONFIG)),
        Field::many("safety_settings", Of(&SAFETY_SETTING)),
        Field::new("cached_content", Text),
        Field::new("service_tier", Any),
        Field::new("store", Truth).studio(),
        Field::new("labels", Struct).vertex(),
        Field::new("model_armor_config", Any).vertex(),
    ],
};

/// A request that only asks for a count.
pub(super) static COUNT: Message = Message {
    name: "CountTokensRequest",
    one_of: None,
    fields: &[
        Field::new("model", Text),
        Field::many("contents", Of(&CONTENT)),
        Field::new("generate_content_request", Of(&REQUEST)).studio(),
        Field::new("system_instruction", Of(&CONTENT)),
        Field::many("tools", Of(&TOOL)),
        Field::new("generation_config", Of(&GENERATION_CONFIG)),
        Field::many("instances", Any).vertex(),
    ],
};

static CONTENT: Message = Message {
    name: "Content",
    one_of: None,
    fields: &[Field::new("role", Text), Field::many("parts", Of(&PART))],
};

/// What a part can hold.
pub(super) static DATA: &[&str] = &[
    "text",
    "inline_data",
    "file_data",
    "function_call",
    "function_response",
    "executable_code",
    "code_execution_result",
    "tool_call",
    "tool_response",
];

static PART: Message = Message {
    name: "Part",
    one_of: Some(("data", DATA)),
    fields: &[
        Field::new("text", Text),
        Field::new("inline_data", Of(&BLOB)),
        Field::new("file_data", Of(&FILE_DATA)),
        Field::new("function_call", Of(&FUNCTION_CALL)),
        Field::new("function_response", Of(&FUNCTION_RESPONSE)),
        Field::new("executable_code", Of(&EXECUTABLE_CODE)),
        Field::new("code_execution_result", Of(&CODE_EXECUTION_RESULT)),
        Field::new("tool_call", Of(&TOOL_CALL)).studio(),
        Field::new("tool_response", Of(&TOOL_RESPONSE)).studio(),
        Field::new("thought", Truth),
        Field::new("thought_signature", Bytes),
        Field::new("video_metadata", Any),
        Field::new("media_resolution", Any),
        Field::new("media_processing", Any),
        Field::new("speech_metadata", Any),
        Field::new("part_metadata", Struct).studio(),
    ],
};

static BLOB: Message = Message {
    name: "Blob",
    one_of: None,
    fields: &[
        Field::new("mime_type", Text),
        Field::new("data", Bytes),
        Field::new("display_name", Text),
    ],
};

static FILE_DATA: Message = Message {
    name: "FileData",
    one_of: None,
    fields: &[
        Field::new("file_uri", Text),
        Field::new("mime_type", Text),
        Field::new("display_name", Text),
    ],
};

static FUNCTION_CALL: Message = Message {
    name: "FunctionCall",
    one_of: None,
    fields: &[
        Field::new("id", Text),
        Field::new("name", Text),
        Field::new("args", Struct),
        Field::many("partial_args", Any).vertex(),
        Field::new("will_continue", Truth).vertex(),
    ],
};

static FUNCTION_RESPONSE: Message = Message {
    name: "FunctionResponse",
    one_of: None,
    fields: &[
        Field::new("id", Text),
        Field::new("name", Text),
        Field::new("response", Struct),
        Field::many("parts", Of(&FUNCTION_RESPONSE_PART)),
        Field::new("scheduling", Any),
        Field::new("will_continue", Truth).studio(),
    ],
};

static FUNCTION_RESPONSE_PART: Message = Message {
    name: "FunctionResponsePart",
    one_of: Some(("data", &["inline_data", "file_data"])),
    fields: &[Field::new("inline_data", Of(&BLOB)), Field::new("file_data", Of(&FILE_DATA))],
};

static EXECUTABLE_CODE: Message = Message {
    name: "ExecutableCode",
    one_of: None,
    fields: &[
        Field::new("id", Text),
        Field::new("language", Choice("ExecutableCode.Language", LANGUAGES)),
        Field::new("code", Text),
    ],
};

static CODE_EXECUTION_RESULT: Message = Message {
    name: "CodeExecutionResult",
    one_of: None,
    fields: &[
        Field::new("id", Text),
        Field::new("outcome", Choice("CodeExecutionResult.Outcome", OUTCOMES)),
        Field::new("output", Text),
    ],
};

static TOOL_CALL: Message = Message {
    name: "ToolCall",
    one_of: None,
    fields: &[Field::new("id", Text), Field::new("tool_type", Any), Field::new("args", Struct)],
};

static TOOL_RESPONSE: Message = Message {
    name: "ToolResponse",
    one_of: None,
    fields: &[Field::new("id", Text), Field::new("tool_type", Any), Field::new("response", Struct)],
};

static TOOL: Message = Message {
    name: "Tool",
    one_of: None,
    fields: &[
        Field::many("function_declarations", Of(&FUNCTION_DECLARATION)),
        Field::new("google_search", Any),
        Field::new("google_search_retrieval", Any),
        Field::new("google_maps", Any),
        Field::new("code_execution", Any),
        Field::new("url_context", Any),
        Field::new("computer_use", Any),
        Field::new("file_search", Any).studio(),
        Field::many("mcp_servers", Any).studio(),
        Field::new("retrieval", Any).vertex(),
        Field::new("enterprise_web_search", Any).vertex(),
        Field::new("parallel_ai_search", Any).vertex(),
    ],
};

static FUNCTION_DECLARATION: Message = Message {
    name: "FunctionDeclaration",
    one_of: None,
    fields: &[
        Field::new("name", Text),
        Field::new("description", Text),
        Field::new("parameters", Of(&SCHEMA)),
        Field::new("parameters_json_schema", Any),
        Field::new("response", Of(&SCHEMA)),
        Field::new("response_json_schema", Any),
        Field::new("behavior", Any),
    ],
};

static SCHEMA: Message = Message {
    name: "Schema",
    one_of: None,
    fields: &[
        Field::new("type", Choice("Type", TYPES)),
        Field::new("format", Text),
        Field::new("title", Text),
        Field::new("description", Text),
        Field::new("nullable", Truth),
        Field::many("enum", Text),
        Field::new("items", Of(&SCHEMA)),
        Field::new("min_items", Whole),
        Field::new("max_items", Whole),
        Field::new("min_length", Whole),
        Field::new("max_length", Whole),
        Field::new("min_properties", Whole),
        Field::new("max_properties", Whole),
        Field::new("pattern", Text),
        Field::new("minimum", Number),
        Field::new("maximum", Number),
        Field::new("properties", MapOf(&SCHEMA)),
        Field::many("required", Text),
        Field::many("property_ordering", Text),
        Field::many("any_of", Of(&SCHEMA)),
        Field::new("default", Any),
        Field::new("example", Any),
        Field::new("additional_properties", Any).vertex(),
        Field::new("defs", MapOf(&SCHEMA)).vertex(),
        Field::new("ref", Text).vertex(),
    ],
};

static TOOL_CONFIG: Message = Message {
    name: "ToolConfig",
    one_of: None,
    fields: &[
        Field::new("function_calling_config", Of(&FUNCTION_CALLING_CONFIG)),
        Field::new("retrieval_config", Any),
        Field::new("include_server_side_tool_invocations", Truth).studio(),
    ],
};

static FUNCTION_CALLING_CONFIG: Message = Message {
    name: "FunctionCallingConfig",
    one_of: None,
    fields: &[
        Field::new("mode", Choice("FunctionCallingConfig.Mode", MODES)),
        Field::many("allowed_function_names", Text),
        Field::new("stream_function_call_arguments", Truth).vertex(),
    ],
};

static GENERATION_CONFIG: Message = Message {
    name: "GenerationConfig",
    one_of: None,
    fields: &[
        Field::new("temperature", Number),
        Field::new("top_p", Number),
        Field::new("top_k", Number),
        Field::new("candidate_count", Whole),
        Field::new("max_output_tokens", Whole),
        Field::many("stop_sequences", Text),
        Field::new("seed", Whole),
        Field::new("presence_penalty", Number),
        Field::new("frequency_penalty", Number),
        Field::new("response_logprobs", Truth),
        Field::new("logprobs", Whole),
        Field::new("response_mime_type", Text),
        Field::new("response_schema", Of(&SCHEMA)),
        Field::new("response_json_schema", Any),
        Field::new("_response_json_schema", Any),
        Field::new("response_format", Any),
        Field::new("response_modalities", Any),
        Field::new("media_resolution", Any),
        Field::new("speech_config", Any),
        Field::new("image_config", Any),
        Field::new("thinking_config", Of(&THINKING_CONFIG)),
        Field::new("enable_enhanced_civic_answers", Truth).studio(),
        Field::new("enable_affective_dialog", Truth),
        Field::new("audio_timestamp", Truth).vertex(),
        Field::new("routing_config", Any).vertex(),
        Field::new("model_config", Any).vertex(),
        Field::new("model_selection_config", Any).vertex(),
    ],
};

static THINKING_CONFIG: Message = Message {
    name: "ThinkingConfig",
    one_of: None,
    fields: &[
        Field::new("include_thoughts", Truth),
        Field::new("thinking_budget", Whole),
        Field::new("thinking_level", Choice("ThinkingConfig.ThinkingLevel", LEVELS)),
    ],
};

static SAFETY_SETTING: Message = Message {
    name: "SafetySetting",
    one_of: None,
    fields: &[
        Field::new("category", Choice("HarmCategory", CATEGORIES)),
        Field::new("threshold", Choice("SafetySetting.HarmBlockThreshold", THRESHOLDS)),
        Field::new("method", Any).vertex(),
    ],
};

const TYPES: &[&str] =
    &["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const LANGUAGES: &[&str] = &["LANGUAGE_UNSPECIFIED", "PYTHON"];
const OUTCOMES: &[&str] =
    &["OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"];
const MODES: &[&str] = &["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"];
const LEVELS: &[&str] = &["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"];
const THRESHOLDS: &[&str] = &[
    "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
    "BLOCK_LOW_AND_ABOVE",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_NONE",
    "OFF",
];
const CATEGORIES: &[&str] = &[
    "HARM_CATEGORY_UNSPECIFIED",
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
    "HARM_CATEGORY_JAILBREAK",
    "HARM_CATEGORY_IMAGE_HATE",
    "HARM_CATEGORY_IMAGE_DANGEROUS_CONTENT",
    "HARM_CATEGORY_IMAGE_HARASSMENT",
    "HARM_CATEGORY_IMAGE_SEXUALLY_EXPLICIT",
];
