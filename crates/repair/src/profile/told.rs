//! How blocks that only one dialect knows are told to others: rows by dialect and kind.

/// What of a block is told, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    pub dialect: &'static str,
    /// With `*` at its head, any that ends so.
    pub kind: &'static str,
    /// The field that holds all of it; empty where the block itself does.
    pub inside: &'static str,
    /// Whether it says first what it is: what a tool did is not what somebody says.
    pub labelled: bool,
    /// Whether it begins with its title and its place.
    pub headed: bool,
    /// Fields whose words say what it is, better than its kind.
    pub names: &'static [&'static str],
    /// Fields that are told as they are written.
    pub written: &'static [&'static str],
    /// Fields of which the texts are told.
    pub texts: &'static [&'static str],
    /// The field that holds an image by its address, which is shown after the words.
    pub shown: Option<(&'static str, &'static str)>,
}

/// The row for a kind of block.
pub fn find(dialect: &str, kind: &str) -> Option<&'static Told> {
    let is_it = |told: &&Told| {
        told.dialect == dialect
            && match told.kind.strip_prefix('*') {
                Some(end) => kind.ends_with(end),
                None => kind == told.kind,
            }
    };
    ROWS.iter().find(is_it)
}

impl Told {
    const fn named(self, names: &'static [&'static str]) -> Self {
        Self { names, ..self }
    }

    const fn written(self, written: &'static [&'static str]) -> Self {
        Self { written, ..self }
    }

    const fn shown(self, within: &'static str, address: &'static str) -> Self {
        Self { shown: Some((within, address)), ..self }
    }

    const fn inside(self) -> Self {
        Self { inside: self.kind, ..self }
    }

    const fn plain(self) -> Self {
        Self { labelled: false, ..self }
    }

    const fn headed(self) -> Self {
        Self { headed: true, ..self.plain() }
    }
}

/// Of this kind, the texts of these fields.
const fn told(dialect: &'static str, kind: &'static str, texts: &'static [&'static str]) -> Told {
    Told {
        dialect,
        kind,
        inside: "",
        labelled: true,
        headed: false,
        names: &[],
        written: &[],
        texts,
        shown: None,
    }
}

const ANTHROPIC: &str = "anthropic";
const RESPONSES: &str = "openai-responses";
const GEMINI: &str = "gemini";
const BEDROCK: &str = "bedrock";

static ROWS: &[Told] = &[
    told(ANTHROPIC, "search_result", &["content"]).headed(),
    told(ANTHROPIC, "tool_reference", &["tool_name"]),
    told(ANTHROPIC, "compaction", &["content"]).plain(),
    told(ANTHROPIC, "server_tool_use", &[]).named(&["name"]).written(&["input"]),
    told(ANTHROPIC, "mcp_tool_use", &[]).named(&["server_name", "name"]).written(&["input"]),
    told(ANTHROPIC, "*_tool_result", &["content"]),
    told(RESPONSES, "web_search_call", &["results"]).written(&["action"]),
    told(RESPONSES, "file_search_call", &["results"]).written(&["queries"]),
    told(RESPONSES, "code_interpreter_call", &["code", "outputs"]),
    told(RESPONSES, "image_generation_call", &["revised_prompt"]),
    told(RESPONSES, "mcp_call", &["output", "error"])
        .named(&["server_label", "name"])
        .written(&["arguments"]),
    told(RESPONSES, "mcp_approval_request", &[])
        .named(&["server_label", "name"])
        .written(&["arguments"]),
    told(RESPONSES, "mcp_approval_response", &["reason"]).written(&["approve"]),
    told(RESPONSES, "computer_call", &[]).written(&["action", "actions"]),
    told(RESPONSES, "computer_call_output", &["output"]).shown("output", "image_url"),
    told(RESPONSES, "local_shell_call", &[]).written(&["action"]),
    told(RESPONSES, "local_shell_call_output", &["output"]),
    told(RESPONSES, "shell_call", &[]).written(&["action"]),
    told(RESPONSES, "shell_call_output", &["output"]),
    told(RESPONSES, "apply_patch_call", &[]).written(&["operation"]),
    told(RESPONSES, "apply_patch_call_output", &["output"]).written(&["status"]),
    told(GEMINI, "executableCode", &["code"]).inside(),
    told(GEMINI, "codeExecutionResult", &["output"]).inside().written(&["outcome"]),
    told(GEMINI, "toolCall", &[]).inside().named(&["toolType"]).written(&["args"]),
    told(GEMINI, "toolResponse", &[]).inside().named(&["toolType"]).written(&["response"]),
    told(BEDROCK, "toolUse", &[]).inside().named(&["name"]).written(&["input"]),
    told(BEDROCK, "toolResult", &["content"]).inside(),
    told(BEDROCK, "searchResult", &["content"]).inside().headed(),
    told(BEDROCK, "guardContent", &["text"]).inside().plain(),
];

/// Fields that number, name or lock what stands beside them, and say nothing to a reader.
pub static SILENT: &[&str] = &[
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

/// Fields that hold what is said, so that nobody has to be told their names.
pub static BARE: &[&str] =
    &["text", "content", "output", "code", "logs", "data", "source", "json", "tool_name"];
