//! The protobuf messages of a request.

use FieldType::{Any, Bool, Bytes, Enum, Integer, MapOf, Nested, Number, Str, Struct};

use super::{Field, FieldType, Message};
use crate::gemini::view::PART_DATA_FIELDS;

pub(in crate::gemini) static GENERATE_CONTENT_REQUEST: Message = Message {
    name: "GenerateContentRequest",
    one_of: None,
    fields: &[
        Field::singular("model", Str),
        Field::repeated("contents", Nested(&CONTENT)),
        Field::singular("system_instruction", Nested(&CONTENT)),
        Field::repeated("tools", Nested(&TOOL)),
        Field::singular("tool_config", Nested(&TOOL_CONFIG)),
        Field::singular("generation_config", Nested(&GENERATION_CONFIG)),
        Field::repeated("safety_settings", Nested(&SAFETY_SETTING)),
        Field::singular("cached_content", Str),
        Field::singular("service_tier", Any),
        Field::singular("store", Bool).ai_studio_only(),
        Field::singular("labels", Struct).vertex_only(),
        Field::singular("model_armor_config", Any).vertex_only(),
    ],
};

pub(in crate::gemini) static COUNT_TOKENS_REQUEST: Message = Message {
    name: "CountTokensRequest",
    one_of: None,
    fields: &[
        Field::singular("model", Str),
        Field::repeated("contents", Nested(&CONTENT)),
        Field::singular("generate_content_request", Nested(&GENERATE_CONTENT_REQUEST))
            .ai_studio_only(),
        Field::singular("system_instruction", Nested(&CONTENT)),
        Field::repeated("tools", Nested(&TOOL)),
        Field::singular("generation_config", Nested(&GENERATION_CONFIG)),
        Field::repeated("instances", Any).vertex_only(),
    ],
};

static CONTENT: Message = Message {
    name: "Content",
    one_of: None,
    fields: &[Field::singular("role", Str), Field::repeated("parts", Nested(&PART))],
};

static PART: Message = Message {
    name: "Part",
    one_of: Some(("data", PART_DATA_FIELDS)),
    fields: &[
        Field::singular("text", Str),
        Field::singular("audio_transcription", Any),
        Field::singular("inline_data", Nested(&BLOB)),
        Field::singular("file_data", Nested(&FILE_DATA)),
        Field::singular("function_call", Nested(&FUNCTION_CALL)),
        Field::singular("function_response", Nested(&FUNCTION_RESPONSE)),
        Field::singular("executable_code", Nested(&EXECUTABLE_CODE)),
        Field::singular("code_execution_result", Nested(&CODE_EXECUTION_RESULT)),
        Field::singular("tool_call", Nested(&TOOL_CALL)).ai_studio_only(),
        Field::singular("tool_response", Nested(&TOOL_RESPONSE)).ai_studio_only(),
        Field::singular("thought", Bool),
        Field::singular("thought_signature", Bytes),
        Field::singular("video_metadata", Any),
        Field::singular("media_resolution", Any),
        Field::singular("media_processing", Any),
        Field::singular("speech_metadata", Any),
        Field::singular("part_metadata", Struct).ai_studio_only(),
    ],
};

static BLOB: Message = Message {
    name: "Blob",
    one_of: None,
    fields: &[
        Field::singular("mime_type", Str),
        Field::singular("data", Bytes),
        Field::singular("display_name", Str),
    ],
};

static FILE_DATA: Message = Message {
    name: "FileData",
    one_of: None,
    fields: &[
        Field::singular("file_uri", Str),
        Field::singular("mime_type", Str),
        Field::singular("display_name", Str),
    ],
};

static FUNCTION_CALL: Message = Message {
    name: "FunctionCall",
    one_of: None,
    fields: &[
        Field::singular("id", Str),
        Field::singular("name", Str),
        Field::singular("args", Struct),
        Field::repeated("partial_args", Any).vertex_only(),
        Field::singular("will_continue", Bool).vertex_only(),
    ],
};

static FUNCTION_RESPONSE: Message = Message {
    name: "FunctionResponse",
    one_of: None,
    fields: &[
        Field::singular("id", Str),
        Field::singular("name", Str),
        Field::singular("response", Struct),
        Field::repeated("parts", Nested(&FUNCTION_RESPONSE_PART)),
        Field::singular("scheduling", Any),
        Field::singular("will_continue", Bool).ai_studio_only(),
    ],
};

static FUNCTION_RESPONSE_PART: Message = Message {
    name: "FunctionResponsePart",
    one_of: Some(("data", &["inline_data", "file_data"])),
    fields: &[
        Field::singular("inline_data", Nested(&BLOB)),
        Field::singular("file_data", Nested(&FILE_DATA)),
        Field::singular("media_processing", Any),
    ],
};

static EXECUTABLE_CODE: Message = Message {
    name: "ExecutableCode",
    one_of: None,
    fields: &[
        Field::singular("id", Str),
        Field::singular("language", Enum("ExecutableCode.Language", CODE_LANGUAGES)),
        Field::singular("code", Str),
    ],
};

static CODE_EXECUTION_RESULT: Message = Message {
    name: "CodeExecutionResult",
    one_of: None,
    fields: &[
        Field::singular("id", Str),
        Field::singular("outcome", Enum("CodeExecutionResult.Outcome", EXECUTION_OUTCOMES)),
        Field::singular("output", Str),
    ],
};

static TOOL_CALL: Message = Message {
    name: "ToolCall",
    one_of: None,
    fields: &[
        Field::singular("id", Str),
        Field::singular("tool_type", Any),
        Field::singular("args", Struct),
    ],
};

static TOOL_RESPONSE: Message = Message {
    name: "ToolResponse",
    one_of: None,
    fields: &[
        Field::singular("id", Str),
        Field::singular("tool_type", Any),
        Field::singular("response", Struct),
    ],
};

static TOOL: Message = Message {
    name: "Tool",
    one_of: None,
    fields: &[
        Field::repeated("function_declarations", Nested(&FUNCTION_DECLARATION)),
        Field::singular("google_search", Any),
        Field::singular("exa_ai_search", Any),
        Field::singular("google_search_retrieval", Any),
        Field::singular("google_maps", Any),
        Field::singular("code_execution", Any),
        Field::singular("url_context", Any),
        Field::singular("computer_use", Any),
        Field::singular("file_search", Any).ai_studio_only(),
        Field::repeated("mcp_servers", Any).ai_studio_only(),
        Field::singular("retrieval", Any).vertex_only(),
        Field::singular("enterprise_web_search", Any).vertex_only(),
        Field::singular("parallel_ai_search", Any).vertex_only(),
    ],
};

static FUNCTION_DECLARATION: Message = Message {
    name: "FunctionDeclaration",
    one_of: None,
    fields: &[
        Field::singular("name", Str),
        Field::singular("description", Str),
        Field::singular("parameters", Nested(&SCHEMA)),
        Field::singular("parameters_json_schema", Any),
        Field::singular("response", Nested(&SCHEMA)),
        Field::singular("response_json_schema", Any),
        Field::singular("behavior", Any),
    ],
};

static SCHEMA: Message = Message {
    name: "Schema",
    one_of: None,
    fields: &[
        Field::singular("type", Enum("Type", SCHEMA_TYPES)),
        Field::singular("format", Str),
        Field::singular("title", Str),
        Field::singular("description", Str),
        Field::singular("nullable", Bool),
        Field::repeated("enum", Str),
        Field::singular("items", Nested(&SCHEMA)),
        Field::singular("min_items", Integer),
        Field::singular("max_items", Integer),
        Field::singular("min_length", Integer),
        Field::singular("max_length", Integer),
        Field::singular("min_properties", Integer),
        Field::singular("max_properties", Integer),
        Field::singular("pattern", Str),
        Field::singular("minimum", Number),
        Field::singular("maximum", Number),
        Field::singular("properties", MapOf(&SCHEMA)),
        Field::repeated("required", Str),
        Field::repeated("property_ordering", Str),
        Field::repeated("any_of", Nested(&SCHEMA)),
        Field::singular("default", Any),
        Field::singular("example", Any),
        Field::singular("additional_properties", Any).vertex_only(),
        Field::singular("defs", MapOf(&SCHEMA)).vertex_only(),
        Field::singular("ref", Str).vertex_only(),
    ],
};

static TOOL_CONFIG: Message = Message {
    name: "ToolConfig",
    one_of: None,
    fields: &[
        Field::singular("function_calling_config", Nested(&FUNCTION_CALLING_CONFIG)),
        Field::singular("retrieval_config", Any),
        Field::singular("include_server_side_tool_invocations", Bool).ai_studio_only(),
    ],
};

static FUNCTION_CALLING_CONFIG: Message = Message {
    name: "FunctionCallingConfig",
    one_of: None,
    fields: &[
        Field::singular("mode", Enum("FunctionCallingConfig.Mode", FUNCTION_CALLING_MODES)),
        Field::repeated("allowed_function_names", Str),
        Field::singular("stream_function_call_arguments", Bool).vertex_only(),
    ],
};

static GENERATION_CONFIG: Message = Message {
    name: "GenerationConfig",
    one_of: None,
    fields: &[
        Field::singular("audio_transcription_config", Any),
        Field::singular("translation_config", Any),
        Field::singular("temperature", Number),
        Field::singular("top_p", Number),
        Field::singular("top_k", Number),
        Field::singular("candidate_count", Integer),
        Field::singular("max_output_tokens", Integer),
        Field::repeated("stop_sequences", Str),
        Field::singular("seed", Integer),
        Field::singular("presence_penalty", Number),
        Field::singular("frequency_penalty", Number),
        Field::singular("response_logprobs", Bool),
        Field::singular("logprobs", Integer),
        Field::singular("response_mime_type", Str),
        Field::singular("response_schema", Nested(&SCHEMA)),
        Field::singular("response_json_schema", Any),
        Field::singular("_response_json_schema", Any),
        Field::singular("response_format", Any),
        Field::singular("response_modalities", Any),
        Field::singular("media_resolution", Any),
        Field::singular("speech_config", Any),
        Field::singular("image_config", Any),
        Field::singular("thinking_config", Nested(&THINKING_CONFIG)),
        Field::singular("enable_enhanced_civic_answers", Bool).ai_studio_only(),
        Field::singular("enable_affective_dialog", Bool),
        Field::singular("audio_timestamp", Bool).vertex_only(),
        Field::singular("routing_config", Any).vertex_only(),
        Field::singular("model_config", Any).vertex_only(),
        Field::singular("model_selection_config", Any).vertex_only(),
    ],
};

static THINKING_CONFIG: Message = Message {
    name: "ThinkingConfig",
    one_of: None,
    fields: &[
        Field::singular("include_thoughts", Bool),
        Field::singular("thinking_budget", Integer),
        Field::singular("thinking_level", Enum("ThinkingConfig.ThinkingLevel", THINKING_LEVELS)),
    ],
};

static SAFETY_SETTING: Message = Message {
    name: "SafetySetting",
    one_of: None,
    fields: &[
        Field::singular("category", Enum("HarmCategory", HARM_CATEGORIES)),
        Field::singular("threshold", Enum("SafetySetting.HarmBlockThreshold", HARM_THRESHOLDS)),
        Field::singular("method", Any).vertex_only(),
    ],
};

const SCHEMA_TYPES: &[&str] =
    &["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
const CODE_LANGUAGES: &[&str] = &["LANGUAGE_UNSPECIFIED", "PYTHON"];
const EXECUTION_OUTCOMES: &[&str] =
    &["OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"];
const FUNCTION_CALLING_MODES: &[&str] = &["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"];
const THINKING_LEVELS: &[&str] =
    &["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"];
const HARM_THRESHOLDS: &[&str] = &[
    "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
    "BLOCK_LOW_AND_ABOVE",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_NONE",
    "OFF",
];
const HARM_CATEGORIES: &[&str] = &[
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
