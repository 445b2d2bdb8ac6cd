//! Describes how foreign blocks are rendered as text: rows by dialect and kind.

/// How a kind of block is rendered.
#[derive(Clone, Copy, Debug)]
pub struct BlockDescription {
    pub dialect: &'static str,
    /// With a leading `*`, any kind with this suffix.
    pub kind: &'static str,
    /// The field with the content; empty if the content is in the block itself.
    pub wrapper: &'static str,
    /// Begins with a label, which distinguishes tool output from user text.
    pub labelled: bool,
    /// Begins with title and address.
    pub with_heading: bool,
    /// Fields for the label, instead of the kind.
    pub label_fields: &'static [&'static str],
    /// Fields that are rendered as raw JSON.
    pub raw_fields: &'static [&'static str],
    /// Fields with the texts to render.
    pub text_fields: &'static [&'static str],
    /// The field with the URL of an image, which is appended to the text.
    pub image_field: Option<(&'static str, &'static str)>,
}

/// The row for a kind of block.
pub fn find(dialect: &str, kind: &str) -> Option<&'static BlockDescription> {
    let is_match = |block_description: &&BlockDescription| {
        block_description.dialect == dialect
            && match block_description.kind.strip_prefix('*') {
                Some(suffix) => kind.ends_with(suffix),
                None => kind == block_description.kind,
            }
    };
    ROWS.iter().find(is_match)
}

impl BlockDescription {
    const fn with_label_fields(self, fields: &'static [&'static str]) -> Self {
        Self { label_fields: fields, ..self }
    }

    const fn with_raw_fields(self, fields: &'static [&'static str]) -> Self {
        Self { raw_fields: fields, ..self }
    }

    const fn with_image(self, outer_field: &'static str, url_field: &'static str) -> Self {
        Self { image_field: Some((outer_field, url_field)), ..self }
    }

    const fn wrapped(self) -> Self {
        Self { wrapper: self.kind, ..self }
    }

    const fn unlabelled(self) -> Self {
        Self { labelled: false, ..self }
    }

    const fn headed(self) -> Self {
        Self { with_heading: true, ..self.unlabelled() }
    }
}

/// A labelled row with these text fields.
const fn description(
    dialect: &'static str,
    kind: &'static str,
    texts: &'static [&'static str],
) -> BlockDescription {
    BlockDescription {
        dialect,
        kind,
        wrapper: "",
        labelled: true,
        with_heading: false,
        label_fields: &[],
        raw_fields: &[],
        text_fields: texts,
        image_field: None,
    }
}

const ANTHROPIC: &str = "anthropic";
const RESPONSES: &str = "openai-responses";
const GEMINI: &str = "gemini";
const BEDROCK: &str = "bedrock";

static ROWS: &[BlockDescription] = &[
    description(ANTHROPIC, "search_result", &["content"]).headed(),
    description(ANTHROPIC, "tool_reference", &["tool_name"]),
    description(ANTHROPIC, "compaction", &["content"]).unlabelled(),
    description(ANTHROPIC, "server_tool_use", &[])
        .with_label_fields(&["name"])
        .with_raw_fields(&["input"]),
    description(ANTHROPIC, "mcp_tool_use", &[])
        .with_label_fields(&["server_name", "name"])
        .with_raw_fields(&["input"]),
    description(ANTHROPIC, "*_tool_result", &["content"]),
    description(RESPONSES, "web_search_call", &["results"]).with_raw_fields(&["action"]),
    description(RESPONSES, "file_search_call", &["results"]).with_raw_fields(&["queries"]),
    description(RESPONSES, "code_interpreter_call", &["code", "outputs"]),
    description(RESPONSES, "image_generation_call", &["revised_prompt"]),
    description(RESPONSES, "mcp_call", &["output", "error"])
        .with_label_fields(&["server_label", "name"])
        .with_raw_fields(&["arguments"]),
    description(RESPONSES, "mcp_approval_request", &[])
        .with_label_fields(&["server_label", "name"])
        .with_raw_fields(&["arguments"]),
    description(RESPONSES, "mcp_approval_response", &["reason"]).with_raw_fields(&["approve"]),
    description(RESPONSES, "computer_call", &[]).with_raw_fields(&["action", "actions"]),
    description(RESPONSES, "computer_call_output", &["output"]).with_image("output", "image_url"),
    description(RESPONSES, "local_shell_call", &[]).with_raw_fields(&["action"]),
    description(RESPONSES, "local_shell_call_output", &["output"]),
    description(RESPONSES, "shell_call", &[]).with_raw_fields(&["action"]),
    description(RESPONSES, "shell_call_output", &["output"]),
    description(RESPONSES, "apply_patch_call", &[]).with_raw_fields(&["operation"]),
    description(RESPONSES, "apply_patch_call_output", &["output"]).with_raw_fields(&["status"]),
    description(RESPONSES, "agent_message", &["content"]).unlabelled(),
    description(GEMINI, "executableCode", &["code"]).wrapped(),
    description(GEMINI, "codeExecutionResult", &["output"]).wrapped().with_raw_fields(&["outcome"]),
    description(GEMINI, "toolCall", &[])
        .wrapped()
        .with_label_fields(&["toolType"])
        .with_raw_fields(&["args"]),
    description(GEMINI, "toolResponse", &[])
        .wrapped()
        .with_label_fields(&["toolType"])
        .with_raw_fields(&["response"]),
    description(BEDROCK, "toolUse", &[])
        .wrapped()
        .with_label_fields(&["name"])
        .with_raw_fields(&["input"]),
    description(BEDROCK, "toolResult", &["content"]).wrapped(),
    description(BEDROCK, "searchResult", &["content"]).wrapped().headed(),
    description(BEDROCK, "guardContent", &["text"]).wrapped().unlabelled(),
];

/// Fields with ids, indices and encrypted data, which are not rendered.
pub static SKIPPED_FIELDS: &[&str] = &[
    "type",
    "id",
    "index",
    "caller",
    "citations",
    "cache_control",
    "encrypted_content",
    "encrypted_stdout",
    "encrypted_index",
    "signature",
    "page_age",
    "retrieved_at",
    "media_type",
    "mime_type",
    "mimeType",
    "file_type",
    "score",
    "attributes",
    "annotations",
];

/// Fields that are rendered without their names.
pub static UNLABELLED_FIELDS: &[&str] =
    &["text", "content", "output", "code", "logs", "data", "source", "json", "tool_name"];
