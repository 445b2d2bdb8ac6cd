//! The shapes of a Converse request.

use Shape::{Any, Enum, Integer, List, Map, Number, Str, Structure, Union};

use super::shape::{ANY_LENGTH, Length, Member, Pattern, Shape};

pub(super) static CONVERSE: Shape = Structure(&[
    Member::optional("messages", &List(&MESSAGE, ANY_LENGTH)),
    Member::optional("system", &List(&SYSTEM_BLOCK, ANY_LENGTH)),
    Member::optional("inferenceConfig", &INFERENCE_CONFIG),
    Member::optional("toolConfig", &TOOL_CONFIG),
    Member::optional("guardrailConfig", &Any),
    Member::optional("additionalModelRequestFields", &Any),
    Member::optional("additionalModelResponseFieldPaths", &List(&Any, ANY_LENGTH)),
    Member::optional("requestMetadata", &Map(Length { min: 1, max: 16 })),
    Member::optional("performanceConfig", &PERFORMANCE_CONFIG),
    Member::optional("serviceTier", &SERVICE_TIER),
    Member::optional("outputConfig", &OUTPUT_CONFIG),
    Member::optional("promptVariables", &Any),
]);

static OUTPUT_CONFIG: Shape =
    Structure(&[Member::optional("textFormat", &Any), Member::optional("effort", &ANY_TEXT)]);

static MESSAGE: Shape = Structure(&[
    Member::required("role", &Enum(&["user", "assistant"])),
    Member::required("content", &List(&CONTENT_BLOCK, ANY_LENGTH)),
]);

static CONTENT_BLOCK: Shape = Union(
    "ContentBlock",
    &[
        Member::optional("text", &ANY_TEXT),
        Member::optional("image", &IMAGE),
        Member::optional("toolUse", &TOOL_USE),
        Member::optional("toolResult", &TOOL_RESULT),
        Member::optional("document", &DOCUMENT),
        Member::optional("video", &Any),
        Member::unlisted("audio", &Any),
        Member::optional("cachePoint", &CACHE_POINT),
        Member::optional("reasoningContent", &REASONING),
        Member::optional("citationsContent", &Any),
        Member::optional("searchResult", &Any),
        Member::unlisted("guardContent", &Any),
        Member::unlisted("toolAddition", &Any),
        Member::unlisted("toolRemoval", &Any),
    ],
);

static SYSTEM_BLOCK: Shape = Union(
    "SystemContentBlock",
    &[
        Member::optional("text", &NON_EMPTY_TEXT),
        Member::optional("guardContent", &Any),
        Member::optional("cachePoint", &CACHE_POINT),
    ],
);

static IMAGE: Shape = Structure(&[
    Member::required("format", &Enum(&["png", "jpeg", "gif", "webp"])),
    Member::required("source", &IMAGE_SOURCE),
    Member::optional("error", &Any),
]);

static IMAGE_SOURCE: Shape = Union(
    "ImageSource",
    &[Member::optional("bytes", &ANY_TEXT), Member::optional("s3Location", &Any)],
);

static DOCUMENT: Shape = Structure(&[
    Member::optional(
        "format",
        &Enum(&["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
    ),
    Member::required("name", &Str(Length { min: 1, max: 200 }, None)),
    Member::required("source", &DOCUMENT_SOURCE),
    Member::optional("context", &Any),
    Member::optional("citations", &Any),
]);

static DOCUMENT_SOURCE: Shape = Union(
    "DocumentSource",
    &[
        Member::optional("bytes", &ANY_TEXT),
        Member::optional("s3Location", &Any),
        Member::unlisted("text", &ANY_TEXT),
        Member::unlisted("content", &List(&Any, ANY_LENGTH)),
    ],
);

static TOOL_USE: Shape = Structure(&[
    Member::required("toolUseId", &TOOL_ID),
    Member::required("name", &TOOL_NAME),
    Member::required("input", &Any),
    Member::optional("type", &ANY_TEXT),
]);

static TOOL_RESULT: Shape = Structure(&[
    Member::required("toolUseId", &TOOL_ID),
    Member::required("content", &List(&RESULT_CONTENT, ANY_LENGTH)),
    Member::optional("status", &Enum(&["success", "error"])),
    Member::optional("type", &ANY_TEXT),
]);

static RESULT_CONTENT: Shape = Union(
    "ToolResultContentBlock",
    &[
        Member::optional("json", &Any),
        Member::optional("text", &ANY_TEXT),
        Member::optional("image", &IMAGE),
        Member::optional("document", &DOCUMENT),
        Member::optional("video", &Any),
        Member::optional("searchResult", &Any),
    ],
);

static REASONING: Shape = Union(
    "ReasoningContentBlock",
    &[
        Member::optional("reasoningText", &REASONING_TEXT),
        Member::optional("redactedContent", &ANY_TEXT),
    ],
);

static REASONING_TEXT: Shape =
    Structure(&[Member::required("text", &ANY_TEXT), Member::optional("signature", &ANY_TEXT)]);

static CACHE_POINT: Shape = Structure(&[
    Member::required("type", &Enum(&["default"])),
    Member::optional("ttl", &Enum(&["5m", "1h"])),
]);

static INFERENCE_CONFIG: Shape = Structure(&[
    Member::optional("maxTokens", &Integer(1.0)),
    Member::optional("temperature", &Number(0.0, 1.0)),
    Member::optional("topP", &Number(0.0, 1.0)),
    Member::optional("stopSequences", &List(&NON_EMPTY_TEXT, Length { min: 0, max: 2500 })),
]);

static TOOL_CONFIG: Shape = Structure(&[
    Member::required("tools", &List(&TOOL, Length { min: 1, max: usize::MAX })),
    Member::optional("toolChoice", &TOOL_CHOICE),
]);

static TOOL: Shape = Union(
    "Tool",
    &[
        Member::optional("toolSpec", &TOOL_SPEC),
        Member::optional("systemTool", &Any),
        Member::optional("cachePoint", &CACHE_POINT),
    ],
);

static TOOL_SPEC: Shape = Structure(&[
    Member::required("name", &TOOL_NAME),
    Member::optional("description", &NON_EMPTY_TEXT),
    Member::required("inputSchema", &INPUT_SCHEMA),
    Member::optional("strict", &Any),
]);

static INPUT_SCHEMA: Shape = Union("ToolInputSchema", &[Member::optional("json", &Any)]);

static TOOL_CHOICE: Shape = Union(
    "ToolChoice",
    &[
        Member::optional("auto", &Structure(&[])),
        Member::optional("any", &Structure(&[])),
        Member::optional("tool", &Structure(&[Member::required("name", &TOOL_NAME)])),
    ],
);

static PERFORMANCE_CONFIG: Shape =
    Structure(&[Member::optional("latency", &Enum(&["standard", "optimized"]))]);

static SERVICE_TIER: Shape =
    Structure(&[Member::required("type", &Enum(&["priority", "default", "flex", "reserved"]))]);

static ANY_TEXT: Shape = Str(ANY_LENGTH, None);
static NON_EMPTY_TEXT: Shape = Str(Length { min: 1, max: usize::MAX }, None);

static TOOL_ID: Shape = Str(
    Length { min: 1, max: 64 },
    Some(Pattern { regex: "[a-zA-Z0-9_.:-]+", extra_chars: "_.:-" }),
);

static TOOL_NAME: Shape =
    Str(Length { min: 1, max: 64 }, Some(Pattern { regex: "[a-zA-Z0-9_-]+", extra_chars: "_-" }));
