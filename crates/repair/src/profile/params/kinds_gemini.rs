//! What the Gemini API takes, of who serves it and of its older models.

use super::kinds::{COPY, FREE_CHOICE, FREE_LENGTH, FREE_STOPS};
use super::shapes;
use super::{Choosing, Conflict, Lone, MaxTokens, Params, Sampling, Span, Spelling, Stops, When};

/// Writes less than newer models.
pub(super) const OLD_VERTEX: Params = Params {
    max_tokens: MaxTokens { most: 8_192, ..VERTEX.max_tokens },
    stops: Stops { most: 16, ..FREE_STOPS },
    ..VERTEX
};
pub(super) const VERTEX_2_5: Params =
    Params { max_tokens: MaxTokens { most: 65_535, ..VERTEX.max_tokens }, ..VERTEX };
pub(super) const STUDIO: Params = Params {
    max_tokens: MaxTokens { least: 1, ..FREE_LENGTH },
    choice: Choosing { without_tools: Lone::OnlyNone, functions_only: true, ..FREE_CHOICE },
    sampling: Sampling { temperature: Span::new(0.0, 2.0), ..Sampling::ANY },
    storing: true,
    ..VERTEX
};
pub(super) const VERTEX: Params = Params {
    spelling: Spelling::Loose,
    reads_all: true,
    sampling: Sampling { temperature: Span::new(0.0, 2.0), ..Sampling::ANY },
    shapes: shapes::GEMINI,
    max_tokens: MaxTokens { least: 1, most: 65_536, ..FREE_LENGTH },
    stops: Stops { most: 5, ..FREE_STOPS },
    storing: false,
    conflicts: &[CACHED],
    ..COPY
};

/// "`CachedContent` can not be used with `GenerateContent` request setting `system_instruction`, tools
/// or `tool_config`."
const CACHED: Conflict = Conflict {
    field: "cachedContent",
    item: None,
    when: When::Beside(&["systemInstruction", "tools", "toolConfig"]),
};
pub(super) const GEMINI_OLD: &[&str] =
    &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"];
