//! The shapes of a Converse request.

use super::shape::{FREE, Length, Member, Pattern, Shape};

use Shape::{Any, Choice, List, Map, Number, Structure, Text, Union, Whole};

pub(super) static CONVERSE: Shape = Structure(&[
    Member::new("messages", &List(&MESSAGE, FREE)),
    Member::new("system", &List(&SYSTEM, FREE)),
    Member::new("inferenceConfig", &INFERENCE),
    Member::new("toolConfig", &TOOL_CONFIG),
    Member::new("guardrailConfig", &Any),
    Member::new("additionalModelRequestFields", &Any),
    Member::new("additionalModelResponseFieldPaths", &List(&Any, FREE)),
    Member::new("requestMetadata", &Map(Length { least: 1, most: 16 })),
    Member::new("performanceConfig", &PERFORMANCE),
    Member::new("serviceTier", &SERVICE_TIER),
    Member::new("outputConfig", &OUTPUT),
    Member::new("promptVariables", &Any),
]);

static OUTPUT: Shape = Structure(&[Member::new("textFormat", &Any), Member::new("effort", &TEXT)]);

static MESSAGE: Shape = Structure(&[
    Member::required("role", &Choice(&["user", "assistant"])),
    Member::required("content", &List(&CONTENT, FREE)),
]);

static CONTENT: Shape = Union(
    "ContentBlock",
    &[
        Member::new("text", &TEXT),
        Member::new("image", &IMAGE),
        Member::new("toolUse", &TOOL_USE),
        Member::new("toolResult", &TOOL_RESULT),
        Member::new("document", &DOCUMENT),
        Member::new("video", &Any),
        Member::unsaid("audio", &Any),
        Member::new("cachePoint", &CACHE_POINT),
        Member::new("reasoningContent", &REASONING),
        Member::new("citationsContent", &Any),
        Member::new("searchResult", &Any),
        Member::unsaid("guardContent", &Any),
        Member::unsaid("toolAddition", &Any),
        Member::unsaid("toolRemoval", &Any),
    ],
);

static SYSTEM: Shape = Union(
    "SystemContentBlock",
    &[
        Member::new("text", &SOME_TEXT),
        Member::new("guardContent", &Any),
        Member::new("cachePoint", &CACHE_POINT),
    ],
);

static IMAGE: Shape = Structure(&[
    Member::required("format", &Choice(&["png", "jpeg", "gif", "webp"])),
    Member::required("source", &IMAGE_SOURCE),
]);

static IMAGE_SOURCE: Shape =
    Union("ImageSource", &[Member::new("bytes", &TEXT), Member::new("s3Location", &Any)]);

static DOCUMENT: Shape = Structure(&[
    Member::new(
        "format",
        &Choice(&["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
    ),
    Member::required("name", &Text(Length { least: 1, most: 200 }, None)),
    Member::required("source", &DOCUMENT_SOURCE),
]);

static DOCUMENT_SOURCE: Shape = Union(
    "DocumentSource",
    &[
        Member::new("bytes", &TEXT),
        Member::new("s3Location", &Any),
        Member::unsaid("text", &TEXT),
        Member::unsaid("content", &List(&Any, FREE)),
    ],
);

static TOOL_USE: Shape = Structure(&[
    Member::required("toolUseId", &TOOL_ID),
    Member::required("name", &TOOL_NAME),
    Member::required("input", &Any),
    Member::new("type", &TEXT),
]);

static TOOL_RESULT: Shape = Structure(&[
    Member::required("toolUseId", &TOOL_ID),
    Member::required("content", &List(&RESULT_CONTENT, FREE)),
    Member::new("status", &Choice(&["success", "error"])),
    Member::new("type", &TEXT),
]);

static RESULT_CONTENT: Shape = Union(
    "ToolResultContentBlock",
    &[
        Member::new("json", &Any),
        Member::new("text", &TEXT),
        Member::new("image", &IMAGE),
        Member::new("document", &DOCUMENT),
        Member::new("video", &Any),
        Member::new("searchResult", &Any),
    ],
);

static REASONING: Shape = Union(
    "ReasoningContentBlock",
    &[Member::new("reasoningText", &REASONING_TEXT), Member::new("redactedContent", &TEXT)],
);

static REASONING_TEXT: Shape =
    Structure(&[Member::required("text", &TEXT), Member::new("signature", &TEXT)]);

static CACHE_POINT: Shape = Structure(&[
    Member::required("type", &Choice(&["default"])),
    Member::new("ttl", &Choice(&["5m", "1h"])),
]);

static INFERENCE: Shape = Structure(&[
    Member::new("maxTokens", &Whole(1.0)),
    Member::new("temperature", &Number(0.0, 1.0)),
    Member::new("topP", &Number(0.0, 1.0)),
    Member::new("stopSequences", &List(&SOME_TEXT, Length { least: 0, most: 2500 })),
]);

static TOOL_CONFIG: Shape = Structure(&[
    Member::required("tools", &List(&TOOL, Length { least: 1, most: usize::MAX })),
    Member::new("toolChoice", &TOOL_CHOICE),
]);

static TOOL: Shape = Union(
    "Tool",
    &[
        Member::new("toolSpec", &TOOL_SPEC),
        Member::new("systemTool", &Any),
        Member::new("cachePoint", &CACHE_POINT),
    ],
);

static TOOL_SPEC: Shape = Structure(&[
    Member::required("name", &TOOL_NAME),
    Member::new("description", &SOME_TEXT),
    Member::required("inputSchema", &INPUT_SCHEMA),
    Member::new("strict", &Any),
]);

static INPUT_SCHEMA: Shape = Union("ToolInputSchema", &[Member::new("json", &Any)]);

static TOOL_CHOICE: Shape = Union(
    "ToolChoice",
    &[
        Member::new("auto", &Structure(&[])),
        Member::new("any", &Structure(&[])),
        Member::new("tool", &Structure(&[Member::required("name", &TOOL_NAME)])),
    ],
);

static PERFORMANCE: Shape =
    Structure(&[Member::new("latency", &Choice(&["standard", "optimized"]))]);

static SERVICE_TIER: Shape =
    Structure(&[Member::required("type", &Choice(&["priority", "default", "flex", "reserved"]))]);

static TEXT: Shape = Text(FREE, None);
static SOME_TEXT: Shape = Text(Length { least: 1, most: usize::MAX }, None);

static TOOL_ID: Shape = Text(
    Length { least: 1, most: 64 },
    Some(Pattern { spelled: "[a-zA-Z0-9_.:-]+", others: "_.:-" }),
);

static TOOL_NAME: Shape =
    Text(Length { least: 1, most: 64 }, Some(Pattern { spelled: "[a-zA-Z0-9_-]+", others: "_-" }));
